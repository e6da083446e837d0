//! The boilerplate stands above our mark; `YEAR` stays as it is, for output does not depend on the clock.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "licensed.example.com"]
    pub struct Book {
        pub metadata: ObjectMeta,
    }
}
