//! Managed fields of write requests: [`update()`] and [`apply()`] (apimachinery,
//! pkg/util/managedfields/internal/fieldmanager.go and the managers that it chains).

use std::borrow::Cow;
use std::fmt;

use genclient_apimachinery::field;
use serde_json::Value;

use super::cap_managers::merge_oldest_updates;
use super::conflict::{self, WriteFailure};
use super::field_manager::{FieldManager, TypedError};
use super::group_version::{GroupVersionKind, describe_object};
use super::last_applied;
use super::managers::{
    self, Manager, ManagerIdentity, ManagerOperation, Managers, decode_managers, encode_managers,
    is_reset,
};
use super::strip::{strip_entry, without_unowned_fields};
use super::typed::Duplicates;
use super::update::{self, TypedApply};

/// Manager that gets all existing fields on the first apply to an object without entries.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Manager that sends a write, and the time of the write.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Name of the manager. If it is empty, entries are named `unknown`.
    pub manager: &'a str,
    /// Time of the write, such as `2026-01-01T00:00:00Z`.
    pub now: &'a str,
}

impl Writer<'_> {
    fn identity(&self, kind: &FieldManager, operation: ManagerOperation) -> ManagerIdentity {
        let manager = match self.manager {
            "" => "unknown",
            manager => manager,
        };
        ManagerIdentity::new(manager, operation, &kind.api_version, &kind.subresource)
    }
}

/// Failure of an apply, by the response that the server gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyFailure {
    /// 400 `BadRequest`.
    BadRequest(String),
    /// 409 `Conflict`.
    Conflict {
        /// Message of the response.
        message: String,
        /// A cause for each field, in the order of the message.
        causes: field::ErrorList,
    },
    /// 500 without a reason.
    Internal(String),
}

impl fmt::Display for ApplyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(message)
            | Self::Conflict { message, .. }
            | Self::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ApplyFailure {}

/// Sets the managed fields of `new`, the object that a create or update (not an apply) will store.
/// `live` is the object before the write, or `None` for a create.
///
/// If `new` has entries that can be decoded, they replace those of `live`. An empty list, or one
/// empty entry (`[{}]`), drops all entries. At a subresource, the entries of `new` are ignored. If
/// no entries remain, the update of an existing object adds none. If the changes cannot be
/// computed, for example because an object does not match its type, `new` loses all entries.
///
/// Source: apimachinery, pkg/util/managedfields/internal/fieldmanager.go, `UpdateNoErrors`.
pub fn update(kind: &FieldManager, live: Option<&Value>, new: &mut Value, writer: Writer<'_>) {
    let live = live.unwrap_or(&kind.empty);
    let mut managers = entries_before_update(kind, live, new);
    managers::set_managed_fields(new, None);
    // Without entries, fields are recorded from the creation or from the first apply on, but not
    // from an update in between (skipnonapplied.go).
    let created = !has_uid(live);
    if managers.entries.is_empty() && !created {
        return;
    }
    // On an error, `new` remains without entries, and the message is lost: kube-apiserver only logs
    // it (`UpdateNoErrors`).
    if own_changed_fields(kind, live, new, &mut managers, writer).is_ok()
        && let Ok(entries) = encode_managers(&managers)
    {
        managers::set_managed_fields(new, entries);
    }
}

fn has_uid(object: &Value) -> bool {
    let uid = object
        .get("metadata")
        .and_then(|metadata| metadata.get("uid"));
    uid.and_then(Value::as_str)
        .is_some_and(|uid| !uid.is_empty())
}

/// Returns the entries before the changes of an update: those of `new`, or else those of `live`
/// (`decodeLiveOrNew`). A client that does not know managed fields sends none, and must not delete
/// them by that.
fn entries_before_update(kind: &FieldManager, live: &Value, new: &Value) -> Managers {
    let of_live = || {
        let listed = managers::listed_entries(live).unwrap_or_default();
        decode_managers(&listed).unwrap_or_default()
    };
    if !kind.subresource.is_empty() {
        return of_live();
    }
    let Some(listed) = managers::listed_entries(new) else {
        return of_live();
    };
    if is_reset(&listed) {
        return Managers::default();
    }
    decode_managers(&listed)
        .ok()
        .filter(|managers| !managers.entries.is_empty())
        .unwrap_or_else(of_live)
}

