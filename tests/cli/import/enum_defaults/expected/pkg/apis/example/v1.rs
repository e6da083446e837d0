//! Version `v1` of the group `example.com`.

use genclient::prelude::*;

/// A backup.
#[genclient]
#[group = "example.com"]
pub struct Backup {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    #[crd(required, default = { "store": { "mode": "Fast" } })]
    pub spec: BackupSpec,
}

/// Fields of `.spec` in `Backup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct BackupSpec {
    /// Two places with different defaults share a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<First>,

    /// The default of the field itself counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = { "policy": "Always" })]
    pub keep: Option<Keep>,

    /// Two places with different defaults share a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Second>,

    /// The default of a list says nothing of its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = [{ "when": "Before" }])]
    pub steps: Option<Vec<Step>>,

    /// Two levels below the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<Store>,
}

/// Fields of `.spec.first` in `Backup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct First {
    /// How much is logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "Low")]
    pub level: Option<Level>,

    /// Of what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// Values of `.spec.first.level` in `Backup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum Level {
    /// The value `Low`.
    Low,

    /// The value `High`.
    High,
}

/// Fields of `.spec.keep` in `Backup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Keep {
    /// How many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub many: Option<i32>,

    /// When they are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "Never")]
    pub policy: Option<Policy>,
}

/// Values of `.spec.keep.policy` in `Backup`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum Policy {
    /// The value `Always`.
    Always,

    /// The value `Never`.
    #[default]
    Never,
}

/// Fields of `.spec.second` in `Backup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Second {
    /// How much is logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "High")]
    pub level: Option<Level>,

    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// ---
/// Fields of `.spec.steps` in `Backup`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Step {
    /// What runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,

    /// When it runs.
    pub when: When,
}

/// Values of `.spec.steps.when` in `Backup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum When {
    /// The value `Before`.
    Before,

    /// The value `After`.
    After,
}

/// Fields of `.spec.store` in `Backup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Store {
    /// Which bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,

    /// How it is written.
    pub mode: Mode,
}

/// Values of `.spec.store.mode` in `Backup`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum Mode {
    /// The value `Slow`.
    Slow,

    /// The value `Fast`.
    #[default]
    Fast,
}
