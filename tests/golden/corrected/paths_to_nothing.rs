//! Paths to existing fields in selectable fields, columns and scale.
use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(
        selectable_field = ".spec.color",
        selectable_field = ".spec.selector",
        printcolumn(name = "Color", type = "string", json_path = ".spec.color"),
        printcolumn(name = "Kind", type = "string", json_path = ".spec.parts[0].kind"),
        printcolumn(name = "Owner", type = "string", json_path = ".metadata.name"),
        scale(spec_replicas_path = ".spec.copies", status_replicas_path = ".status.replicas", label_selector_path = ".spec.selector")
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub replicas: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub color: String,
        pub copies: i32,
        pub sizes: Vec<String>,
        pub parts: Vec<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub selector: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub kind: String,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(printcolumn(name = "Size", type = "integer", json_path = ".spec.size"))]
    pub struct Bare {
        pub metadata: ObjectMeta,
        pub spec: BareSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BareSpec {
        pub size: i32,
    }
}
