//! Schemas in Cargo.toml under paths that no field uses, and an invalid one.

pub mod v1 {
    use genclient::prelude::*;
    use semver::Version;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub version: Version,
        pub used: semver::VersionReq,
        /// Unknown type without a stated schema.
        pub mistake: Missing,
    }
}
