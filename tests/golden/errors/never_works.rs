pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "widgets.k8s.io"]
    #[crd(
        short_names = ["widgets"],
        printcolumn(name = "Empty", type = "integer", json_path = ".spec.names[0]"),
        printcolumn(name = "Found", type = "string", json_path = ".spec.parts[?(@.name==\"a\")].name"),
        printcolumn(name = "Lost", type = "string", json_path = ".spec.parts[?(@.name==\"a\")].nmae"),
        printcolumn(name = "Broken", type = "string", json_path = ".spec.parts[?(@.name"),
        printcolumn(name = "Owner", type = "string", json_path = ".metadata.owner"),
        scale(spec_replicas_path = ".spec.copies", status_replicas_path = ".status.copies[0]", label_selector_path = ".status.selector"),
        selectable_field = ".spec.parts[0].name"
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub names: Vec<String>,
        pub parts: Vec<Part>,
        pub copies: String,
        #[crd(preserve_unknown_fields)]
        pub text: String,
        #[crd(embedded_resource)]
        pub number: i32,
        #[crd(preserve_unknown_fields)]
        pub list: Vec<Part>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub copies: Vec<i32>,
        pub selector: Option<String>,
    }

    #[genclient]
    #[group = "widgets.k8s.io"]
    #[crd(unserved)]
    pub struct Gadget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[genclient]
    #[group = "widgets.k8s.io"]
    #[crd(short_names = ["gadget"], conversion(webhook(service = "system/webhook", review_versions = ["v1"])))]
    pub struct Tool {
        pub metadata: ObjectMeta,
        pub spec: Part,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Bag {
        pub metadata: ObjectMeta,
        pub items: Option<Vec<String>>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(storage)]
    pub struct Grown {
        pub metadata: ObjectMeta,
        pub spec: GrownSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct GrownSpec {
        pub name: String,
        pub size: i32,
        #[crd(default = "red")]
        pub color: String,
        pub pieces: Vec<Part>,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Grown {
        pub metadata: ObjectMeta,
        pub spec: GrownSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct GrownSpec {
        pub name: i32,
        pub extra: String,
        pub pieces: Vec<Piece>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Piece {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
    }
}
