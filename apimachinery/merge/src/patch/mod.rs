//! JSON merge patch, JSON patch and strategic merge patch, as functions without side effects.
//!
//! The server decodes and writes the result of a patch like the body of an update.
//!
//! Source: k8s.io/apiserver/pkg/endpoints/handlers, patch.go.

mod json;
mod merge;
mod node;
mod pointer;
mod strategic;

use genclient_apimachinery::go;
use serde_json::Value;

pub use json::{count_operations, json_patch, json_patch_of_webhook, unknown_members};
pub use merge::merge_patch;
pub use strategic::{LookupPatchMeta, PatchMeta, strategic_merge_patch};

/// Error of a patch, with the Status that the server responds with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatchError {
    /// HTTP status code.
    pub code: u16,
    /// Reason of the Status, which may be empty.
    pub reason: &'static str,
    /// Message of the Status.
    pub message: String,
}

impl PatchError {
    /// 400: the patch is malformed.
    fn bad_request(message: impl Into<String>) -> Self {
        Self {
            code: 400,
            reason: "BadRequest",
            message: message.into(),
        }
    }

    /// 422 without details: the patch cannot be applied.
    fn unprocessable() -> Self {
        Self {
            code: 422,
            reason: "Invalid",
            message: "the server rejected our request due to an error in our request".to_owned(),
        }
    }

    /// 500: a value in the patch has another type than `expected` (`ErrBadArgType`).
    fn bad_type(expected: &str, found: &Value) -> Self {
        let found = match found {
            Value::Null => "%!s(<nil>)",
            found => go::type_name(found),
        };
        Self::internal(format!("expected a {expected}, but received a {found}"))
    }

    /// 413: the patch exceeds a limit.
    fn too_large(message: &str) -> Self {
        Self {
            code: 413,
            reason: "RequestEntityTooLarge",
            message: format!("Request entity too large: {message}"),
        }
    }

    /// Returns a 500 without a reason: an unexpected error of the server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            code: 500,
            reason: "",
            message: message.into(),
        }
    }
}
