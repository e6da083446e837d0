//! Values that the API server accepts without a warning.

pub mod v1 {
    use genclient::prelude::*;

    /// A thing.
    #[genclient]
    #[group = "things.example.com"]
    #[crd(
        selectable_field = ".spec.name",
        printcolumn(name = "Ready", type = "string", json_path = ".spec.name"),
        printcolumn(name = "Amount", type = "integer", json_path = ".spec.amount")
    )]
    pub struct Thing {
        pub metadata: ObjectMeta,
        pub spec: ThingSpec,
    }

    /// Specification of a thing.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ThingSpec {
        pub name: String,
        pub amount: i32,
        #[crd(pattern = r"^\p{Greek}+$")]
        pub script: String,
        #[crd(pattern = r"^\p{L}+$")]
        pub two_words: String,
        #[crd(pattern = r"^\p{Cs}+$")]
        pub surrogates: String,
        pub number: String,
        #[crd(enum = ["a"])]
        pub nothing: String,
    }
}
