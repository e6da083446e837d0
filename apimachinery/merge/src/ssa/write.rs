//! Managed fields of write requests: [`update()`] and [`apply`].

use std::borrow::Cow;
use std::fmt;

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use super::ancient::merge_oldest;
use super::conflict::{self, WriteFailure};
use super::group_version::{GroupKind, described};
use super::kind::{Endpoint, TypedError};
use super::last_applied;
use super::managers::{
    self, Manager, ManagerIdentity, ManagerOperation, Managers, decode, encode, is_reset,
};
use super::strip::{strip, stripped};
use super::typed::Duplicates;
use super::update::{self};

/// Field manager that sends a write, and the time of the write.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Name of the field manager. If it is empty, entries are named `unknown`.
    pub manager: &'a str,
    /// Time of the write, such as `2026-01-01T00:00:00Z`.
    pub now: &'a str,
}

impl Writer<'_> {
    fn identity(&self, kind: &Endpoint, operation: ManagerOperation) -> ManagerIdentity {
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
        causes: Vec<Cause>,
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
pub fn update(kind: &Endpoint, live: Option<&Value>, new: &mut Value, writer: Writer<'_>) {
    let live = live.unwrap_or(&kind.empty);
    let mut managers = live_or_new(kind, live, new);
    managers::put(new, None);
    let created = !has_uid(live);
    if managers.entries.is_empty() && !created {
        return;
    }
    let updated = updated(kind, live, new, &mut managers, writer);
    if let Ok(Ok(entries)) = updated.map(|()| encode(&managers)) {
        managers::put(new, entries);
    }
}

fn has_uid(object: &Value) -> bool {
    let uid = object
        .get("metadata")
        .and_then(|metadata| metadata.get("uid"));
    uid.and_then(Value::as_str)
        .is_some_and(|uid| !uid.is_empty())
}

/// Returns the entries before the changes of an update: those of `new`, or else those of `live`.
fn live_or_new(kind: &Endpoint, live: &Value, new: &Value) -> Managers {
    let of_live = || {
        let listed = managers::listed(live).unwrap_or_default();
        decode(&listed).unwrap_or_default()
    };
    if !kind.subresource.is_empty() {
        return of_live();
    }
    let Some(listed) = managers::listed(new) else {
        return of_live();
    };
    if is_reset(&listed) {
        return Managers::default();
    }
    let sent = decode(&listed)
        .ok()
        .filter(|managers| !managers.entries.is_empty());
    sent.unwrap_or_else(of_live)
}

/// Makes the writer the owner of the changed fields, and limits the number of entries.
fn updated(
    kind: &Endpoint,
    live: &Value,
    new: &Value,
    managers: &mut Managers,
    writer: Writer<'_>,
) -> Result<(), String> {
    let typed = |object| {
        let typed = kind.typed(managers::with_empty_list(object), Duplicates::Allowed);
        typed.map_err(|error| format!("({}) to smd typed: {error}", described(object)))
    };
    let new_typed = typed(new).map_err(|error| format!("failed to convert new object {error}"))?;
    let live = typed(live).map_err(|error| format!("failed to convert live object {error}"))?;
    let changed = update::update(kind, &live, &new_typed, managers).map_err(|error| {
        let (WriteFailure::Internal(error), described) = (error, described(new)) else {
            return String::new();
        };
        format!("failed to update ManagedFields ({described}): {error}")
    })?;
    let changed = stripped(&changed);
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
    merge_oldest(managers);
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
    kind: &Endpoint,
    live: Option<&Value>,
    applied: &Value,
    writer: Writer<'_>,
    force: bool,
) -> Result<Option<Value>, ApplyFailure> {
    let live = live.unwrap_or(&kind.empty);
    let listed = managers::listed(live).unwrap_or_default();
    let managers = decode(&listed).map_err(|error| {
        ApplyFailure::Internal(format!("failed to decode managed fields: {error}"))
    })?;
    let expected = GroupKind::new(&kind.api_version, &kind.kind);
    let found = GroupKind::of(applied);
    if found != expected {
        return Err(ApplyFailure::BadRequest(format!(
            "invalid object type: {found}"
        )));
    }
    let (object, managers) = migrated(kind, live, applied, managers, writer, force)?;
    let annotation = match writer.manager {
        last_applied::MANAGER => last_applied::renewed(object.as_ref().unwrap_or(live), applied),
        _ => None,
    };
    let entries = encode(&managers).map_err(|_| {
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
        last_applied::set(&mut object, annotation);
    }
    managers::put(&mut object, entries);
    Ok((object != *live).then_some(object))
}

/// Applies a configuration. An apply by `kubectl` is forced if it conflicts only on fields that
/// still have the value of the last client-side apply.
fn migrated(
    kind: &Endpoint,
    live: &Value,
    applied: &Value,
    managers: Managers,
    writer: Writer<'_>,
    force: bool,
) -> Result<(Option<Value>, Managers), ApplyFailure> {
    if writer.manager != last_applied::MANAGER {
        let done = applied_by(kind, live, applied, managers, writer, force);
        return done.map_err(Unapplied::into_answer);
    }
    let conflicts = match applied_by(kind, live, applied, managers.clone(), writer, force) {
        Ok(done) => return Ok(done),
        Err(Unapplied::Answer(error)) => return Err(error),
        Err(Unapplied::Conflicts(conflicts)) => conflicts,
    };
    match last_applied::remaining(kind, live, &conflicts) {
        Some(none) if none.is_empty() => {
            let done = applied_by(kind, live, applied, managers, writer, true);
            done.map_err(Unapplied::into_answer)
        }
        remaining => Err(Unapplied::Conflicts(remaining.unwrap_or(conflicts)).into_answer()),
    }
}

/// Failure of an apply. If it consists of conflicts, a second try with `force` may succeed.
enum Unapplied {
    Conflicts(Vec<conflict::Conflict>),
    Answer(ApplyFailure),
}

impl Unapplied {
    fn into_answer(self) -> ApplyFailure {
        match self {
            Self::Answer(error) => error,
            Self::Conflicts(conflicts) => ApplyFailure::Conflict {
                message: conflict::message(&conflicts),
                causes: conflict::causes(&conflicts),
            },
        }
    }

    fn internal(error: String) -> Self {
        Self::Answer(ApplyFailure::Internal(error))
    }
}

impl From<WriteFailure> for Unapplied {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Conflicts(conflicts) => Self::Conflicts(conflicts),
            WriteFailure::Internal(error) => Self::internal(error),
        }
    }
}

