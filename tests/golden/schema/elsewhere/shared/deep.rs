//! A file below another.

/// How it runs.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, genclient::CrdSchema)]
pub enum Mode {
    Fast,
    Slow,
}
