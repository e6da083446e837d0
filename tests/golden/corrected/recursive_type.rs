//! Recursive types, broken by fields without a schema.

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
        #[crd(items(schemaless, preserve_unknown_fields))]
        pub children: Vec<Node>,
        pub other: Option<Box<Other>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Other {
        #[crd(schemaless, preserve_unknown_fields)]
        pub back: Box<Node>,
    }
}
