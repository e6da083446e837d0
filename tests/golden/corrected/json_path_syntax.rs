//! Columns with valid JSON paths, and scale subresources with a usable status.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(
        printcolumn(name = "End", type = "integer", json_path = ".spec.replicas"),
        printcolumn(name = "Index", type = "string", json_path = ".spec['a']"),
        printcolumn(name = "Bracket", type = "integer", json_path = ".spec.replicas"),
        scale(
            spec_replicas_path = ".spec.replicas",
            status_replicas_path = ".status.replicas",
            label_selector_path = ".status.selector"
        )
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub replicas: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub replicas: i32,
        pub selector: String,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas"
    ))]
    pub struct Gadget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }
}
