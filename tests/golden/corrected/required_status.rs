//! A status that the API server takes with none that is created.

use genclient::prelude::*;

#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: String,
    pub status: Option<WidgetStatus>,
}

/// Filled in by the reader.
#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Filled {
    pub metadata: ObjectMeta,
    pub spec: String,
    #[serde(default)]
    pub status: WidgetStatus,
}

/// Without a status subresource the status is a field like any other.
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
