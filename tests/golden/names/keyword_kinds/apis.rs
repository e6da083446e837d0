//! Kinds named like keywords: files, modules and accessors have names that are valid identifiers.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "keywords.example.com"]
    pub struct Type {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "keywords.example.com"]
    pub struct Match {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "keywords.example.com"]
    pub struct Import {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "keywords.example.com"]
    pub struct Mod {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "type.example.com"]
    #[kind = "Self"]
    pub struct Itself {
        pub metadata: ObjectMeta,
    }
}
