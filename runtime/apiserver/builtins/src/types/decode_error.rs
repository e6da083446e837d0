//! Type errors with the messages of Go's decoder, and the position at which they occur.

use super::GoType;

/// Error of a value that does not match its Go type, with the message of Go's decoder.
///
/// In a response, a text such as
/// `Deployment in version "v1" cannot be handled as a Deployment: ` precedes the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(pub String);

/// Position of the decoder, for error messages. Type errors name the struct `owner` and all
/// `fields` from the root. Errors about unknown fields name the `path`, which also has list indices
/// and map keys.
#[derive(Default)]
pub(super) struct DecodePosition {
    pub(super) owner: &'static str,
    pub(super) fields: Vec<String>,
    pub(super) path: String,
}

impl DecodePosition {
    /// Returns the error for a JSON value `found` where Go expects `type_` (`UnmarshalTypeError`).
    pub(super) fn wrong_type(&self, found: &str, type_: GoType) -> DecodeError {
        self.wrong(found, &type_.printed())
    }

    pub(super) fn wrong(&self, found: &str, type_: &str) -> DecodeError {
        let into = match self.owner {
            "" => "value".to_owned(),
            owner => format!("struct field {owner}.{}", self.fields.join(".")),
        };
        DecodeError(format!(
            "json: cannot unmarshal {found} into Go {into} of type {type_}"
        ))
    }

    /// Appends a field name or a map key to the path. Returns the previous length, to which the
    /// caller later truncates the path.
    pub(super) fn enter(&mut self, key: &str) -> usize {
        let before = self.path.len();
        if before > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        before
    }

    pub(super) fn enter_index(&mut self, index: usize) -> usize {
        let before = self.path.len();
        self.path.push_str(&format!("[{index}]"));
        before
    }

    /// Returns the path of a member of the current object.
    pub(super) fn member(&self, key: &str) -> String {
        match &*self.path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }
}
