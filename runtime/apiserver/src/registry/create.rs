//! Creation of objects: by POST, or by PUT or apply with a name that does not exist.

use std::sync::Arc;

use genclient_builtins::strategy::Creation;
use serde_json::Value;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::query::WriteOptions;
use crate::registry::pipeline::Write;
use crate::registry::{response, services};
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::State;
use crate::store::Key;
use crate::stored::Stored;
use crate::{authorization, metadata};

/// Maximum number of attempts to generate a name that is not in use.
const TRIES: usize = 8;

/// Creates the object in the body.
pub(super) async fn create(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = response::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    let decoded = request.object()?;
    let write = Write::new(server, request, &options, view);
    let object = write.read(decoded)?;
    let stored = create_decoded(server, request, &write, object).await?;
    write.answer(201, &stored).await
}

/// Creates a decoded object, for a POST, or for a PUT of an object that does not exist yet.
pub(super) async fn create_decoded(
    server: &Arc<State>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Arc<Stored>, Failure> {
    request.check_place(&mut object)?;
    wipe(request.verb, &mut object);
    write.check_namespace(&object)?;
    write.manage(None, &mut object).await;
    create_object(server, request, write, object).await
}

/// Creates an object whose managed fields are already set.
pub(super) async fn create_object(
    server: &Arc<State>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Arc<Stored>, Failure> {
    let kind = &request.kind;
    object = write.mutate(object, None).await?;
    request.check_namespace(&mut object)?;
    authorization::check_escalation(server, request, &object, None)?;
    prepare(server, request, &mut object);
    let generate = metadata::text(&object, "generateName").to_owned();
    let is_generated = metadata::text(&object, "name").is_empty() && !generate.is_empty();
    let mut tries = 0;
    loop {
        if is_generated {
            let name = server.seed.name(&generate);
            metadata::set(&mut object, "name", Some(name.into()));
        }
        kind.canonicalize(&mut object);
        write.validate(&object, None)?;
        if request.verb != Verb::Create {
            authorization::check_create(server, &request.user, &request.target)?;
        }
        authorization::check_owners(server, request, &object, None)?;
        write.admit(&object, None).await?;
        // A resource version that is not a number counts as absent, as in kube-apiserver.
        let version = metadata::text(&object, "resourceVersion").parse::<u64>();
        let has_version = version.is_ok_and(|version| version != 0);
        if request.verb == Verb::Create && has_version && !write.options().dry_run {
            let message = "resourceVersion should not be set on objects to be created";
            return Err(Failure::unknown(500, message));
        }
        let name = metadata::text(&object, "name").to_owned();
        let key = Key::new(&request.target.namespace, &name);
        let is_there = server.store.get(&kind.resource, &key).is_some();
        // As in kube-apiserver, a dry run encodes the object only if the name is free. Clients may
        // notice the difference: encoding may call a conversion webhook, which may fail.
        let encoded = if is_there && write.options().dry_run {
            None
        } else {
            Some(write.encoded(object.clone()).await?)
        };
        let mut live = server.store.get(&kind.resource, &key);
        if live.is_none() {
            match write.commit(&key, None, encoded) {
                Ok(stored) => return Ok(stored),
                Err(_raced) => live = server.store.get(&kind.resource, &key),
            }
        }
        tries += 1;
        if !is_generated || tries == TRIES {
            let is_deleting = live.is_some_and(|live| live.is_deleting);
            let (group, plural) = (kind.group(), kind.plural());
            return Err(Failure::already_exists(group, plural, &name, is_deleting).raced());
        }
    }
}

/// In a POST, removes the metadata that a client cannot set (`WipeObjectMetaSystemFields`).
fn wipe(verb: Verb, object: &mut Value) {
    if verb != Verb::Create {
        return;
    }
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set(object, field, None);
    }
}

/// Sets the fields that the server decides, such as uid, creation time and generation.
fn prepare(server: &State, request: &ObjectRequest, object: &mut Value) {
    let kind = &request.kind;
    let (uid, now) = (server.seed.uid(), server.clock.timestamp());
    metadata::set(object, "selfLink", None);
    metadata::set(object, "uid", Some(uid.as_str().into()));
    metadata::set(object, "creationTimestamp", Some(now.as_str().into()));
    let mut creation = Creation {
        uid: &uid,
        now: &now,
        cluster_ip: &mut || services::free_ip(server, kind),
        node_port: &mut || services::free_port(server, kind),
        warnings: Vec::new(),
    };
    kind.prepare_for_create(object, &mut creation);
    request.warn(creation.warnings);
}
