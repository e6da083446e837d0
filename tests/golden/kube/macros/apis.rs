//! Kinds that a macro makes, which the manifest states.

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
            /// Its length.
            pub length: u32,
        }
    };
}

/// How tight it is.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct BoltStatus {
    /// In newton metres.
    pub torque: u32,
}

part!(BoltSpec, "Bolt", "BoltStatus");
part!(NutSpec, "Nut");
