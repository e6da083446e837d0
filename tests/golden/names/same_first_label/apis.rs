//! Two groups whose first label is the same, told apart by `group-aliases`; without it see `errors/same_first_label`.

pub mod first {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct TestType {
            pub metadata: ObjectMeta,
        }
    }
}

pub mod second {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.test.dev"]
        pub struct TestType {
            pub metadata: ObjectMeta,
        }
    }
}
