//! A struct named like the list kind of another kind, with another kind in `#[kind]`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[kind = "WidgetBatch"]
    pub struct WidgetList {
        pub metadata: ObjectMeta,
    }
}
