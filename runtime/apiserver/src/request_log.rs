//! Request log: one `tracing` event per request, at the level `debug`.

use std::io;
use std::time::Duration;

use http::{Method, Request, Uri};
use tokio::time::Instant;

use crate::api_response::ApiResponse;

/// Log line of a request that has no response yet.
pub(crate) struct RequestLog {
    method: Method,
    uri: Uri,
    begin: Instant,
    is_written: bool,
}

impl RequestLog {
    pub(crate) fn begin<B>(request: &Request<B>) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            begin: Instant::now(),
            is_written: false,
        }
    }

    /// Logs the request with its response. A watch is logged when its stream begins.
    pub(crate) fn end(mut self, response: &io::Result<ApiResponse>) {
        self.is_written = true;
        let (method, path, duration) = self.fields();
        match response {
            Ok(response) => {
                let code = response.code;
                tracing::debug!(%method, path, code, ?duration, "request");
            }
            Err(error) => tracing::debug!(%method, path, %error, ?duration, "request"),
        }
    }

    fn fields(&self) -> (&Method, &str, Duration) {
        let path = self.uri.path_and_query();
        let path = path.map_or_else(|| self.uri.path(), |path| path.as_str());
        (&self.method, path, self.begin.elapsed())
    }
}

/// Logs the request with an error if the client drops it before the response.
impl Drop for RequestLog {
    fn drop(&mut self) {
        if !self.is_written {
            let (method, path, duration) = self.fields();
            tracing::debug!(%method, path, error = "canceled by the client", ?duration, "request");
        }
    }
}
