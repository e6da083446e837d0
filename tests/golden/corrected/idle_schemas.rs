//! Schemas in Cargo.toml under the paths that fields use.

pub mod v1 {
    use genclient::prelude::*;
    use semver::Version;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub version: Version,
        pub used: semver::VersionReq,
        pub mistake: Missing,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Missing {
        pub name: String,
    }
}
