//! PATCH: changes of an object.

use std::sync::Arc;

use serde_json::Value;

use super::pipeline::{self, Unreadable, Write};
use super::{ObjectRequest, create, metadata, output, update};
use crate::answer::Answer;
use crate::decode::{self, Decoded};
use crate::failure::Failure;
use crate::kinds::Origin;
use crate::patch;
use crate::query::WriteOptions;
use crate::server::Inner;
use crate::stored::Stored;
use crate::types::{self, GoType};

/// How often a patch is tried again that meets a newer state.
const TRIES: usize = 5;

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

const ACCEPTED: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    APPLY,
];

/// Changes the object by the patch of the body.
pub(super) async fn patch(server: &Arc<Inner>, request: &ObjectRequest) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    if request.target.name.is_empty() {
        return Err(Failure::bad_request("name must be provided"));
    }
    check_media_type(request)?;
    let options = options(request)?;
    let write = Write::new(server, request, &options);
    let (code, stored) = match is_apply(request) {
        true => apply(server, request, &write)?,
        false => (200, change(server, request, &write)?),
    };
    Ok(output::object(code, &request.kind, &stored, view))
}

/// Custom resources take no strategic patches.
fn check_media_type(request: &ObjectRequest) -> Result<(), Failure> {
    let media_type = request.media_type();
    let is_strategic = request.kind.custom().is_none() && media_type == STRATEGIC;
    match is_strategic || ACCEPTED.contains(&&*media_type) {
        true => Ok(()),
        false => Err(Failure::unsupported_media_type(ACCEPTED)),
    }
}

/// The options of a patch.
pub(super) fn options(request: &ObjectRequest) -> Result<WriteOptions, Failure> {
    WriteOptions::read(&request.query, request.verb, is_apply(request))
}

/// Whether a patch is a configuration to be applied.
pub(super) fn is_apply(request: &ObjectRequest) -> bool {
    request.media_type() == APPLY
}

/// Writes what a patch makes of the live object.
fn change(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    write: &Write<'_>,
) -> Result<Arc<Stored>, Failure> {
    let kind = &request.kind;
    let mut tries = 0;
    loop {
        let live = server.store.get(&kind.resource, &request.key());
        let live = live.ok_or_else(|| request.not_found())?;
        let old = pipeline::converted(kind, &live);
        let go_type = match &kind.origin {
            Origin::Builtin(builtin) => builtin.type_,
            Origin::Custom(_) => None,
        };
        let patched = patched(request, &old, go_type)?;
        let is_unconditional =
            patched["metadata"]["resourceVersion"] == old["metadata"]["resourceVersion"];
        let decoded = request.checked_type(Decoded {
            value: patched.clone(),
            duplicates: Vec::new(),
        })?;
        let object = write.decoded(decoded);
        let mut object = object.map_err(|error| unreadable(request, &patched, error))?;
        request.check_place(&mut object)?;
        write.manage(Some(&old), &mut object);
        match update::replace(request, write, &live, object) {
            Err(failure) if failure.reason == "Conflict" && is_unconditional && tries < TRIES => {
                tries += 1;
            }
            replaced => return replaced,
        }
    }
}

/// The failure of a patch after which the object cannot be read. It shows what the patch has made
/// of the object; a strategic one it shows itself.
fn unreadable(request: &ObjectRequest, patched: &Value, error: Unreadable) -> Failure {
    if request.media_type() != STRATEGIC {
        return error.in_patch(&patched.to_string());
    }
    let patch = decode::json(&request.body).unwrap_or_default();
    let error = match error.0.starts_with("illegal base64") {
        true => Unreadable(format!("error decoding from json: {}", error.0)),
        false => error,
    };
    error.in_patch(&types::printed(&patch.value))
}

/// Applies the configuration of the body; what does not exist is created.
fn apply(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    write: &Write<'_>,
) -> Result<(u16, Arc<Stored>), Failure> {
    let kind = &request.kind;
    let applied = configuration(request)?;
    let mut tries = 0;
    loop {
        let live = server.store.get(&kind.resource, &request.key());
        if live.is_none() && !request.target.subresource.is_empty() {
            return Err(request.not_found());
        }
        let old = live.as_ref().map(|live| pipeline::converted(kind, live));
        let object = write.apply(old.as_ref(), &applied)?;
        let mut object = match (object, &live) {
            (Some(object), _) => write.completed(object, &applied)?,
            (None, Some(live)) => return Ok((200, Arc::clone(live))),
            (None, None) => write.completed(applied.clone(), &applied)?,
        };
        request.check_place(&mut object)?;
        let written = match &live {
            Some(live) => update::replace(request, write, live, object).map(|it| (200, it)),
            None => {
                check_no_uid(request, &object)?;
                write.check_namespace(&object)?;
                create::create_object(server, request, write, object).map(|it| (201, it))
            }
        };
        let is_unconditional = metadata::text(&applied, "resourceVersion").is_empty();
        match written {
            Err(failure)
                if matches!(failure.reason, "Conflict" | "AlreadyExists")
                    && is_unconditional
                    && tries < TRIES =>
            {
                tries += 1;
            }
            written => return written,
        }
    }
}

/// The configuration that an apply has in its body.
pub(super) fn configuration(request: &ObjectRequest) -> Result<Value, Failure> {
    let decoded = decode::yaml(&request.body)
        .map_err(|error| Failure::bad_request(format!("error decoding YAML: {error}")))?;
    Ok(decoded.value)
}

/// An apply that creates an object cannot know its uid.
fn check_no_uid(request: &ObjectRequest, object: &Value) -> Result<(), Failure> {
    let uid = metadata::text(object, "uid");
    if uid.is_empty() {
        return Ok(());
    }
    let (kind, name) = (&request.kind, &request.target.name);
    let reason = format!(
        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    );
    Err(Failure::conflict(
        kind.group(),
        kind.plural(),
        name,
        &reason,
    ))
}

/// An object, or its scale, after the patch of the body. Strategic patches need its Go type.
pub(super) fn patched(
    request: &ObjectRequest,
    object: &Value,
    go_type: Option<GoType>,
) -> Result<Value, Failure> {
    let parsed = || {
        let decoded = decode::json(&request.body);
        let decoded = decoded.map(|decoded| decoded.value);
        decoded.map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))
    };
    let patched = match (&*request.media_type(), go_type) {
        ("application/merge-patch+json", _) => patch::merge_patch(object, &parsed()?),
        ("application/json-patch+json", _) => patch::json_patch(object, &request.body),
        (STRATEGIC, Some(type_)) => patch::strategic_merge_patch(object, &parsed()?, type_),
        _ => return Err(Failure::unsupported_media_type(ACCEPTED)),
    };
    patched.map_err(|error| Failure::of_patch(error.code, error.reason, error.message))
}
