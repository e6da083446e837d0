//! HTTP responses: status codes, headers and bodies, watch streams included.

use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};
use http_body::{Frame, SizeHint};
use serde_json::Value;

use crate::status_error::StatusError;

/// Body of a response: a text, or the event stream of a watch.
pub struct ResponseBody(Content);

enum Content {
    Text(Option<Bytes>),
    Events(Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>),
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut self.0 {
            Content::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Content::Events(events) => {
                let event = events.as_mut().poll_next(cx);
                event.map(|event| event.map(|event| event.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Text(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Text(text) => {
                SizeHint::with_exact(text.as_ref().map_or(0, |it| it.len() as u64))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}

impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Content::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Content::Events(_) => f.write_str("Events"),
        }
    }
}

/// Response of the server, before it is converted to an HTTP response.
pub(crate) struct ApiResponse {
    pub(crate) code: u16,
    pub(crate) body: ApiResponseBody,
    pub(crate) warnings: Vec<String>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

pub(crate) enum ApiResponseBody {
    /// JSON text with its media type.
    Json(Vec<u8>, &'static str),
    Plain(String),
    Events(Events),
}

/// Event stream of a watch: one JSON line for each event.
pub(crate) type Events = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

impl ApiResponse {
    pub(crate) fn json(code: u16, text: Vec<u8>) -> Self {
        Self::new(code, ApiResponseBody::Json(text, "application/json"))
    }

    pub(crate) fn value(value: &Value) -> Self {
        Self::json(200, value.to_string().into_bytes())
    }

    pub(crate) fn plain(code: u16, text: impl Into<String>) -> Self {
        let response = Self::new(code, ApiResponseBody::Plain(text.into()));
        match code {
            400.. => response.header(X_CONTENT_TYPE_OPTIONS, "nosniff"),
            _ => response,
        }
    }

    pub(crate) fn events(events: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Self {
        Self::new(200, ApiResponseBody::Events(Box::pin(events)))
    }

    fn new(code: u16, body: ApiResponseBody) -> Self {
        Self {
            code,
            body,
            warnings: Vec::new(),
            headers: Vec::new(),
        }
    }

    /// Replaces the event stream of a watch by the result of `map`. Other responses are returned
    /// unchanged.
    pub(crate) fn map_events(mut self, map: impl FnOnce(Events) -> Events) -> Self {
        if let ApiResponseBody::Events(events) = self.body {
            self.body = ApiResponseBody::Events(map(events));
        }
        self
    }

    /// Replaces the media type of a JSON body. Other bodies keep theirs.
    pub(crate) fn media_type(mut self, media_type: &'static str) -> Self {
        if let ApiResponseBody::Json(_, current) = &mut self.body {
            *current = media_type;
        }
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        let value = HeaderValue::from_str(value).ok();
        self.headers.extend(value.map(|value| (name, value)));
        self
    }

    pub(crate) fn warn(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    pub(crate) fn from_error(error: &StatusError) -> Self {
        let mut response = Self::json(error.code, error.status().to_string().into_bytes());
        let details = error.details.as_deref();
        if let Some(seconds) = details.and_then(|details| details.retry_after) {
            response
                .headers
                .push((RETRY_AFTER, HeaderValue::from(seconds)));
        }
        response
    }

    pub(crate) fn into_http(self) -> Response<ResponseBody> {
        let (media_type, content) = match self.body {
            ApiResponseBody::Json(text, media_type) => {
                (media_type, Content::Text(Some(text.into())))
            }
            ApiResponseBody::Plain(text) => (
                "text/plain; charset=utf-8",
                Content::Text(Some(text.into())),
            ),
            ApiResponseBody::Events(events) => ("application/json", Content::Events(events)),
        };
        let mut response = Response::new(ResponseBody(content));
        *response.status_mut() =
            StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        // A 304 has no body, and therefore no media type.
        if self.code != 304 {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
        for (name, value) in self.headers {
            headers.insert(name, value);
        }
        for warning in truncate_warnings(self.warnings) {
            let text = warning.replace('\\', "\\\\").replace('"', "\\\"");
            let value = HeaderValue::from_bytes(format!("299 - \"{text}\"").as_bytes());
            headers.extend(value.ok().map(|value| (WARNING, value)));
        }
        response
    }
}

/// Removes duplicate warnings. If the remaining ones together exceed `MAX_CHARACTERS`, each is
/// truncated to `MAX_ITEM_CHARACTERS` characters. Warnings up to the first one that exceeded the
/// limit are then kept, and further ones until the truncated texts reach the limit. The rest is
/// dropped (`recorder.AddWarning` in k8s.io/apiserver/pkg/endpoints/filters).
fn truncate_warnings(mut warnings: Vec<String>) -> Vec<String> {
    /// Maximum length of all warnings together.
    const MAX_CHARACTERS: usize = 4096;
    /// Length to which each warning is truncated.
    const MAX_ITEM_CHARACTERS: usize = 256;
    let mut known = HashSet::new();
    warnings.retain(|warning| known.insert(warning.clone()));
    let mut length = 0;
    let end = warnings.iter().position(|warning| {
        length += warning.chars().count();
        length > MAX_CHARACTERS
    });
    let Some(end) = end else {
        return warnings;
    };
    let mut length = 0;
    let mut shown = Vec::new();
    for (index, warning) in warnings.iter().enumerate() {
        if index > end && length >= MAX_CHARACTERS {
            break;
        }
        let text: String = warning.chars().take(MAX_ITEM_CHARACTERS).collect();
        length += text.chars().count();
        shown.push(text);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::truncate_warnings;

    #[test]
    fn long_warnings_are_truncated() {
        let lengths = |warnings: &[(usize, usize)]| {
            let texts = warnings
                .iter()
                .enumerate()
                .flat_map(|(part, (count, length))| {
                    (0..*count)
                        .map(move |index| format!("{:a<1$}", format!("{part}-{index}"), *length))
                });
            let shown = truncate_warnings(texts.collect());
            shown.iter().map(String::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[(4, 1000)]), [1000; 4]);
        assert_eq!(lengths(&[(5, 1000)]), [256; 5]);
        assert_eq!(lengths(&[(1, 5000), (100, 300)]), [256; 16]);
        assert_eq!(lengths(&[(50, 100)]).len(), 41);
        assert_eq!(truncate_warnings(vec!["a".to_owned(); 3]), ["a"]);
    }
}
