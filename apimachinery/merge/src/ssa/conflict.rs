//! [`WriteFailure`]: conflicts with other managers, or another error in computing managed fields.

use genclient_apimachinery::field;
use genclient_apimachinery::fieldpath::{PathElement, format_path};
use genclient_apimachinery::go;

use super::field_manager::ConversionError;
use super::managers::{ManagerIdentity, ManagerOperation};

/// Field that another manager owns.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) owner: ManagerIdentity,
    pub(super) path: Vec<PathElement>,
}

/// Returns the message of the 409 response that reports these conflicts.
///
/// Source: apimachinery, pkg/util/managedfields/internal/conflict.go.
pub(super) fn conflict_message(conflicts: &[Conflict]) -> String {
    if let [only] = conflicts {
        let (owner, path) = (describe_owner(&only.owner), format_path(&only.path));
        return format!("Apply failed with 1 conflict: conflict with {owner}: {path}");
    }
    let mut message = format!("Apply failed with {} conflicts: ", conflicts.len());
    let mut last: Option<&ManagerIdentity> = None;
    for conflict in conflicts {
        if last != Some(&conflict.owner) {
            message.push_str(if last.is_some() { "\n" } else { "" });
            message.push_str(&format!(
                "conflicts with {}:",
                describe_owner(&conflict.owner)
            ));
        }
        last = Some(&conflict.owner);
        message.push_str(&format!("\n- {}", format_path(&conflict.path)));
    }
    message
}

/// Returns the causes of the 409 response, one for each conflict.
pub(super) fn conflict_causes(conflicts: &[Conflict]) -> field::ErrorList {
    let cause = |conflict: &Conflict| field::Error {
        field: format_path(&conflict.path),
        reason: "FieldManagerConflict",
        message: format!("conflict with {}", describe_owner(&conflict.owner)),
    };
    conflicts.iter().map(cause).collect()
}

/// Describes a manager: `"kubectl-edit" with subresource "status" using apps/v1`
/// (`printManager`).
fn describe_owner(owner: &ManagerIdentity) -> String {
    let mut text = go::quoted(&owner.manager);
    if !owner.subresource.is_empty() {
        text.push_str(&format!(
            " with subresource {}",
            go::quoted(&owner.subresource)
        ));
    }
    if owner.operation == ManagerOperation::Update {
        text.push_str(&format!(" using {}", owner.api_version));
    }
    text
}

/// Failure to compute managed fields.
#[derive(Clone, Debug)]
pub(super) enum WriteFailure {
    /// Conflicts with other managers, sorted by owner.
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

/// Returns the converted value, or `None` if the version does not exist. The message of any other
/// error begins with `context`.
pub(super) fn if_version_exists<T>(
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
