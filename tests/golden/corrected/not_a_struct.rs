//! `#[genclient]` on structs that can be kinds.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub spec: ChoiceSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum ChoiceSpec {
        A,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Tuple {
        pub metadata: ObjectMeta,
        pub spec: String,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Bare {
        pub metadata: ObjectMeta,
        pub name: String,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Generic {
        pub metadata: ObjectMeta,
        pub spec: String,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Kinded {
        pub metadata: ObjectMeta,
    }
}
