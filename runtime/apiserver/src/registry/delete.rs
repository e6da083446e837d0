//! DELETE of an object: at once, or when its finalizers are gone.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pipeline::{self, Write};
use super::{ObjectRequest, metadata, output};
use crate::answer::Answer;
use crate::decode;
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::query::{DeleteOptions, Propagation, WriteOptions};
use crate::server::Inner;
use crate::store::Key;
use crate::stored::Stored;
use crate::types::{self, GoType};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// Namespaces that nobody may delete.
const IMMORTAL: &[&str] = &["default", "kube-system", "kube-public"];

/// Deletes the named object.
pub(super) async fn delete(
    server: &Arc<Inner>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let options = options(request)?;
    let kind = &request.kind;
    let (namespace, name) = (&request.target.namespace, &request.target.name);
    let deleted = one(server, request, namespace, name, &options)?;
    match deleted {
        Deleted::Remains(stored) => {
            let code = if options.is_not_orphaning { 202 } else { 200 };
            Ok(output::object(code, kind, &stored, view))
        }
        Deleted::Gone(stored) if kind.strategy.returns_deleted => {
            Ok(output::object(200, kind, &stored, view))
        }
        Deleted::Gone(stored) => Ok(Answer::value(&success(kind, &stored))),
    }
}

/// The options of the body, or else of the query.
pub(super) fn options(request: &ObjectRequest) -> Result<DeleteOptions, Failure> {
    if request.body.is_empty() {
        return DeleteOptions::read(&request.query, None);
    }
    let type_ = GoType::named("meta/v1.DeleteOptions");
    let body = match type_.filter(|_| types::is_protobuf(&request.body)) {
        Some(type_) => types::decode_protobuf(&request.body, type_)
            .map_err(|error| Failure::bad_request(error.to_string()))?,
        None => {
            decode::yaml(&request.body)
                .map_err(Failure::bad_request)?
                .value
        }
    };
    DeleteOptions::read(&request.query, Some(&body))
}

/// What a deletion has done.
pub(super) enum Deleted {
    /// Marked, and waiting for its finalizers.
    Remains(Arc<Stored>),
    Gone(Arc<Stored>),
}

/// Deletes an object of the request's kind.
pub(super) fn one(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    namespace: &str,
    name: &str,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let kind = &request.kind;
    let write_options = WriteOptions {
        dry_run: options.dry_run,
        ..WriteOptions::default()
    };
    if kind.group().is_empty() && kind.plural() == "namespaces" && IMMORTAL.contains(&name) {
        let reason = "this namespace may not be deleted";
        return Err(Failure::forbidden("", "namespaces", name, reason));
    }
    let write = Write::new(server, request, &write_options);
    let key = Key::new(namespace, name);
    loop {
        let Some(live) = server.store.get(&kind.resource, &key) else {
            return Err(Failure::not_found(kind.group(), kind.plural(), name));
        };
        check_preconditions(kind, name, &live, options)?;
        let mut object = pipeline::converted(kind, &live);
        let kept = finalizers_of(kind, &object, options);
        let had: Vec<_> = metadata::finalizers(&object)
            .iter()
            .map(|it| (*it).to_owned())
            .collect();
        let has_changed = kept != had;
        let finalizers = (!kept.is_empty()).then(|| json!(kept));
        metadata::set(&mut object, "finalizers", finalizers);
        if kept.is_empty() && !holds_contents(kind, &object) {
            match write.commit(&key, Some(&live), None) {
                Ok(stored) => return Ok(Deleted::Gone(stored)),
                Err(_raced) => continue,
            }
        }
        if live.is_deleting && !has_changed {
            return Ok(Deleted::Remains(live));
        }
        if !live.is_deleting {
            mark(server, kind, &mut object);
        }
        if let Ok(stored) = write.commit(&key, Some(&live), Some(object)) {
            return Ok(Deleted::Remains(stored));
        }
    }
}

fn mark(server: &Inner, kind: &Kind, object: &mut Value) {
    let now = server.clock.timestamp();
    metadata::set(object, "deletionTimestamp", Some(now.into()));
    metadata::set(object, "deletionGracePeriodSeconds", Some(0.into()));
    let generation = object["metadata"]["generation"].as_i64();
    if let Some(generation) = generation.filter(|generation| *generation > 0) {
        metadata::set(object, "generation", Some((generation + 1).into()));
    }
    if is_namespace(kind) {
        metadata::set(object, "deletionGracePeriodSeconds", None);
        object["status"]["phase"] = "Terminating".into();
    }
}

fn is_namespace(kind: &Kind) -> bool {
    kind.group().is_empty() && kind.plural() == "namespaces"
}

/// A namespace stays until its own finalizers are gone.
fn holds_contents(kind: &Kind, object: &Value) -> bool {
    let finalizers = object["spec"]["finalizers"].as_array();
    is_namespace(kind) && finalizers.is_some_and(|finalizers| !finalizers.is_empty())
}

/// Whether a write leaves nothing to wait for of an object that is being deleted.
pub(super) fn is_over(kind: &Kind, object: &Value) -> bool {
    let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    object["metadata"]["deletionTimestamp"].is_string()
        && metadata::finalizers(object).is_empty()
        && grace.unwrap_or_default() == 0
        && !holds_contents(kind, object)
}

/// The finalizers of an object after a deletion with these options.
fn finalizers_of(kind: &Kind, object: &Value, options: &DeleteOptions) -> Vec<String> {
    let had = metadata::finalizers(object);
    let own: Vec<_> = had
        .iter()
        .filter(|name| ![ORPHAN, FOREGROUND].contains(name))
        .collect();
    let mut kept: Vec<_> = own.into_iter().map(|name| (*name).to_owned()).collect();
    let added = match options.propagation {
        Some(Propagation::Orphan) => Some(ORPHAN),
        Some(Propagation::Foreground) => Some(FOREGROUND),
        Some(Propagation::Background) => None,
        None if had.contains(&ORPHAN) => Some(ORPHAN),
        None if had.contains(&FOREGROUND) => Some(FOREGROUND),
        None if kind.strategy.orphans => Some(ORPHAN),
        None => None,
    };
    kept.extend(added.map(str::to_owned));
    kept
}

fn check_preconditions(
    kind: &Kind,
    name: &str,
    live: &Stored,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let version = live.version().to_string();
    let checks = [
        ("UID", &options.uid, &live.uid, "deleted and then recreated"),
        (
            "ResourceVersion",
            &options.resource_version,
            &version,
            "modified",
        ),
    ];
    for (what, expected, found, happened) in checks {
        let Some(expected) = expected.as_ref().filter(|expected| *expected != found) else {
            continue;
        };
        let reason = format!(
            "the {what} in the precondition ({expected}) does not match the {what} in record \
             ({found}). The object might have been {happened}"
        );
        return Err(Failure::conflict(kind.group(), &kind.kind, name, &reason));
    }
    Ok(())
}

/// The Status of a deletion.
pub(super) fn success(kind: &Kind, stored: &Stored) -> Value {
    let mut details = json!({
        "name": stored.name,
        "kind": kind.plural(),
        "uid": stored.uid,
    });
    if !kind.group().is_empty() {
        details["group"] = kind.group().into();
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}
