//! More kinds named like types that generated code imports or defines.

pub mod v1 {
    use genclient::prelude::*;
    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Scale {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Lister {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Indexer {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct ListParams {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct TypeMeta {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct AnyObject {
        pub metadata: ObjectMeta,
    }
}
