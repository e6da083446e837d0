pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(pattern = "^(?!kube-)[a-z]+$")]
        pub look_ahead: String,
        #[crd(pattern = r"^(a)\1$")]
        pub back_reference: String,
        #[crd(pattern = "a**")]
        pub repeated: String,
        #[crd(pattern = "[a-z")]
        pub open: String,
        #[crd(items(pattern = "a{2000}"))]
        pub many: Vec<String>,
        #[crd(keys(pattern = "(a"))]
        pub keys: BTreeMap<String, String>,
        #[crd(keys(format = "email"))]
        pub key_format: BTreeMap<String, String>,
        #[crd(format = "datetim")]
        pub format: String,
        #[crd(format = "uint32")]
        pub unsigned: u32,
        #[crd(format = "int32")]
        pub narrow: u32,
        #[crd(format = "int46")]
        pub text: String,
    }
}
