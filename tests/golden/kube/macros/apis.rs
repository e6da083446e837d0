//! Stated kinds: a macro generates the types, and the manifest describes the kinds.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! part {
    ($spec:ident, $kind:literal $(, $status:literal)?) => {
        #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
        #[kube(
            group = "macros.example.com",
            version = "v1",
            kind = $kind,
            $(status = $status,)?
            namespaced
        )]
        pub struct $spec {
            /// Length of the part.
            pub length: u32,
        }
    };
}

/// Observed state of a bolt.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct BoltStatus {
    /// Torque in newton metres.
    pub torque: u32,
}

part!(BoltSpec, "Bolt", "BoltStatus");
part!(NutSpec, "Nut");
