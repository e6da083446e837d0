//! The simplest case: one namespaced kind without a status.

pub mod v1 {
    use genclient::prelude::*;

    /// Piece of furniture.
    #[genclient]
    #[group = "furniture.example.com"]
    #[crd(short_names = ["ch"])]
    pub struct Chair {
        pub metadata: ObjectMeta,
        pub spec: ChairSpec,
    }

    /// Desired state of a chair.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ChairSpec {
        /// Number of legs.
        pub legs: i32,
    }
}
