//! [`WriteFailure`]: why managed fields cannot be worked out.

use super::conflict::Conflict;
use super::kind::ConversionError;

/// Why a write fails.
#[derive(Clone, Debug)]
pub(super) enum WriteFailure {
    /// Sorted by their owners.
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

/// What became of a conversion to a version that may be gone.
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
