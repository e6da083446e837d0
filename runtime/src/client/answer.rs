//! Answers of the API server: an object, or a [`Status`].
//!
//! kube's `Client::request` logs a body that it cannot read, at `WARN` and as a whole, with
//! whatever is in it, say the data of a Secret. Here, no body is logged and no error quotes a
//! value.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use kube::client::Body;
use kube::core::response::StatusDetails;
use kube::{Client, Error};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};

use super::{Deletion, Result, Status};
use crate::json::{describe, describe_field, from_slice};

/// How much of an answer is read. Longer lists are for [`pager`](crate::pager) and for informers.
const LONGEST_ANSWER: usize = 1 << 30;
/// How much of the text of an error is read.
const LONGEST_REFUSAL: usize = 64 << 10;
/// How long the text of an error may take.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(10);

/// Sends `request`, and reads the object that is answered.
pub(super) async fn object<T: DeserializeOwned + Send>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<T> {
    parse(&body(client, request).await?)
}

/// The same, where the answer may be a [`Status`] of success, too.
pub(super) async fn object_or_status<T: DeserializeOwned + Send>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<Deletion<T>> {
    #[derive(Deserialize)]
    struct AnswerKind<'a> {
        #[serde(borrow, default)]
        kind: Cow<'a, str>,
    }

    let body = body(client, request).await?;
    let is_status =
        matches!(serde_json::from_slice(&body), Ok(AnswerKind { kind }) if kind == "Status");
    if is_status {
        return parse(&body).map(Deletion::Completed);
    }
    parse(&body).map(Deletion::Accepted)
}

async fn body(client: &Client, request: Request<Vec<u8>>) -> Result<Bytes> {
    let response = client.send(request.map(Body::from)).await?;
    if !response.status().is_success() {
        return Err(Error::Api(Box::new(refusal(response).await)));
    }
    let body = Limited::new(response.into_body(), LONGEST_ANSWER);
    let body = body.collect().await.map_err(|error| {
        let error = error.downcast::<Error>();
        error.map_or_else(Error::Service, |error| *error)
    })?;
    Ok(body.to_bytes())
}

fn parse<T: DeserializeOwned + Send>(json: &[u8]) -> Result<T> {
    from_slice(json).map_err(|error| no_such(describe_field::<T>(json, &error)))
}

/// The error of an answer that cannot be read.
pub(super) fn unreadable(error: &serde_json::Error) -> Error {
    no_such(describe(error))
}

fn no_such(description: String) -> Error {
    Error::SerdeError(serde_json::Error::custom(description))
}

/// The status in the body of an error, or one made of what is there: proxies answer in HTML.
pub(crate) async fn refusal(response: Response<Body>) -> Status {
    let code = response.status();
    let retry_after = response.headers().get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = Limited::new(response.into_body(), LONGEST_REFUSAL).collect();
    let body = match tokio::time::timeout(REFUSAL_PATIENCE, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => Bytes::new(),
    };
    let mut status = match serde_json::from_slice::<Status>(&body) {
        Ok(status) if status.is_failure() => status,
        _ => unread(code, &body),
    };
    if status.code == 0 {
        status.code = code.as_u16();
    }
    // In the body it is as the API server means it; a proxy can only say it in the header.
    if let (None, Some(retry_after_seconds)) = (&status.details, retry_after) {
        status.details = Some(StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes: Vec::new(),
            retry_after_seconds,
        });
    }
    status
}

fn unread(code: StatusCode, body: &[u8]) -> Status {
    let text = String::from_utf8_lossy(body);
    let reason = code.canonical_reason().unwrap_or_default().replace(' ', "");
    Status::failure(text.trim(), &reason)
}
