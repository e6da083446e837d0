//! `#[genclient]` on items that cannot be kinds.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub enum Choice {
        A,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Tuple(ObjectMeta);

    #[genclient]
    #[group = "example.com"]
    pub struct Bare {
        pub name: String,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Generic<T> {
        pub metadata: ObjectMeta,
        pub spec: T,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Kinded {
        pub metadata: ObjectMeta,
        pub kind: String,
    }
}
