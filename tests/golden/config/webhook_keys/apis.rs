use genclient::prelude::*;

pub mod v1 {
    use super::*;
    use crate::admission::Defaulter;
    use genclient::webhook;

    #[genclient]
    #[group = "example.com"]
    #[kind = "GPUTask"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }

    /// Webhook next to its type.
    #[webhook]
    impl Defaulter for Task {
        type Object = Self;
    }
}
