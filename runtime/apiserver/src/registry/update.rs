//! PUT of an object, of a subresource with the same kind, such as its status, or of the finalizers
//! of a namespace.
//!
//! [`replace`] and [`replace_mutated`] are also the last steps of PATCH and of scale writes:
//! checks, admission and the commit.

use std::num::IntErrorKind;
use std::sync::Arc;

use genclient_apimachinery::field::Cause;
use genclient_builtins::types::quoted;
use genclient_merge::ssa;
use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use serde_json::{Value, json};

use super::pipeline::Write;
use super::{create, deletion, response};
use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::metadata;
use crate::numbers;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::State;
use crate::stored::Stored;

/// Replaces the object by the one in the body.
pub(super) async fn update(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = response::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    if request.target.name.is_empty() {
        return Err(Failure::bad_request("name must be provided"));
    }
    let decoded = request.object()?;
    let write = Write::new(server, request, &options, view);
    let mut sent = write.read(decoded)?;
    request.check_place(&mut sent)?;
    let is_unconditional = metadata::text(&sent, "resourceVersion").is_empty();
    let (code, stored) = loop {
        match update_once(server, request, &write, sent.clone()).await {
            Err(failure) if failure.is_raced && is_unconditional => {}
            written => break written?,
        }
    };
    write.answer(code, &stored).await
}

