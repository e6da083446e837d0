//! Version `v1` of the group `example.com`.

use genclient::prelude::*;

/// A cats.
#[genclient]
#[group = "example.com"]
pub struct Cat {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CatSpec>,
}

/// Fields of `.spec` in `Cat`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatSpec {
    /// A name that Rust has already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<SpecOption>,

    /// How it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<CatSpecPolicy>,

    /// Whether it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_probe: Option<Probe>,

    /// A word of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_: Option<String>,

    /// Another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,

    /// Whether it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_probe: Option<Probe>,

    /// No name of the language.
    #[serde(rename = "x-2fa", default, skip_serializing_if = "Option::is_none")]
    pub x_2fa: Option<bool>,
}

/// Fields of `.spec.option` in `Cat`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct SpecOption {
    /// The first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,

    /// The second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
}

/// Values of `.spec.policy` in `Cat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum CatSpecPolicy {
    /// The value `Always`.
    Always,

    /// The value `Never`.
    Never,
}

/// Fields of `.spec.readProbe` in `Cat`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Probe {
    /// Where it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,

    /// The port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}

/// A dogs.
#[genclient]
#[group = "example.com"]
pub struct Dog {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<DogSpec>,
}

/// Fields of `.spec` in `Dog`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct DogSpec {
    /// A name that Rust has already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<SpecOption>,

    /// How it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<DogSpecPolicy>,

    /// Whether it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_probe: Option<Probe>,

    /// A word of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_: Option<String>,

    /// Another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,

    /// Whether it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_probe: Option<Probe>,

    /// No name of the language.
    #[serde(rename = "x-2fa", default, skip_serializing_if = "Option::is_none")]
    pub x_2fa: Option<bool>,
}

/// Values of `.spec.policy` in `Dog`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum DogSpecPolicy {
    /// The value `+`.
    #[serde(rename = "+")]
    Plus,

    /// The value `*`.
    #[serde(rename = "*")]
    Any,

    /// The value `2xx`.
    #[serde(rename = "2xx")]
    V2xx,
}
