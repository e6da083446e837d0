//! A schema that is stated for a type, under a path that no field has.

pub mod v1 {
    use genclient::prelude::*;
    use semver::Version;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub version: Version,
        pub used: semver::VersionReq,
        /// Without a stated schema it has none.
        pub mistake: Missing,
    }
}
