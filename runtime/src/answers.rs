//! What a server answers that is a script, in tests.

use http::Response;
use http_body_util::Full;
use serde_json::{Value, json};

pub(crate) fn respond(code: u16, body: &Value) -> Response<Full<bytes::Bytes>> {
    Response::builder()
        .status(code)
        .body(Full::from(body.to_string()))
        .unwrap()
}

/// A `Status` that says no.
pub(crate) fn refusal(code: u16, reason: &str) -> Response<Full<bytes::Bytes>> {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
        "reason": reason, "message": "as the script says"});
    respond(code, &status)
}