/// Updates the live object, without a retry after a concurrent write. If there is no live object
/// and the kind allows creation by PUT, creates the object.
async fn update_once(
    server: &Arc<State>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<(u16, Arc<Stored>), Failure> {
    let kind = &request.kind;
    let live = server.store.get(&kind.resource, &request.key());
    let creates = kind.flags.create_on_update && request.target.subresource.is_empty();
    if live.is_none() && creates {
        let uid = metadata::text(&object, "uid");
        if !uid.is_empty() {
            return Err(wrong_uid(write, uid, ""));
        }
        let stored = create::create_decoded(server, request, write, object).await?;
        return Ok((201, stored));
    }
    let live = live.ok_or_else(|| request.not_found())?;
    let old = write.start_from(&live).await?;
    request.warn(remove_duplicate_owners(&mut object, DuplicateOwners::Sent));
    write.manage(Some(&old), &mut object).await;
    let stored = replace(request, write, &live, &old, object).await?;
    Ok((200, stored))
}

/// Replaces the live object by `object`, whose managed fields are already set. Runs mutating
/// plug-ins first.
pub(super) async fn replace(
    request: &ObjectRequest,
    write: &Write<'_>,
    live: &Arc<Stored>,
    old: &Value,
    object: Value,
) -> Result<Arc<Stored>, Failure> {
    let mut object = write.mutate(object, Some(old)).await?;
    request.check_namespace(&mut object)?;
    let view = |object: &Value| Ok(object.clone());
    replace_mutated(request, write, live, old, object, &view).await
}

/// Function that converts an object for validating plug-ins. In a write of the subresource `scale`,
/// they get the Scale of the object, otherwise the object itself.
pub(super) type Shown<'a> = dyn Fn(&Value) -> Result<Value, Failure> + Send + Sync + 'a;

/// Replaces the live object by `object`, on which mutating plug-ins have already run. `view`
/// converts objects for validating plug-ins.
pub(super) async fn replace_mutated(
    request: &ObjectRequest,
    write: &Write<'_>,
    live: &Arc<Stored>,
    old: &Value,
    mut object: Value,
    view: &Shown<'_>,
) -> Result<Arc<Stored>, Failure> {
    let kind = &request.kind;
    check_uid(write, &object, old)?;
    authorization::check_escalation(write.server(), request, &object, Some(old))?;
    check_version(request, &object, live)?;
    settle(write, &mut object, old);
    write.validate(&object, Some(old))?;
    ssa::keep_unchanged_times(old, &mut object);
    authorization::check_owners(write.server(), request, &object, Some(old))?;
    if write.needs_admission() {
        write.admit(&view(&object)?, Some(&view(old)?)).await?;
    }
    let key = request.key();
    let raced = |_| {
        let modified = Failure::modified(kind.group(), kind.plural(), &request.target.name);
        modified.raced()
    };
    if deletion::is_over(kind, &object) {
        let schema_id = kind.custom().map_or(0, |custom| custom.versions.id);
        numbers::encode(&mut object);
        let last = Stored::for_response(object, live.version(), schema_id);
        write.commit(&key, Some(live), None).map_err(raced)?;
        return Ok(Arc::new(last));
    }
    let encoded = write.encoded(object).await?;
    if encoded.is_same(live) {
        return Ok(Arc::clone(live));
    }
    write.commit(&key, Some(live), Some(encoded)).map_err(raced)
}

fn check_uid(write: &Write<'_>, object: &Value, old: &Value) -> Result<(), Failure> {
    let (found, expected) = (metadata::text(object, "uid"), metadata::text(old, "uid"));
    if found.is_empty() || found == expected {
        return Ok(());
    }
    let request = write.request();
    if request.verb == Verb::Patch {
        // kube-apiserver validates the uid twice, with the rules of all kinds and with those of
        // this kind, so the error has the same cause twice.
        let cause = Cause::invalid("metadata.uid", &found.into(), "field is immutable");
        let (group, kind, name) = (
            request.kind.group(),
            &request.kind.kind,
            &request.target.name,
        );
        return Err(Failure::invalid(
            group,
            kind,
            name,
            vec![cause.clone(), cause],
        ));
    }
    Err(wrong_uid(write, found, expected))
}

/// Returns the failure of a write with the uid `found`. `expected` is empty if there is no live
/// object.
pub(super) fn wrong_uid(write: &Write<'_>, found: &str, expected: &str) -> Failure {
    let request = write.request();
    let registry = if write.options().dry_run {
        ""
    } else {
        "/registry"
    };
    let (kind, name) = (&request.kind, &request.target.name);
    let place = match &*request.target.namespace {
        "" => name.clone(),
        namespace => format!("{namespace}/{name}"),
    };
    let prefix = kind.storage_prefix();
    let reason = format!(
        "StorageError: invalid object, Code: 4, Key: {registry}/{prefix}/{place}, \
         ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {found}, \
         UID in object meta: {expected}"
    );
    Failure::conflict(kind.group(), kind.plural(), name, &reason)
}

fn check_version(request: &ObjectRequest, object: &Value, live: &Stored) -> Result<(), Failure> {
    let (kind, name) = (&request.kind, &request.target.name);
    let version = metadata::text(object, "resourceVersion");
    if version.is_empty() || version == "0" {
        if !kind.flags.conditional_update {
            return Ok(());
        }
        let detail = "must be specified for an update";
        let cause = Cause::invalid("metadata.resourceVersion", &json!(0), detail);
        return Err(Failure::invalid(
            kind.group(),
            kind.plural(),
            name,
            vec![cause],
        ));
    }
    let wrong = match version.parse::<u64>() {
        Ok(version) if version == live.version() => return Ok(()),
        Ok(_) => return Err(Failure::modified(kind.group(), kind.plural(), name)),
        Err(error) => error,
    };
    let reason = match wrong.kind() {
        IntErrorKind::PosOverflow => "value out of range",
        _ => "invalid syntax",
    };
    let version = quoted(version);
    let message = format!("strconv.ParseUint: parsing {version}: {reason}");
    Err(Failure::unknown(500, message))
}

/// Restores the fields that an update cannot change. Increments the generation if a field changes
/// that counts for it.
fn settle(write: &Write<'_>, object: &mut Value, old: &Value) {
    let request = write.request();
    let (kind, subresource) = (&request.kind, &*request.target.subresource);
    kind.prepare_for_update(subresource, object, old);
    for field in ["uid", "creationTimestamp", "generation", "resourceVersion"] {
        metadata::set(object, field, old["metadata"].get(field).cloned());
    }
    metadata::set(object, "selfLink", None);
    keep_deletion(object, old);
    if kind.changes_generation(subresource, object, old) {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
        metadata::set(object, "generation", Some((generation + 1).into()));
    }
}

/// Restores deletion timestamp and grace period, which an update cannot remove
/// (`ValidateObjectMetaAccessorUpdate` in k8s.io/apimachinery/pkg/api/validation/objectmeta.go).
/// Validation rejects an update that adds them.
fn keep_deletion(object: &mut Value, old: &Value) {
    let old = &old["metadata"];
    if let Some(since) = old.get("deletionTimestamp") {
        metadata::set(object, "deletionTimestamp", Some(since.clone()));
    }
    if let Some(grace) = old.get("deletionGracePeriodSeconds")
        && object["metadata"]
            .get("deletionGracePeriodSeconds")
            .is_none()
    {
        metadata::set(object, "deletionGracePeriodSeconds", Some(grace.clone()));
    }
}
