//! Parsing of request paths and building of responses for the in-memory API server.

use std::convert::Infallible;

use bytes::Bytes;
use http::Response;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

pub(crate) type ApiResponse = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// The target of a request, from its path.
pub(crate) struct Target {
    pub(crate) resource: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

impl Target {
    /// Parses the path of a collection, an object or a subresource.
    pub(crate) fn parse(path: &str) -> Self {
        let segments: Vec<_> = path.trim_matches('/').split('/').collect();
        let rest = match segments[..] {
            ["api", _, ref rest @ ..] | ["apis", _, _, ref rest @ ..] => rest,
            _ => &[],
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        Self {
            resource: rest.first().copied().unwrap_or_default().to_owned(),
            namespace: namespace.map(str::to_owned),
            name: rest.get(1).map(|name| (*name).to_owned()),
            subresource: rest.get(2).map(|subresource| (*subresource).to_owned()),
        }
    }

    pub(crate) fn covers(&self, namespace: &str) -> bool {
        self.namespace.as_deref().is_none_or(|it| it == namespace)
    }
}

/// Returns the body without the status: here, Pods have the `status` subresource.
pub(crate) fn without_status(target: &Target, mut body: Value) -> Value {
    if target.resource == "pods" && target.subresource.is_none() {
        body.as_object_mut().unwrap().remove("status");
    }
    body
}

/// Applies a merge patch: RFC 7386.
pub(crate) fn apply_merge_patch(into: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *into = patch;
        return;
    };
    if !into.is_object() {
        *into = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            into.as_object_mut().unwrap().remove(&key);
        } else {
            apply_merge_patch(&mut into[key.as_str()], value);
        }
    }
}

pub(crate) fn object_response(object: &Value) -> ApiResponse {
    Response::new(Full::from(object.to_string()).boxed_unsync())
}

pub(crate) fn status_response(code: u16, message: &str) -> ApiResponse {
    let status = json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure",
        "message": message, "reason": status_reason(code), "code": code,
    });
    let response = Response::builder().status(code);
    response
        .body(Full::from(status.to_string()).boxed_unsync())
        .unwrap()
}

fn status_reason(code: u16) -> &'static str {
    match code {
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        422 => "Invalid",
        _ => "InternalError",
    }
}
