//! Evaluation of a webhook's response: its body or, after a failure, client-go's error message.
//!
//! Source: `transformResponse` and `Result.Into` of k8s.io/client-go/rest,
//! `NewGenericServerResponse` of k8s.io/apimachinery/pkg/api/errors.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use crate::webhook_services::WebhookResponse;

/// Maximum length of the part of a body that an error message quotes, in bytes.
const MAX_QUOTED: usize = 2048;

impl WebhookResponse {
    /// Returns the body of a successful response, or else client-go's error message.
    pub(super) fn into_body(self) -> Result<Bytes, String> {
        let code = self.status.as_u16();
        if !(200..=206).contains(&code) {
            return Err(self.error_message());
        }
        if self.body.is_empty() {
            let media_type = self.media_type().unwrap_or("application/json");
            return Err(format!(
                "0-length response with status code: {code} and content type: {media_type}"
            ));
        }
        Ok(self.body)
    }

    fn media_type(&self) -> Option<&str> {
        let header = self.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        Some(header).filter(|it| !it.is_empty())
    }

    /// Returns the message of the Status in the body or, without a Status, the message for the
    /// status code.
    fn error_message(&self) -> String {
        let status: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let is_status = status["kind"] == "Status" && status["apiVersion"] == "v1";
        if is_status && status["status"] == "Failure" {
            return status["message"].as_str().unwrap_or_default().to_owned();
        }
        let is_text = self.media_type().is_none_or(|it| it.starts_with("text/"));
        let shown = &self.body[..self.body.len().min(MAX_QUOTED)];
        let shown = if is_text {
            String::from_utf8_lossy(shown).trim().to_owned()
        } else {
            "unknown".to_owned()
        };
        message_for_code(self.status, shown)
    }
}

/// Returns client-go's message for a status code. For some codes, the message contains `body_text`.
fn message_for_code(status: StatusCode, body_text: String) -> String {
    let sentence = match status.as_u16() {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        406 if body_text.is_empty() || body_text == "unknown" => {
            "the server was unable to respond with a content type that the client supports"
        }
        403 | 406 | 415 => return body_text,
        409 => "the server reported a conflict",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be \
             processing the request"
        }
        500.. => {
            let body_text = genclient_apimachinery::go::quoted(&body_text);
            return format!(
                "an error on the server ({body_text}) has prevented the request from succeeding"
            );
        }
        code => {
            return format!(
                "the server responded with the status code {code} but did not return more \
                 information"
            );
        }
    };
    sentence.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, HeaderValue};

    #[track_caller]
    fn check(code: u16, media_type: &'static str, body: &'static str, expected: &str) {
        let mut headers = HeaderMap::new();
        if !media_type.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        let response = WebhookResponse {
            status: StatusCode::from_u16(code).unwrap(),
            headers,
            body: Bytes::from_static(body.as_bytes()),
        };
        let found = response
            .into_body()
            .map_or_else(|error| error, |body| String::from_utf8_lossy(&body).into());
        assert_eq!(found, expected);
    }

    #[test]
    fn webhook_error_messages_depend_on_the_status_code() {
        let expected = "the server could not find the requested resource";
        check(404, "text/plain", "404 page not found\n", expected);
        check(
            500,
            "text/plain; charset=utf-8",
            "a \"b\"\n",
            "an error on the server (\"a \\\"b\\\"\") has prevented the request from succeeding",
        );
        check(
            500,
            "application/json",
            "{}",
            "an error on the server (\"unknown\") has prevented the request from succeeding",
        );
        check(
            418,
            "",
            "",
            "the server responded with the status code 418 but did not return more information",
        );
        check(403, "", " no ", "no");
    }

    #[test]
    fn status_message_in_the_body_takes_precedence() {
        let body = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}"#;
        check(503, "application/json", body, "sorry");
    }

    #[test]
    fn success_with_an_empty_body_is_an_error() {
        check(200, "application/json", "{}", "{}");
        let expected = "0-length response with status code: 200 and content type: text/html";
        check(200, "text/html", "", expected);
        let expected = "0-length response with status code: 204 and content type: application/json";
        check(204, "", "", expected);
    }
}
