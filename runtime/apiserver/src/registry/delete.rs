//! DELETE of an object or a collection. If finalizers or a grace period delay the deletion, an
//! object is marked with a deletion timestamp; otherwise, the object is removed.

use std::sync::Arc;

use genclient::k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::grace::{self, Grace};
use super::pipeline::Write;
use super::versions::{self, Encoded};
use super::{list, preconditions, response};
use crate::answer::Answer;
use crate::clock;
use crate::conditions::{self, Condition};
use crate::deadline;
use crate::failure::Failure;
use crate::finalizers;
use crate::finalizers::CLEANUP;
use crate::kinds::Kind;
use crate::metadata;
use crate::query::{DeleteOptions, Propagation, WriteOptions};
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
    let (namespace, name) = (&request.target.namespace, &request.target.name);
    let deleted = one(server, request, namespace, name, &options).await?;
    match deleted {
        Deleted::Remains(stored) => {
            let code = if options.is_not_orphaning { 202 } else { 200 };
            let shown = versions::shown(server, kind, &stored).await?;
            Ok(response::object(code, kind, &shown, view))
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
    let (meta, selected) = list::selected(server, request).await?;
    for stored in &selected {
        let (namespace, name) = (&stored.namespace, &stored.name);
        match one(server, request, namespace, name, &options).await {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let objects = selected.iter().map(|stored| &**stored);
    Ok(response::list(&request.kind, &meta, objects, view))
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

/// Effect of a DELETE on one object in the store.
enum Step<O> {
    /// Changes nothing and skips admission, since the object is being deleted already.
    Wait,
    /// Stores the object with its deletion timestamp, unless the stored object is already the same.
    Mark(O),
    /// Removes the object.
    Remove,
    /// Marks the object and then removes it, since its grace period is zero.
    MarkAndRemove(O),
}

impl Step<Value> {
    /// Returns the `DeleteOptions` for admission plug-ins. If the kind has grace periods,
    /// `gracePeriodSeconds` is the period that the deletion sets (`CheckGracefulDelete`).
    fn options(&self, kind: &Kind, sent: &Value) -> Value {
        let mut options = sent.clone();
        if let Self::Mark(marked) | Self::MarkAndRemove(marked) = self
            && kind.flags.graceful
            && let Some(period) = marked["metadata"].get("deletionGracePeriodSeconds")
        {
            options["gracePeriodSeconds"] = period.clone();
        }
        options
    }

    /// Returns the states of the object on which admission runs: for each write to the store, the
    /// state before that write. For `MarkAndRemove`, a dry run skips the second write.
    fn admitted<'a>(&'a self, live: &'a Value, is_dry_run: bool) -> Vec<&'a Value> {
        match self {
            Self::Wait => Vec::new(),
            Self::MarkAndRemove(marked) if !is_dry_run => vec![live, marked],
            Self::Mark(_) | Self::Remove | Self::MarkAndRemove(_) => vec![live],
        }
    }
}

/// Deletes one object, with a retry after each concurrent write.
pub(super) async fn one(
    server: &Arc<State>,
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
    if is_namespace(kind) && IMMORTAL.contains(&name) {
        let reason = "this namespace may not be deleted";
        return Err(Failure::forbidden("", "namespaces", name, reason));
    }
    let write = Write::new(server, request, &write_options);
    let key = Key::new(namespace, name);
    let mut tries = 0;
    loop {
        let Some(live) = server.store.get(&kind.resource, &key) else {
            return Err(Failure::not_found(kind.group(), kind.plural(), name));
        };
        let now = server.clock.now();
        let object = versions::converted(server, kind, &live).await?;
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
        let step = encode(&write, step).await?;
        if let Ok(deleted) = take(&write, &key, &live, step, options.dry_run) {
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

/// Returns the step for a DELETE of one object, with the rules of Namespace and
/// CustomResourceDefinition.
fn step(
    kind: &Kind,
    live: &Stored,
    object: Value,
    options: &DeleteOptions,
    now: Timestamp,
) -> Result<Step<Value>, Failure> {
    if is_definition(kind) {
        preconditions::check_at_own_endpoint(kind, live, options)?;
        if !live.is_deleting {
            return Ok(Step::Mark(terminating_definition(object, now)));
        }
    }
    if is_namespace(kind) {
        preconditions::check_at_own_endpoint(kind, live, options)?;
        if !live.is_deleting {
            return Ok(Step::Mark(terminating_namespace(object, options, now)));
        }
        if holds_contents(kind, &object) {
            return Ok(Step::Wait);
        }
    }
    generic_step(kind, live, object, options, now)
}

/// Returns the step for kinds without rules of their own (`Store.Delete` in
/// k8s.io/apiserver/pkg/registry/generic/registry/store.go).
fn generic_step(
    kind: &Kind,
    live: &Stored,
    mut object: Value,
    options: &DeleteOptions,
    now: Timestamp,
) -> Result<Step<Value>, Failure> {
    preconditions::check(kind, live, options)?;
    let grace = if kind.flags.graceful {
        grace::start_or_shorten(&mut object, options.grace_period, now)
    } else {
        Grace::None
    };
    if grace == Grace::Pending {
        return Ok(Step::Wait);
    }
    let finalizers = finalizers::after(kind, &object, options);
    let has_finalizers = !finalizers.is_empty();
    finalizers::set(&mut object, finalizers);
    if grace == Grace::None && has_finalizers {
        grace::mark(&mut object, now);
    }
    Ok(match grace {
        Grace::Period(0) if !has_finalizers => Step::MarkAndRemove(object),
        Grace::None if !has_finalizers => Step::Remove,
        _ => Step::Mark(object),
    })
}

/// Returns a namespace as its first DELETE stores it (pkg/registry/core/namespace/storage).
fn terminating_namespace(mut namespace: Value, options: &DeleteOptions, now: Timestamp) -> Value {
    metadata::set(
        &mut namespace,
        "deletionTimestamp",
        Some(clock::text(now).into()),
    );
    namespace["status"]["phase"] = "Terminating".into();
    let propagation = match options.is_not_orphaning {
        // For a namespace, `orphanDependents: false` means foreground deletion.
        true => Some(Propagation::Foreground),
        false => options.propagation,
    };
    let finalizers = finalizers::with_propagation(&namespace, propagation, None);
    finalizers::set(&mut namespace, finalizers);
    namespace
}

/// Returns a CustomResourceDefinition as its first DELETE stores it
/// (k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go).
fn terminating_definition(mut definition: Value, now: Timestamp) -> Value {
    let now = clock::text(now);
    metadata::set(
        &mut definition,
        "deletionTimestamp",
        Some(now.clone().into()),
    );
    finalizers::add(&mut definition, CLEANUP);
    conditions::set(
        &mut definition,
        &now,
        Condition {
            type_: "Terminating",
            status: true,
            reason: "InstanceDeletionPending",
            message: "CustomResourceDefinition marked for deletion; CustomResource deletion will \
                      begin soon",
        },
    );
    definition
}

fn is_namespace(kind: &Kind) -> bool {
    kind.group().is_empty() && kind.plural() == "namespaces"
}

fn is_definition(kind: &Kind) -> bool {
    kind.group() == "apiextensions.k8s.io" && kind.plural() == "customresourcedefinitions"
}

/// Returns whether an object is a namespace with finalizers in its spec. These finalizers delay the
/// deletion until the contents of the namespace are gone.
fn holds_contents(kind: &Kind, object: &Value) -> bool {
    let finalizers = object["spec"]["finalizers"].as_array();
    is_namespace(kind) && finalizers.is_some_and(|finalizers| !finalizers.is_empty())
}

/// Returns whether an object must be removed instead of stored: it has a deletion timestamp, and
/// neither finalizers nor a grace period delay its deletion.
pub(super) fn is_over(kind: &Kind, object: &Value) -> bool {
    let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    object["metadata"]["deletionTimestamp"].is_string()
        && metadata::finalizers(object).is_empty()
        && grace.unwrap_or_default() == 0
        && !holds_contents(kind, object)
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
