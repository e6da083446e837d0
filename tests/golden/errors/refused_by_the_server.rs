//! Values that look valid, but that the API server refuses or warns about.

pub mod v1 {
    use genclient::prelude::*;

    /// A thing.
    #[genclient]
    #[group = "things.example.com"]
    #[crd(
        selectable_field = ".spec['name']",
        printcolumn(name = "Ready", type = "string", json_path = ".spec.name"),
        printcolumn(name = "Ready", type = "integer", json_path = ".spec.amount")
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
        #[crd(pattern = r"^\p{Script=Greek}+$")]
        pub script: String,
        #[crd(pattern = r"^\p{Old_Italic}+$")]
        pub two_words: String,
        #[crd(pattern = r"^\p{Cs}+$")]
        pub surrogates: String,
        #[crd(format = "int64")]
        pub number: String,
        #[crd(enum = [])]
        pub nothing: String,
    }
}