/// Manager that gets all existing fields on the first apply to an object without entries.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

fn applied_by(
    kind: &Endpoint,
    live: &Value,
    applied: &Value,
    mut managers: Managers,
    writer: Writer<'_>,
    force: bool,
) -> Result<(Option<Value>, Managers), Unapplied> {
    if managers.entries.is_empty() {
        let manager = BEFORE_FIRST_APPLY;
        let writer = Writer { manager, ..writer };
        let before = if kind.fails_applies {
            Err(kind.unreadable("live", &kind.empty))
        } else {
            updated(kind, &kind.empty, live, &mut managers, writer)
        };
        before.map_err(|error| {
            Unapplied::internal(format!(
                "failed to create manager for existing fields: {error}"
            ))
        })?;
    }
    if managers::listed(applied).is_some() {
        let error = "metadata.managedFields must be nil".to_owned();
        return Err(Unapplied::Answer(ApplyFailure::BadRequest(error)));
    }
    let patch = kind
        .typed(Cow::Borrowed(applied), Duplicates::Refused)
        .map_err(|error| mistyped("patch", applied, &error))?;
    let typed = kind.typed(managers::with_empty_list(live), Duplicates::Allowed);
    let live = typed.map_err(|error| mistyped("live", live, &error))?;
    let identity = writer.identity(kind, ManagerOperation::Apply);
    let object = update::apply(kind, &live, &patch, &mut managers, &identity, force)?;
    if object.is_some() && kind.fails_applies {
        return Err(Unapplied::internal(kind.unreadable("new", applied)));
    }
    strip(&mut managers, &identity);
    if object.is_some() {
        managers.set_time(&identity, Some(writer.now));
    }
    Ok((object, managers))
}

fn mistyped(which: &str, object: &Value, error: &TypedError) -> Unapplied {
    let described = described(object);
    Unapplied::internal(format!(
        "failed to create typed {which} object ({described}): {error}"
    ))
}
