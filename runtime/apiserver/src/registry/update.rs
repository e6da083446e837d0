//! PUT: a new state of an object, of its status, or of a namespace's finalizers.

use std::sync::Arc;

use genclient_schema::Cause;
use serde_json::{Value, json};

use super::pipeline::{self, Write};
use super::{ObjectRequest, create, delete, metadata, output};
use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::kinds::Origin;
use crate::kinds::prepare::{prepare_status_update, prepare_update};
use crate::query::WriteOptions;
use crate::route::Verb;
use crate::server::Inner;
use crate::stored::Stored;

/// How often a write without a version is tried again that meets a newer state.
const TRIES: usize = 5;

/// Replaces the object by that of the body.
pub(super) async fn update(
    server: &Arc<Inner>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    if request.target.name.is_empty() {
        return Err(Failure::bad_request("name must be provided"));
    }
    let decoded = request.object()?;
    let write = Write::new(server, request, &options);
    let sent = write.read(decoded)?;
    let is_unconditional = metadata::text(&sent, "resourceVersion").is_empty();
    let mut tries = 0;
    let (code, stored) = loop {
        match attempt(server, request, &write, sent.clone()) {
            Err(failure)
                if matches!(failure.reason, "Conflict" | "AlreadyExists")
                    && is_unconditional
                    && tries < TRIES =>
            {
                tries += 1;
            }
            written => break written?,
        }
    };
    Ok(output::object(code, &request.kind, &stored, view))
}