/// Makes the writer the owner of the changed fields, and limits the number of entries
/// (`structuredMergeManager.Update`, buildmanagerinfo.go, capmanagers.go).
fn own_changed_fields(
    kind: &FieldManager,
    live: &Value,
    new: &Value,
    managers: &mut Managers,
    writer: Writer<'_>,
) -> Result<(), String> {
    let typed = |object| {
        let typed = kind.typed(
            managers::without_managed_fields(object),
            Duplicates::Allowed,
        );
        typed.map_err(|error| format!("({}) to smd typed: {error}", describe_object(object)))
    };
    let new_typed = typed(new).map_err(|error| format!("failed to convert new object {error}"))?;
    let live = typed(live).map_err(|error| format!("failed to convert live object {error}"))?;
    let changed = update::update(kind, &live, &new_typed, managers).map_err(|error| {
        let described = describe_object(new);
        match error {
            WriteFailure::Internal(error) => {
                format!("failed to update ManagedFields ({described}): {error}")
            }
            // An update takes the fields from all other managers, so it has no conflicts.
            WriteFailure::Conflicts(_) => String::new(),
        }
    })?;
    let changed = without_unowned_fields(&changed);
    if !changed.is_empty() {
        let identity = writer.identity(kind, ManagerOperation::Update);
        let before = managers.get(&identity);
        let set = before.map(|before| changed.union(&before.set));
        managers.put(Manager {
            set: set.unwrap_or(changed),
            api_version: kind.api_version.clone(),
            identity: identity.clone(),
        });
        managers.set_time(&identity, Some(writer.now));
    }
    merge_oldest_updates(managers);
    Ok(())
}

/// Applies a configuration to `live`, or creates an object if `live` is `None`. Returns the new
/// object, still without defaults. Returns `None` if the apply changes neither the object nor the
/// ownership of its fields.
///
/// # Errors
///
/// - `BadRequest` if the configuration is of another kind or has managed fields.
/// - `Conflict` if the configuration changes fields of other managers and `force` is not set.
/// - `Internal` if the configuration does not match its type, the live object or its managed fields
///   are invalid, or a conversion fails.
///
/// Source: apimachinery, pkg/util/managedfields/internal/fieldmanager.go, `Apply`.
pub fn apply(
    kind: &FieldManager,
    live: Option<&Value>,
    applied: &Value,
    writer: Writer<'_>,
    force: bool,
) -> Result<Option<Value>, ApplyFailure> {
    let live = live.unwrap_or(&kind.empty);
    let listed = managers::listed_entries(live).unwrap_or_default();
    let managers = decode_managers(&listed).map_err(|error| {
        ApplyFailure::Internal(format!("failed to decode managed fields: {error}"))
    })?;
    let expected = GroupVersionKind::new(&kind.api_version, &kind.kind);
    let found = GroupVersionKind::from_object(applied);
    if found != expected {
        return Err(ApplyFailure::BadRequest(format!(
            "invalid object type: {found}"
        )));
    }
    let apply = Apply {
        kind,
        live,
        applied,
        writer,
    };
    let (object, managers) = apply.apply_or_force_kubectl(managers, force)?;
    let annotation = match writer.manager {
        last_applied::KUBECTL_MANAGER => {
            last_applied::renew_annotation(object.as_ref().unwrap_or(live), applied)
        }
        _ => None,
    };
    let entries = encode_managers(&managers).map_err(|_| {
        let error = "failed to encode managed fields: failed to convert back managed fields to API";
        ApplyFailure::Internal(error.to_owned())
    })?;
    let before = live
        .get("metadata")
        .and_then(|metadata| metadata.get("managedFields"));
    if object.is_none() && annotation.is_none() && entries.as_ref() == before {
        return Ok(None);
    }
    let mut object = object.unwrap_or_else(|| live.clone());
    if let Some(annotation) = annotation {
        last_applied::apply_renewal(&mut object, annotation);
    }
    managers::set_managed_fields(&mut object, entries);
    Ok((object != *live).then_some(object))
}

/// Request to apply a configuration.
#[derive(Clone, Copy)]
struct Apply<'a> {
    kind: &'a FieldManager,
    /// The object before the apply.
    live: &'a Value,
    /// The applied configuration.
    applied: &'a Value,
    writer: Writer<'a>,
}

/// The new object, or `None` if it is the live one, and the managers after the apply.
type Applied = (Option<Value>, Managers);

