//! DELETE of an object or a collection. If finalizers or a grace period delay the deletion, an
//! object is marked with a deletion timestamp; otherwise, the object is removed.

use std::sync::Arc;

use genclient_builtins::strategy::DeletionRule;
use serde_json::{Value, json};

use super::codec::{self, Encoded};
use super::deletion::{Step, generic_step, step};
use super::write::Write;
use super::{get, response};
use crate::answer::Answer;
use crate::deadline;
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::query::{DeleteOptions, WriteOptions};
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::State;
use crate::store::{Key, Raced};
use crate::stored::Stored;

/// Names of namespaces that cannot be deleted.
const IMMORTAL: &[&str] = &["default", "kube-system", "kube-public"];

/// Deletes the named object.
pub(super) async fn delete(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = response::view(request)?;
    let options = options(request)?;
    let kind = &request.kind;
    let write_options = write_options(&options);
    let write = Write::new(server, request, &write_options, view);
    match one(&write, &request.key(), &options).await? {
        Deleted::Remains(stored) => {
            let code = if options.is_not_orphaning { 202 } else { 200 };
            write.answer(code, &stored).await
        }
        Deleted::Gone(stored) if kind.flags.returns_deleted => {
            Ok(response::object(200, kind, &stored, view))
        }
        Deleted::Gone(stored) => Ok(Answer::value(&success(kind, &stored))),
    }
}

/// Deletes the objects that a list with the same query returns. Responds with the objects as they
/// were before the deletion.
pub(super) async fn delete_collection(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = response::view(request)?;
    let options = options(request)?;
    let (meta, selected) = get::selected(server, request).await?;
    let write_options = write_options(&options);
    let write = Write::new(server, request, &write_options, view);
    for stored in &selected {
        let key = Key::new(&stored.namespace, &stored.name);
        match one(&write, &key, &options).await {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let objects = selected.iter().map(|stored| &**stored);
    Ok(response::list(&request.kind, &meta, objects, view))
}

/// Returns the options of the writes that a deletion makes.
pub(super) fn write_options(options: &DeleteOptions) -> WriteOptions {
    WriteOptions {
        dry_run: options.dry_run,
        ..WriteOptions::default()
    }
}

/// Returns the options in the body, or those in the query if there is no body.
fn options(request: &ObjectRequest) -> Result<DeleteOptions, Failure> {
    if request.body.is_empty() {
        return DeleteOptions::read(&request.query, None);
    }
    let body = request.delete_options()?;
    DeleteOptions::read(&request.query, Some(&body))
}

/// Result of a deletion.
pub(super) enum Deleted {
    /// The object is marked and still exists: finalizers, a grace period or namespace contents
    /// delay its removal.
    Remains(Arc<Stored>),
    Gone(Arc<Stored>),
}

/// Deletes one object, with a retry after each concurrent write.
pub(super) async fn one(
    write: &Write<'_>,
    key: &Key,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let (server, request) = (write.server, write.request);
    let kind = &request.kind;
    let name = key.name();
    if kind.deletion_rule() == DeletionRule::Namespace && IMMORTAL.contains(&name) {
        let reason = "this namespace may not be deleted";
        return Err(Failure::forbidden("", "namespaces", name, reason));
    }
    let mut tries = 0;
    loop {
        let Some(live) = server.store.get(&kind.resource, key) else {
            return Err(Failure::not_found(kind.group(), kind.plural(), name));
        };
        let now = server.clock.now();
        let object = codec::converted(server, kind, &live).await?;
        let had = object.clone();
        let step = match request.verb {
            // DELETE of a collection ignores the special rules of Namespace and
            // CustomResourceDefinition.
            Verb::DeleteCollection => generic_step(kind, &live, object, options, now),
            _ => step(kind, &live, object, options, now),
        }?;
        write.cached_state(&live).await?;
        let shown = match request.verb {
            Verb::DeleteCollection => options.json.clone(),
            _ => step.options(kind, &options.json),
        };
        for state in step.admitted(&had, options.dry_run) {
            write.admit_deletion(state, &shown).await?;
        }
        let step = encode(write, step).await?;
        if let Ok(deleted) = take(write, key, &live, step, options.dry_run) {
            return Ok(deleted);
        }
        deadline::back_off(tries).await;
        tries += 1;
    }
}

/// Encodes the objects of a step for storage.
async fn encode(write: &Write<'_>, step: Step<Value>) -> Result<Step<Encoded>, Failure> {
    Ok(match step {
        Step::Wait => Step::Wait,
        Step::Mark(object) => Step::Mark(write.encoded(object).await?),
        Step::Remove => Step::Remove,
        Step::MarkAndRemove(object) => Step::MarkAndRemove(write.encoded(object).await?),
    })
}

fn take(
    write: &Write<'_>,
    key: &Key,
    live: &Arc<Stored>,
    step: Step<Encoded>,
    is_dry_run: bool,
) -> Result<Deleted, Raced> {
    match step {
        Step::Wait => Ok(Deleted::Remains(Arc::clone(live))),
        Step::Mark(object) if object.is_same(live) => Ok(Deleted::Remains(Arc::clone(live))),
        Step::Mark(object) => write
            .commit(key, Some(live), Some(object))
            .map(Deleted::Remains),
        Step::Remove => write.commit(key, Some(live), None).map(Deleted::Gone),
        Step::MarkAndRemove(object) => {
            let marked = write.commit(key, Some(live), Some(object))?;
            if is_dry_run {
                Ok(Deleted::Gone(marked))
            } else {
                write.commit(key, Some(&marked), None).map(Deleted::Gone)
            }
        }
    }
}

/// Returns the Status that responds to a completed deletion.
fn success(kind: &Kind, stored: &Stored) -> Value {
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
