//! OpenAPI v2: a document without paths and definitions.
//!
//! kubectl reads it before it creates an object whose kind has no PATCH in OpenAPI v3, such as a
//! TokenReview or a kind that is not served. Without a definition of the kind, kubectl leaves the
//! validation to the server (`validateResource` in k8s.io/kubectl, pkg/util/openapi/validation).

use http::HeaderMap;
use http::header::ACCEPT;
use serde_json::json;

use crate::api_response::ApiResponse;

/// Media type that client-go accepts (`openAPIV2mimePb` in k8s.io/client-go/discovery). It is not
/// valid in a response, as Go cannot parse its `@`.
const PROTOBUF_REQUEST: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

const TITLE: &str = "Kubernetes";
const VERSION: &str = "v1.36.3";

/// Responds in protobuf, if the client accepts it, or else in JSON.
pub(super) fn respond(headers: &HeaderMap) -> ApiResponse {
    let accept = headers.get(ACCEPT).and_then(|it| it.to_str().ok());
    if accept.is_some_and(|accept| {
        [PROTOBUF_REQUEST, PROTOBUF]
            .iter()
            .any(|it| accept.contains(it))
    }) {
        return ApiResponse::json(200, encode_document()).media_type(PROTOBUF);
    }
    ApiResponse::value(&json!({
        "swagger": "2.0",
        "info": { "title": TITLE, "version": VERSION },
        "paths": {},
        "definitions": {},
    }))
}

/// Returns the document as the message `Document` of gnostic (OpenAPIv2.proto): `swagger` is field
/// 1, `info` is field 2 with title and version.
fn encode_document() -> Vec<u8> {
    let info = [
        encode_field(1, TITLE.as_bytes()),
        encode_field(2, VERSION.as_bytes()),
    ]
    .concat();
    [encode_field(1, b"2.0"), encode_field(2, &info)].concat()
}

/// Encodes a field of fewer than 128 bytes.
fn encode_field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap_or_default();
    [&[number << 3 | 2, length], content].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_encoded_as_gnostic_does() {
        let expected = b"\x0a\x032.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.36.3";
        assert_eq!(encode_document(), expected);
    }
}
