//! Paths to missing fields: an error in selectable fields, a warning in columns and scale.
use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(
        selectable_field = ".spec.colour",
        selectable_field = ".spec.sizes",
        printcolumn(name = "Color", type = "string", json_path = ".spec.colour"),
        scale(spec_replicas_path = ".spec.copies", status_replicas_path = ".status.replicas", label_selector_path = ".spec.selector")
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub color: String,
        pub sizes: Vec<String>,
        pub selector: Option<String>,
    }
}
