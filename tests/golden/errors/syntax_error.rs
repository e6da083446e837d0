//! A file with a syntax error.

pub mod v1 {
    #[genclient]
    #[group = "example.com"]
    pub struct Broken {
        pub metadata ObjectMeta,
    }
}
