//! Tests of requests and responses under the settings of a client.

mod answers;
mod metrics;
mod rate_limit;
mod retries;
mod warnings;
mod writes;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Method, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use tower::BoxError;

use super::StackSettings;
use super::stack::Stack;

/// Request as the server received it.
#[derive(Clone, Debug)]
struct Call {
    uri: String,
    body: Value,
    at: Instant,
}

/// Server that responds with `{}` in two parts, with pauses before the headers and before the
/// second part.
#[derive(Clone, Default)]
struct Server {
    calls: Arc<Mutex<Vec<Call>>>,
    /// Failures instead of that response, in order. The last one repeats.
    failures: Vec<Failure>,
    before_head: Duration,
    before_end: Duration,
    warnings: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
enum Failure {
    /// A status code, and a `Retry-After`.
    Code(u16, Option<&'static str>),
    /// No response.
    Connection(io::ErrorKind),
}

impl Server {
    fn client(&self, settings: StackSettings) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request| server.clone().answer(request));
        Client::new(Stack::new(service, Arc::new(settings)), "default")
    }

    async fn answer(
        self,
        request: Request<Body>,
    ) -> Result<
        Response<impl http_body::Body<Data = Bytes, Error = BoxError> + Send + Unpin>,
        BoxError,
    > {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        self.calls.lock().push(Call {
            uri: head.uri.to_string(),
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            at: Instant::now(),
        });
        sleep(self.before_head).await;
        let number = self.calls.lock().len();
        let (code, retry_after) = match self.failures.get(number - 1).or(self.failures.last()) {
            None => (200, None),
            Some(Failure::Code(code, retry_after)) => (*code, *retry_after),
            Some(Failure::Connection(kind)) => return Err(io::Error::from(*kind).into()),
        };
        let pause = self.before_end;
        let parts = futures::stream::iter(["{", "}"]).then(move |part| async move {
            if part == "}" {
                sleep(pause).await;
            }
            Ok::<_, BoxError>(Frame::data(Bytes::from(part)))
        });
        let mut response = Response::builder().status(code);
        if let Some(retry_after) = retry_after {
            response = response.header("Retry-After", retry_after);
        }
        for warning in self.warnings {
            response = response.header("Warning", *warning);
        }
        Ok(response.body(StreamBody::new(parts.boxed()))?)
    }
}

async fn send(client: &Client, method: Method, uri: &str, body: &Value) -> kube::Result<Value> {
    let body = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    let request = Request::builder().method(method).uri(uri).body(body);
    client.request(request.unwrap()).await
}

async fn get(client: &Client, uri: &str) -> kube::Result<Value> {
    send(client, Method::GET, uri, &Value::Null).await
}
