//! The expansion of `#[genclient]` compiles with strict lints denied.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications
)]
#![forbid(unsafe_code)]

/// Version 1.
pub mod v1 {
    use genclient::prelude::*;

    /// A deprecated kind.
    #[deprecated]
    #[genclient::genclient]
    #[group = "example.com"]
    pub struct Old {
        /// Standard metadata.
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    struct Private {
        metadata: ObjectMeta,
        #[crd(minimum = 1)]
        count: i32,
    }

    /// Returns the count of a private kind.
    pub fn count() -> i32 {
        let private = Private {
            metadata: ObjectMeta::default(),
            count: 1,
        };
        private.clone().count
    }
}

#[test]
fn expansion_passes_strict_lints() {
    assert_eq!(v1::count(), 1);
}
