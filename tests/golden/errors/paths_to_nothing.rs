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
        printcolumn(name = "Short", type = "string", json_path = ".color"),
        printcolumn(name = "Other", type = "string", json_path = ".spec.flavour"),
        printcolumn(name = "Kind", type = "string", json_path = ".spec.parts[0].knid"),
        printcolumn(name = "Owner", type = "string", json_path = ".metadata.nmae"),
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
        pub parts: Vec<Part>,
        pub selector: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub kind: String,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas", label_selector_path = ".status.labels"))]
    pub struct Fleet {
        pub metadata: ObjectMeta,
        pub spec: FleetSpec,
        pub status: Option<FleetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct FleetSpec {
        pub boats: i32,
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct FleetStatus {
        pub replicas: i32,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(printcolumn(name = "Size", type = "integer", json_path = ".spec.size"))]
    pub struct Bare {
        pub metadata: ObjectMeta,
    }
}
