//! A kind named like the list kind of another kind.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct WidgetList {
        pub metadata: ObjectMeta,
    }
}
