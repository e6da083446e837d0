//! Two groups with the same first label, which `group-aliases` distinguishes. The case
//! `errors/same_first_label` has no such setting.

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
