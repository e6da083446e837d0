//! Module in a nested file.

/// Mode of operation.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, genclient::CrdSchema)]
pub enum Mode {
    Fast,
    Slow,
}