/// Writes an object over the live one, or creates it if its kind allows that.
fn attempt(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<(u16, Arc<Stored>), Failure> {
    let kind = &request.kind;
    let live = server.store.get(&kind.resource, &request.key());
    let creates = kind.strategy.create_on_update && request.target.subresource.is_empty();
    if live.is_none() && creates {
        let uid = metadata::text(&object, "uid");
        if !uid.is_empty() {
            return Err(wrong_uid(write, uid, ""));
        }
        let stored = create::create_read(server, request, write, object)?;
        return Ok((201, stored));
    }
    request.check_place(&mut object)?;
    let live = live.ok_or_else(|| request.not_found())?;
    write.manage(Some(&pipeline::converted(kind, &live)), &mut object);
    let stored = replace(request, write, &live, object)?;
    Ok((200, stored))
}

/// Writes a new state, which has its managed fields, over the live one.
pub(super) fn replace(
    request: &ObjectRequest,
    write: &Write<'_>,
    live: &Arc<Stored>,
    mut object: Value,
) -> Result<Arc<Stored>, Failure> {
    let kind = &request.kind;
    let old = pipeline::converted(kind, live);
    check_uid(write, &object, &old)?;
    authorization::check_escalation(write.server(), request, &object, Some(&old))?;
    check_version(request, &object, live)?;
    settle(request, &mut object, &old);
    write.validate_update(&object, &old)?;
    authorization::check_owners(write.server(), request, &object, Some(&old))?;
    let is_same =
        comparable(pipeline::storage_form(kind, object.clone())) == comparable(live.value());
    if is_same && !delete::is_over(kind, &object) {
        return Ok(Arc::clone(live));
    }
    let key = request.key();
    let raced = |_| Failure::modified(kind.group(), kind.plural(), &request.target.name);
    if delete::is_over(kind, &object) {
        let last = Stored::dry_run(object, live.version(), live.schema_id);
        write.commit(&key, Some(live), None).map_err(raced)?;
        return Ok(Arc::new(last));
    }
    write.commit(&key, Some(live), Some(object)).map_err(raced)
}

fn check_uid(write: &Write<'_>, object: &Value, old: &Value) -> Result<(), Failure> {
    let (found, expected) = (metadata::text(object, "uid"), metadata::text(old, "uid"));
    if found.is_empty() || found == expected {
        return Ok(());
    }
    Err(wrong_uid(write, found, expected))
}

/// The failure of a write with the uid of another object; none is there of one to be created.
fn wrong_uid(write: &Write<'_>, found: &str, expected: &str) -> Failure {
    let request = write.request();
    let registry = match write.options().dry_run {
        true => "",
        false => "/registry",
    };
    let (kind, name) = (&request.kind, &request.target.name);
    let place = match &*request.target.namespace {
        "" => name.clone(),
        namespace => format!("{namespace}/{name}"),
    };
    let is_in_group = kind.custom().is_some()
        || ["apiextensions.k8s.io", "apiregistration.k8s.io"].contains(&kind.group());
    let group = match is_in_group {
        true => format!("{}/", kind.group()),
        false => String::new(),
    };
    let reason = format!(
        "StorageError: invalid object, Code: 4, Key: {registry}/{group}{}/{place}, ResourceVersion: \
         0, AdditionalErrorMsg: Precondition failed: UID in precondition: {found}, UID in object \
         meta: {expected}",
        kind.plural()
    );
    Failure::conflict(kind.group(), kind.plural(), name, &reason)
}

fn check_version(request: &ObjectRequest, object: &Value, live: &Stored) -> Result<(), Failure> {
    let (kind, name) = (&request.kind, &request.target.name);
    let version = metadata::text(object, "resourceVersion");
    let is_patch = request.verb == Verb::Patch;
    if version.is_empty() || version == "0" {
        if !kind.strategy.conditional_update || is_patch {
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
    match version == live.version().to_string() {
        true => Ok(()),
        false => Err(Failure::modified(kind.group(), kind.plural(), name)),
    }
}

/// Puts back what an update does not change, and counts the generation.
fn settle(request: &ObjectRequest, object: &mut Value, old: &Value) {
    let kind = &request.kind;
    match (&*request.target.subresource, &kind.origin) {
        ("status", Origin::Custom(_)) => {
            let status = object.get("status").cloned();
            let fields = object["metadata"]["managedFields"].take();
            *object = old.clone();
            metadata::set(
                object,
                "managedFields",
                Some(fields).filter(Value::is_array),
            );
            set_member(object, "status", status);
        }
        ("status", Origin::Builtin(builtin)) => prepare_status_update(builtin, object, old),
        ("finalize", _) => {
            set_member(object, "status", old.get("status").cloned());
        }
        (_, Origin::Custom(_)) if kind.has_status => {
            set_member(object, "status", old.get("status").cloned());
        }
        (_, Origin::Custom(_)) => {}
        (_, Origin::Builtin(builtin)) => prepare_update(builtin, object, old),
    }
    for field in [
        "uid",
        "creationTimestamp",
        "generation",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
    ] {
        metadata::set(object, field, old["metadata"].get(field).cloned());
    }
    if kind.strategy.generation && differs_in_generation(request, object, old) {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
        metadata::set(object, "generation", Some((generation + 1).into()));
    }
}

/// Whether anything differs that is no metadata, and no status of its own endpoint.
fn differs_in_generation(request: &ObjectRequest, object: &Value, old: &Value) -> bool {
    let is_of_deployment = request.kind.kind == "Deployment" && request.kind.group() == "apps";
    if is_of_deployment && request.target.subresource.is_empty() {
        // deploymentStrategy.PrepareForUpdate counts annotations, too.
        let annotations = |value: &Value| value["metadata"].get("annotations").cloned();
        if annotations(object) != annotations(old) {
            return true;
        }
    }
    let counted = |value: &Value| {
        let mut members = value.as_object().cloned().unwrap_or_default();
        members.remove("metadata");
        if request.kind.has_status {
            members.remove("status");
        }
        members
    };
    counted(object) != counted(old)
}

fn set_member(object: &mut Value, name: &str, value: Option<Value>) {
    if let Value::Object(members) = object {
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
    }
}

/// An object without its type and its version, which a write that changes nothing keeps.
fn comparable(mut object: Value) -> Value {
    metadata::set(&mut object, "resourceVersion", None);
    for field in ["apiVersion", "kind"] {
        set_member(&mut object, field, None);
    }
    object
}
