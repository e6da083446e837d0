//! Boilerplate above the header of generated files. `YEAR` is not replaced, because output does not
//! depend on the date.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "licensed.example.com"]
    pub struct Book {
        pub metadata: ObjectMeta,
    }
}
