//! [`WriteFailure`]: failure to compute managed fields.

use super::conflict::Conflict;
use super::kind::ConversionError;

/// Failure to compute managed fields.
#[derive(Clone, Debug)]
pub(super) enum WriteFailure {
    /// Sorted by owner.
    Conflicts(Vec<Conflict>),
    Internal(String),
}

impl WriteFailure {
    pub(super) fn context(self, context: &str) -> Self {
        match self {
            Self::Internal(error) => Self::Internal(format!("{context}: {error}")),
            conflicts => conflicts,
        }
    }
}

/// Returns the result of a conversion, or `None` if the version does not exist.
pub(super) fn unless_gone<T>(
    converted: Result<T, ConversionError>,
    context: &str,
) -> Result<Option<T>, WriteFailure> {
    match converted {
        Ok(converted) => Ok(Some(converted)),
        Err(ConversionError::NoSuchVersion) => Ok(None),
        Err(ConversionError::Failed(error)) => {
            Err(WriteFailure::Internal(format!("{context}{error}")))
        }
    }
}
