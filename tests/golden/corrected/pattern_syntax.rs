//! Patterns with valid syntax in RE2, the syntax of the API server's patterns.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(pattern = "[a-z]")]
        pub backwards: String,
        #[crd(pattern = "[a-]")]
        pub open_range: String,
        #[crd(pattern = "[[:alpha:]]")]
        pub class: String,
        #[crd(pattern = r"\p{L}")]
        pub script: String,
        #[crd(pattern = r"\p{Greek}")]
        pub open_script: String,
        #[crd(pattern = r"a\\")]
        pub escape: String,
        #[crd(pattern = "a[)]")]
        pub closed: String,
        #[crd(pattern = "[*].example.com")]
        pub nothing: String,
        #[crd(pattern = "[+]1")]
        pub plus: String,
        #[crd(pattern = "[?]1")]
        pub question: String,
        #[crd(pattern = "(a{100}){10}")]
        pub product: String,
        #[crd(pattern = "(?:c)")]
        pub name: String,
        #[crd(pattern = "(((a)))")]
        pub deep: String,
        #[crd(pattern = "[{]2}")]
        pub count: String,
    }
}
