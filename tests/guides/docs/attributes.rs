//! Context of docs/attributes.md.

use std::collections::BTreeMap;

use genclient::prelude::*;
use genclient::{rbac, webhook};
use genclient_controller::webhook::{Admission, Defaulter, Denied};
use k8s_openapi::api::core::v1::{Pod, Secret};

/// Value of a field.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Inner {
    gpu: String,
}
