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
        #[crd(max_length = 63, validation(rule = "self.matches('^[a-z]+$') && !self.matches('^a')"))]
        pub look_ahead: String,
        #[crd(pattern = r"^(a)[a-z]$")]
        pub back_reference: String,
        #[crd(pattern = "(?:a*)*")]
        pub repeated: String,
        #[crd(pattern = "[a-z]")]
        pub open: String,
        #[crd(items(pattern = "a{1,63}"))]
        pub many: Vec<String>,
        #[crd(keys(pattern = "(a)"))]
        pub keys: BTreeMap<String, String>,
        #[crd(keys(format = "k8s-short-name"))]
        pub key_format: BTreeMap<String, String>,
        #[crd(format = "date-time")]
        pub format: String,
        pub unsigned: u32,
        pub narrow: u32,
        pub text: String,
    }
}
