//! PATCH: changes of an object.

use std::sync::Arc;

use serde_json::Value;

use super::pipeline::{self, Write};
use super::{ObjectRequest, output, update};
use crate::answer::Answer;
use crate::decode::{self, Decoded};
use crate::failure::Failure;
use crate::query::WriteOptions;
use crate::server::Inner;

/// How often a patch is tried again that meets a newer state.
const TRIES: usize = 5;

const ACCEPTED: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
];

/// Changes the object by the patch of the body.
pub(super) async fn patch(server: &Arc<Inner>, request: &ObjectRequest) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    if request.target.name.is_empty() {
        return Err(Failure::bad_request("name must be provided"));
    }
    let media_type = request.media_type();
    let is_apply = matches!(
        &*media_type,
        "application/apply-patch+yaml" | "application/apply-patch+cbor"
    );
    let options = WriteOptions::read(&request.query, request.verb, is_apply)?;
    let mut tries = 0;
    loop {
        let Some(live) = server.store.get(&request.kind.resource, &request.key()) else {
            return Err(request.not_found());
        };
        let old = pipeline::converted(&request.kind, &live);
        let patched = match &*media_type {
            "application/merge-patch+json" => merged(&old, &request.body)?,
            "application/apply-patch+yaml" => return Err(Failure::not_implemented("apply")),
            _ => return Err(Failure::unsupported_media_type(ACCEPTED)),
        };
        let is_unconditional =
            patched["metadata"]["resourceVersion"] == old["metadata"]["resourceVersion"];
        let decoded = request.checked_type(Decoded {
            value: patched,
            duplicates: Vec::new(),
        })?;
        let write = Write::new(server, request, &options);
        let mut object = write.decoded(decoded)?;
        request.check_place(&mut object)?;
        match update::replace(request, &write, &live, object) {
            Err(failure) if failure.reason == "Conflict" && is_unconditional && tries < TRIES => {
                tries += 1;
            }
            replaced => {
                return Ok(output::object(200, &request.kind, &*replaced?, view));
            }
        }
    }
}

/// The object after a merge patch (RFC 7386).
fn merged(object: &Value, patch: &[u8]) -> Result<Value, Failure> {
    let patch = decode::json(patch)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    if !patch.value.is_object() {
        let message = "error decoding patch: json: cannot unmarshal array into Go value of type \
                       map[string]interface {}";
        return Err(Failure::bad_request(message));
    }
    let mut merged = object.clone();
    merge(&mut merged, patch.value);
    Ok(merged)
}

fn merge(value: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *value = patch;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(serde_json::Map::new());
    }
    if let Value::Object(members) = value {
        for (name, change) in patch {
            match change {
                Value::Null => drop(members.remove(&name)),
                change => merge(members.entry(name).or_insert(Value::Null), change),
            }
        }
    }
}
