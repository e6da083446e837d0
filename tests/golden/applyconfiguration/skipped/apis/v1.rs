//! Kinds without apply configurations, beside one that has one.

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = "skipped.example.com"]
pub struct Applied {
    pub metadata: ObjectMeta,
    pub spec: Spec,
    pub status: Option<Status>,
}

#[genclient(readonly)]
#[group = "skipped.example.com"]
pub struct Read {
    pub metadata: ObjectMeta,
    pub spec: Unapplied,
}

#[genclient(no_verbs)]
#[group = "skipped.example.com"]
pub struct Silent {
    pub metadata: ObjectMeta,
}

#[genclient(skip_client)]
#[group = "skipped.example.com"]
pub struct Clientless {
    pub metadata: ObjectMeta,
}

#[genclient(no_status)]
#[group = "skipped.example.com"]
pub struct Stateless {
    pub metadata: ObjectMeta,
    pub status: Option<Status>,
}

/// A kind without a CRD.
#[genclient(skip_crd, skip_verbs = ["apply"])]
#[group = "skipped.example.com"]
pub struct Foreign {
    pub metadata: ObjectMeta,
    pub status: Option<Status>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Spec {
    pub image: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Unapplied {
    pub image: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Status {
    pub ready: bool,
}
