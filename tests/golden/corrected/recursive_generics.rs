//! Recursive generic types, and one whose type arguments grow with each level, each broken by a
//! field without a schema.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Forest {
        pub metadata: ObjectMeta,
        pub tree: Tree<String>,
        pub growing: Growing<i32>,
        pub own: Own,
        pub whole: Option<Box<Inside>>,
        #[crd(schemaless, preserve_unknown_fields)]
        pub alias: Endless,
        pub fine: Pair<Pair<String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Tree<T> {
        pub value: T,
        #[crd(items(schemaless, preserve_unknown_fields))]
        pub children: Vec<Tree<T>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Growing<T> {
        pub value: T,
        #[crd(schemaless, preserve_unknown_fields)]
        pub next: Option<Box<Growing<Vec<T>>>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Own {
        #[crd(schemaless, preserve_unknown_fields)]
        pub next: Option<Box<Self>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inside {
        #[crd(schemaless, preserve_unknown_fields)]
        pub forest: Option<Box<Forest>>,
    }

    pub type Endless = Vec<Endless>;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Pair<T> {
        pub left: T,
        pub right: T,
    }
}
