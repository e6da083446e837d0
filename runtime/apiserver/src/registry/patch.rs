//! PATCH: changes of an object.

use std::sync::Arc;

use serde_json::Value;

use super::pipeline::{self, Write};
use super::{ObjectRequest, output, update};
use crate::answer::Answer;
use crate::decode::{self, Decoded};
use crate::failure::Failure;
use crate::kinds::Origin;
use crate::patch;
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
        let patched = patched(request, &media_type, &old)?;
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

/// The object after the patch of the body.
fn patched(request: &ObjectRequest, media_type: &str, object: &Value) -> Result<Value, Failure> {
    let parsed = || {
        let decoded = decode::json(&request.body);
        let decoded = decoded.map(|decoded| decoded.value);
        decoded.map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))
    };
    let patched = match (media_type, &request.kind.origin) {
        ("application/merge-patch+json", _) => patch::merge_patch(object, &parsed()?),
        ("application/json-patch+json", _) => patch::json_patch(object, &request.body),
        ("application/strategic-merge-patch+json", Origin::Builtin(builtin)) => {
            let Some(type_) = builtin.type_ else {
                return Err(Failure::unsupported_media_type(ACCEPTED));
            };
            patch::strategic_merge_patch(object, &parsed()?, type_)
        }
        ("application/apply-patch+yaml", _) => {
            return Err(Failure::not_implemented("server-side apply"));
        }
        _ => return Err(Failure::unsupported_media_type(ACCEPTED)),
    };
    patched.map_err(|error| Failure::of_patch(error.code, error.reason, error.message))
}
