//! The plain case: one namespaced kind without a status.

pub mod v1 {
    use genclient::prelude::*;

    /// A place to sit.
    #[genclient]
    #[group = "furniture.example.com"]
    #[crd(short_names = ["ch"])]
    pub struct Chair {
        pub metadata: ObjectMeta,
        pub spec: ChairSpec,
    }

    /// What a chair is to be.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ChairSpec {
        /// How many.
        pub legs: i32,
    }
}
