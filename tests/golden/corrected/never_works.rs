pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "widgets.k8s.io"]
    #[crd(annotation("api-approved.kubernetes.io", "unapproved, experimental"))]
    #[crd(
        short_names = ["wi"],
        printcolumn(name = "Empty", type = "string", json_path = ".spec.names[0]"),
        printcolumn(name = "Found", type = "string", json_path = ".spec.parts[?(@.name==\"a\")].name"),
        printcolumn(name = "Lost", type = "string", json_path = ".spec.parts[?(@.name==\"a\")].name"),
        printcolumn(name = "Broken", type = "string", json_path = ".spec.parts[*]"),
        printcolumn(name = "Owner", type = "string", json_path = ".metadata.ownerReferences"),
        scale(spec_replicas_path = ".spec.copies", status_replicas_path = ".status.copies", label_selector_path = ".status.selector"),
        selectable_field = ".spec.text"
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
        pub copies: i32,
        pub text: String,
        #[crd(embedded_resource)]
        pub number: serde_json::Value,
        #[crd(items(preserve_unknown_fields))]
        pub list: Vec<Part>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub copies: i32,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub selector: Option<String>,
    }

    #[genclient]
    #[group = "widgets.k8s.io"]
    #[crd(annotation("api-approved.kubernetes.io", "unapproved, experimental"))]
    pub struct Gadget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[genclient]
    #[group = "tools.example.com"]
    #[crd(short_names = ["to"], conversion(webhook(service = "system/webhook", review_versions = ["v1"])))]
    pub struct Tool {
        pub metadata: ObjectMeta,
        pub spec: Part,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Bag {
        pub metadata: ObjectMeta,
        #[serde(rename = "contents")]
        pub items: Option<Vec<String>>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(storage)]
    #[crd(conversion(webhook(service = "namespace/name")))]
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
