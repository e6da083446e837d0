//! Recursive types.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Recursive {
        pub metadata: ObjectMeta,
        pub spec: Node,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Node {
        pub children: Vec<Node>,
        pub other: Option<Box<Other>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Other {
        pub back: Box<Node>,
    }
}
