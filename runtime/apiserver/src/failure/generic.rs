//! Failures made from a status code alone, with client-go's reason and message.

use super::{Details, Failure};

impl Failure {
    /// Returns the failure with the reason and message that client-go derives from a status code
    /// (`NewGenericServerResponse`). For 413, reason and message are the API server's.
    pub(crate) fn of_code(code: u16) -> Self {
        let (reason, message) = match code {
            400 => (
                "BadRequest",
                "the server rejected our request for an unknown reason",
            ),
            401 => (
                "Unauthorized",
                "the server has asked for the client to provide credentials",
            ),
            403 => (
                "Forbidden",
                "the server does not allow access to the requested resource",
            ),
            404 => (
                "NotFound",
                "the server could not find the requested resource",
            ),
            405 => (
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
            ),
            406 => (
                "NotAcceptable",
                "the server was unable to respond with a content type that the client supports",
            ),
            409 => ("Conflict", "the server reported a conflict"),
            413 => ("RequestEntityTooLarge", "Request entity too large"),
            415 => (
                "UnsupportedMediaType",
                "the body of the request was in an unknown format",
            ),
            422 => (
                "Invalid",
                "the server rejected our request due to an error in our request",
            ),
            429 => (
                "TooManyRequests",
                "the server has received too many requests and has asked us to try again later",
            ),
            503 => (
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            504 => (
                "Timeout",
                "the server was unable to return a response in the time allotted, but may still be \
                 processing the request",
            ),
            500.. => (
                "InternalError",
                "an error on the server (\"unknown\") has prevented the request from succeeding",
            ),
            _ => return Self::unknown(code, unexplained_message(code)).with(Details::default()),
        };
        Self::new(code, reason, message.to_owned()).with(Details::default())
    }
}

/// Returns client-go's message for a status code without a specific message.
fn unexplained_message(code: u16) -> String {
    format!("the server responded with the status code {code} but did not return more information")
}
