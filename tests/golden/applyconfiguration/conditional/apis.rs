//! Kinds, types and modules under a `cfg`.

pub mod always {
    pub mod v1 {
        use genclient::prelude::*;
        use serde::{Deserialize, Serialize};

        #[genclient]
        #[group = "always.example.com"]
        pub struct Always {
            pub metadata: ObjectMeta,
            pub spec: Spec,
        }

        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
        pub struct Spec {
            pub image: String,
        }

        #[cfg(feature = "extra")]
        #[genclient]
        #[group = "always.example.com"]
        pub struct Sometimes {
            pub metadata: ObjectMeta,
            pub spec: Extra,
            pub shared: Spec,
        }

        #[cfg(feature = "extra")]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
        pub struct Extra {
            pub level: Level,
        }

        #[cfg(feature = "extra")]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
        pub enum Level {
            Low,
            High,
        }
    }
}

#[cfg(feature = "extra")]
pub mod extra {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient(non_namespaced)]
        #[group = "extra.example.com"]
        pub struct Unix {
            pub metadata: ObjectMeta,
        }
    }
}
