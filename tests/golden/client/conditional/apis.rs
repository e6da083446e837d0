//! Kinds under a `cfg`: generated code has the same `cfg`, and every kind has a CRD. Items under
//! `cfg(test)` are not kinds.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "always.example.com"]
    pub struct Always {
        pub metadata: ObjectMeta,
    }

    #[cfg(feature = "extra")]
    #[genclient]
    #[group = "always.example.com"]
    pub struct Sometimes {
        pub metadata: ObjectMeta,
    }

    #[cfg(test)]
    #[genclient]
    #[group = "never.example.com"]
    pub struct Never {
        pub metadata: ObjectMeta,
    }
}

#[cfg(any(feature = "extra", windows))]
pub mod extra {
    pub mod v1 {
        use genclient::prelude::*;

        #[cfg(all(unix, not(windows)))]
        #[genclient(non_namespaced)]
        #[group = "extra.example.com"]
        pub struct Unix {
            pub metadata: ObjectMeta,
        }
    }
}
