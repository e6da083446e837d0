//! [`WriteDefaults`]: default parameters of writes, such as the field manager.

use std::fmt::Write as _;

use bytes::Bytes;
use futures::FutureExt;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Uri};
use http_body_util::BodyExt;
use kube::api::ValidationDirective;
use kube::client::Body;
use serde_json::{Value, json};
use tower::BoxError;

/// Parameters that are added to writes which do not set them.
#[derive(Default)]
pub(super) struct WriteDefaults {
    pub(super) field_manager: Option<String>,
    /// Field manager of a server-side apply if neither the request nor `field_manager` names one.
    pub(super) applier: Option<String>,
    pub(super) field_validation: Option<ValidationDirective>,
    pub(super) dry_run: bool,
}

/// Error of a dry run: `dryRun` cannot be added to the options in the body of a delete.
#[derive(Debug, thiserror::Error)]
#[error("cannot add `dryRun` to a delete: its body is not a JSON object in memory")]
struct NoJsonBody;

impl WriteDefaults {
    /// Adds the parameters that a write does not set.
    pub(super) fn apply(&self, request: Request<Body>) -> Result<Request<Body>, BoxError> {
        match request.method().clone() {
            Method::POST | Method::PUT | Method::PATCH if !is_connect(request.uri().path()) => {
                self.add_parameters(request)
            }
            // `dryRun` goes into the body, since the API server ignores the query parameters of a
            // delete that has a body.
            Method::DELETE if self.dry_run => add_dry_run(request),
            _ => Ok(request),
        }
    }

    fn add_parameters(&self, mut request: Request<Body>) -> Result<Request<Body>, BoxError> {
        let validation = self.field_validation.as_ref();
        // Without a field manager, the API server rejects an apply. For other writes, it uses the
        // user agent.
        let applier = self.applier.as_ref().filter(|_| is_apply(&request));
        let manager = self.field_manager.as_ref().or(applier);
        let parameters = [
            ("fieldManager", manager.map(String::as_str)),
            (
                "fieldValidation",
                validation.map(ValidationDirective::as_str),
            ),
            ("dryRun", self.dry_run.then_some("All")),
        ];
        let given = request.uri().query().unwrap_or_default();
        let mut query = given.to_owned();
        for (name, value) in parameters {
            let names = |pair: &str| pair.split('=').next() == Some(name);
            if let Some(value) = value
                && !given.split('&').any(names)
            {
                query.push_str(if query.is_empty() || query.ends_with('&') {
                    ""
                } else {
                    "&"
                });
                query.push_str(name);
                query.push('=');
                push_escaped(&mut query, value);
            }
        }
        if query != given {
            *request.uri_mut() = replace_query(request.uri(), &query)?;
        }
        Ok(request)
    }
}

/// Whether a request is a server-side apply. Its body may be JSON, YAML or CBOR.
fn is_apply<B>(request: &Request<B>) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/apply-patch"))
}

/// Whether a path is a subresource that opens a connection, such as `exec`. A `POST`, `PUT` or
/// `PATCH` to it is not a write and does not get the default parameters.
///
/// Only the segments of resource and subresource are compared, since a namespace may be named
/// `proxy` and an object `exec`. If a write to such an object were mistaken for a connection, it
/// would not get `dryRun` and would be executed.
fn is_connect(path: &str) -> bool {
    let Some((_, path)) = path.split_once("/api/v1/") else {
        return false;
    };
    let mut segments = path.split('/').peekable();
    if segments.next_if_eq(&"namespaces").is_some() {
        segments.next();
    }
    let resource = segments.next();
    let subresource = segments.nth(1);
    matches!(
        (resource, subresource),
        (
            Some("pods"),
            Some("attach" | "exec" | "portforward" | "proxy")
        ) | (Some("services" | "nodes"), Some("proxy"))
    )
}

fn replace_query(uri: &Uri, query: &str) -> Result<Uri, BoxError> {
    let mut parts = uri.clone().into_parts();
    let path_and_query = format!("{}?{query}", uri.path());
    parts.path_and_query = Some(path_and_query.parse()?);
    Ok(Uri::from_parts(parts)?)
}

fn push_escaped(query: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            query.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(query, "%{byte:02X}");
        }
    }
}

fn add_dry_run(request: Request<Body>) -> Result<Request<Body>, BoxError> {
    let (head, body) = request.into_parts();
    let body = body.collect().now_or_never().ok_or(NoJsonBody)??.to_bytes();
    let mut options = if body.is_empty() {
        json!({})
    } else {
        serde_json::from_slice(&body)?
    };
    let Value::Object(members) = &mut options else {
        return Err(NoJsonBody.into());
    };
    members.insert("dryRun".to_owned(), json!(["All"]));
    let body = Bytes::from(serde_json::to_vec(&options)?);
    Ok(Request::from_parts(head, Body::from(body)))
}
