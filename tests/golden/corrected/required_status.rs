//! An optional status: the API server drops it from a new object, and accepts the object.

use genclient::prelude::*;

#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: String,
    pub status: Option<WidgetStatus>,
}

/// Kind whose status serde fills in when it is absent.
#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Filled {
    pub metadata: ObjectMeta,
    pub spec: String,
    #[serde(default)]
    pub status: WidgetStatus,
}

/// Kind without a status subresource: its status is a field like any other.
#[genclient(no_status)]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Plain {
    pub metadata: ObjectMeta,
    pub spec: String,
    pub status: WidgetStatus,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct WidgetStatus {
    pub ready: bool,
}