impl Apply<'_> {
    /// Applies the configuration. An apply by `kubectl` is forced if it conflicts only on fields
    /// that still have the value of the last client-side apply (lastappliedmanager.go).
    fn apply_or_force_kubectl(
        self,
        managers: Managers,
        force: bool,
    ) -> Result<Applied, ApplyFailure> {
        if self.writer.manager != last_applied::KUBECTL_MANAGER {
            return self
                .apply_once(managers, force)
                .map_err(ApplyAttemptError::into_failure);
        }
        let conflicts = match self.apply_once(managers.clone(), force) {
            Ok(applied) => return Ok(applied),
            Err(ApplyAttemptError::Failure(error)) => return Err(error),
            Err(ApplyAttemptError::Conflicts(conflicts)) => conflicts,
        };
        match last_applied::remaining_conflicts(self.kind, self.live, &conflicts) {
            Some(remaining) if remaining.is_empty() => self
                .apply_once(managers, true)
                .map_err(ApplyAttemptError::into_failure),
            // Without a usable annotation, all conflicts are reported.
            remaining => {
                let conflicts = remaining.unwrap_or(conflicts);
                Err(ApplyAttemptError::Conflicts(conflicts).into_failure())
            }
        }
    }

    /// Applies the configuration with or without force (`structuredMergeManager.Apply`).
    fn apply_once(self, mut managers: Managers, force: bool) -> Result<Applied, ApplyAttemptError> {
        if managers.entries.is_empty() {
            self.own_existing_fields(&mut managers)?;
        }
        let Self {
            kind,
            live,
            applied,
            writer,
        } = self;
        if managers::listed_entries(applied).is_some() {
            let error = "metadata.managedFields must be nil".to_owned();
            return Err(ApplyAttemptError::Failure(ApplyFailure::BadRequest(error)));
        }
        let patch = kind
            .typed(Cow::Borrowed(applied), Duplicates::Refused)
            .map_err(|error| typed_object_error("patch", applied, &error))?;
        let live = kind
            .typed(managers::without_managed_fields(live), Duplicates::Allowed)
            .map_err(|error| typed_object_error("live", live, &error))?;
        let identity = writer.identity(kind, ManagerOperation::Apply);
        let apply = TypedApply {
            kind,
            live: &live,
            applied: &patch,
            applier: &identity,
            force,
        };
        let object = update::apply(apply, &mut managers)?;
        if object.is_some() && kind.fails_applies {
            return Err(ApplyAttemptError::internal(
                kind.conversion_error("new", applied),
            ));
        }
        strip_entry(&mut managers, &identity);
        // An apply that changes nothing keeps the time of its entry (managedfieldsupdater.go).
        if object.is_some() {
            managers.set_time(&identity, Some(writer.now));
        }
        Ok((object, managers))
    }

    /// Gives all fields of the live object to the manager [`BEFORE_FIRST_APPLY`], as if it had
    /// created the object (skipnonapplied.go). Otherwise the apply would find fields without an
    /// owner, and change them without a conflict.
    fn own_existing_fields(self, managers: &mut Managers) -> Result<(), ApplyAttemptError> {
        let kind = self.kind;
        let owned = if kind.fails_applies {
            Err(kind.conversion_error("live", &kind.empty))
        } else {
            let writer = Writer {
                manager: BEFORE_FIRST_APPLY,
                ..self.writer
            };
            own_changed_fields(kind, &kind.empty, self.live, managers, writer)
        };
        owned.map_err(|error| {
            ApplyAttemptError::internal(format!(
                "failed to create manager for existing fields: {error}"
            ))
        })
    }
}

/// Error of [`Apply::apply_once`]. After conflicts, a second attempt with force may succeed.
enum ApplyAttemptError {
    Conflicts(Vec<conflict::Conflict>),
    Failure(ApplyFailure),
}

impl ApplyAttemptError {
    fn into_failure(self) -> ApplyFailure {
        match self {
            Self::Failure(error) => error,
            Self::Conflicts(conflicts) => ApplyFailure::Conflict {
                message: conflict::conflict_message(&conflicts),
                causes: conflict::conflict_causes(&conflicts),
            },
        }
    }

    fn internal(error: String) -> Self {
        Self::Failure(ApplyFailure::Internal(error))
    }
}

impl From<WriteFailure> for ApplyAttemptError {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Conflicts(conflicts) => Self::Conflicts(conflicts),
            WriteFailure::Internal(error) => Self::internal(error),
        }
    }
}

fn typed_object_error(which: &str, object: &Value, error: &TypedError) -> ApplyAttemptError {
    let described = describe_object(object);
    ApplyAttemptError::internal(format!(
        "failed to create typed {which} object ({described}): {error}"
    ))
}
