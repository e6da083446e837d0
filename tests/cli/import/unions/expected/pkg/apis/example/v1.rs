//! Version `v1` of the group `example.com`.

#![allow(
    clippy::large_enum_variant,
    reason = "descriptions, names and types are those of the CRD"
)]

use std::collections::BTreeMap;

use genclient::prelude::*;
use k8s_openapi::api::core::v1::SecretKeySelector;

/// A copy of files.
#[genclient]
#[group = "example.com"]
#[kind = "Sync"]
pub struct SyncObject {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: SyncSpec,
}

/// Fields of `.spec` in `Sync`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct SyncSpec {
    /// Another property is beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,

    /// One may be null, and one has a default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<Optional>,

    /// Where the files are.
    pub source: Source,

    /// Where they are copied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(max_items = 8)]
    pub targets: Option<Vec<Target>>,
}

/// Fields of `.spec.beside` in `Sync`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(one_of = [{ "required": ["day"] }, { "required": ["hour"] }])]
pub struct Beside {
    /// Once a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,

    /// Once an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<String>,

    /// In this time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// Fields of `.spec.optional` in `Sync`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(one_of = [{ "required": ["left"] }, { "required": ["right"] }])]
pub struct Optional {
    /// To the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(nullable)]
    pub left: Option<String>,

    /// To the right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "far")]
    pub right: Option<String>,
}

/// Alternatives of `.spec.source` in `Sync`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
#[crd(validation(
    rule = "has(self.s3) == has(oldSelf.s3)",
    message = "the source cannot change"
))]
pub enum Source {
    /// In a bucket.
    S3(S3),

    /// In a repository.
    GitRepository(GitRepository),

    /// Here.
    #[serde(rename = "in-line")]
    InLine(
        #[crd(max_properties = 16, values(max_length = 100))]
        BTreeMap<String, String>,
    ),
}

/// Fields of `.spec.source.s3` in `Sync`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct S3 {
    /// Its name.
    pub bucket: String,

    /// Of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// Fields of `.spec.source.gitRepository` in `Sync`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct GitRepository {
    /// Its address.
    pub url: String,
}

/// ---
/// Alternatives of `.spec.targets` in `Sync`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A key of a Secret.
    Secret(SecretKeySelector),

    /// A port.
    Port(#[crd(minimum = 1, maximum = 65535)] i32),

    /// Hosts.
    Names(
        #[crd(
            min_items = 1,
            max_items = 16,
            list_type = "set",
            items(
                min_length = 1,
                max_length = 63,
                pattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$"
            )
        )]
        Vec<String>,
    ),
}
