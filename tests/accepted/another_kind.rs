//! Deserialization accepts absent `apiVersion` and `kind`, and refuses those of another kind.
use genclient::prelude::*;

#[genclient(version = "v1")]
#[group = "falldio.com"]
pub struct GPUTask {
    #[serde(default)]
    pub metadata: ObjectMeta,
}

#[test]
fn kind_and_api_version_of_another_kind_are_refused() {
    for right in [
        r#"{}"#,
        r#"{"kind":"GPUTask"}"#,
        r#"{"apiVersion":"falldio.com/v1"}"#,
    ] {
        assert!(serde_json::from_str::<GPUTask>(right).is_ok(), "{right}");
    }
    for wrong in [
        r#"{"kind":"Pod"}"#,
        r#"{"apiVersion":"v1"}"#,
        r#"{"apiVersion":"falldio.com/v2","kind":"GPUTask"}"#,
    ] {
        assert!(serde_json::from_str::<GPUTask>(wrong).is_err(), "{wrong}");
    }
}
