//! POST: a new object.

use std::sync::Arc;

use serde_json::Value;

use super::output;
use super::pipeline::Write;
use super::{ObjectRequest, metadata};
use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::kinds::Origin;
use crate::kinds::prepare::{Creation, prepare_create};
use crate::query::WriteOptions;
use crate::route::Verb;
use crate::server::Inner;
use crate::store::Key;
use crate::stored::Stored;

/// How often a name is generated until it is one that does not exist.
const TRIES: usize = 8;

/// Creates the object of the body.
pub(super) async fn create(
    server: &Arc<Inner>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    let decoded = request.object()?;
    let write = Write::new(server, request, &options);
    let object = write.read(decoded)?;
    let stored = create_read(server, request, &write, object)?;
    Ok(output::object(201, &request.kind, &stored, view))
}

/// Creates an object that was read, also that of an update of what does not exist.
pub(super) fn create_read(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Arc<Stored>, Failure> {
    request.check_place(&mut object)?;
    write.check_namespace(&object)?;
    write.manage(None, &mut object);
    create_object(server, request, write, object)
}

/// Creates an object that has its managed fields.
pub(super) fn create_object(
    server: &Arc<Inner>,
    request: &ObjectRequest,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Arc<Stored>, Failure> {
    let kind = &request.kind;
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
        write.validate_new(&object)?;
        if request.verb != Verb::Create {
            authorization::check_create(server, &request.user, &request.target)?;
        }
        authorization::check_owners(server, request, &object, None)?;
        // What is no number is none to the store.
        let version = metadata::text(&object, "resourceVersion").parse::<u64>();
        let has_version = version.is_ok_and(|version| version != 0);
        if request.verb == Verb::Create && has_version && !write.options().dry_run {
            let message = "resourceVersion should not be set on objects to be created";
            return Err(Failure::unknown(500, message));
        }
        let name = metadata::text(&object, "name").to_owned();
        let key = Key::new(&request.target.namespace, &name);
        let live = server.store.get(&kind.resource, &key);
        let Some(live) = live else {
            match write.commit(&key, None, Some(object.clone())) {
                Ok(stored) => return Ok(stored),
                Err(_raced) => continue,
            }
        };
        tries += 1;
        if !is_generated || tries == TRIES {
            let is_deleting = live.is_deleting;
            return Err(Failure::already_exists(
                kind.group(),
                kind.plural(),
                &name,
                is_deleting,
            ));
        }
    }
}

/// Writes what the server decides: uid, times, generation, and no status if it has an endpoint of
/// its own.
fn prepare(server: &Inner, request: &ObjectRequest, object: &mut Value) {
    let kind = &request.kind;
    for field in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set(object, field, None);
    }
    metadata::set(object, "uid", Some(server.seed.uid().into()));
    metadata::set(
        object,
        "creationTimestamp",
        Some(server.clock.timestamp().into()),
    );
    match &kind.origin {
        Origin::Custom(_) => {
            metadata::set(object, "generation", Some(1.into()));
            if kind.has_status
                && let Some(members) = object.as_object_mut()
            {
                members.remove("status");
            }
        }
        Origin::Builtin(builtin) => {
            if kind.strategy.generation {
                metadata::set(object, "generation", Some(1.into()));
            }
            if builtin.kind == "Namespace" {
                let name = metadata::text(object, "name").to_owned();
                object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name.into();
            }
            let uid = metadata::text(object, "uid").to_owned();
            let mut creation = Creation {
                uid: &uid,
                now: &server.clock.timestamp(),
                cluster_ip: &mut || server.addresses.lock().cluster_ip(),
                node_port: &mut || server.addresses.lock().node_port(),
            };
            prepare_create(builtin, object, &mut creation);
        }
    }
}
