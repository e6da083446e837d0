//! Connection to the API server that tests can cut, with a record of its responses.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use kube::Client;
use kube::client::Body;
use tokio_util::sync::CancellationToken;

/// A gate between a client and the API server, open at first. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Gate {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_closed: bool,
    /// Cancelled to end requests that have passed.
    cut: CancellationToken,
    passed: Vec<Passed>,
}

/// A request that has passed.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) query: String,
    pub(crate) status: u16,
    /// Whether a watch got the error that its version has expired.
    pub(crate) has_expired: bool,
}

impl Gate {
    /// Returns a client of the API server behind the gate.
    pub(crate) fn client(&self, server: Client) -> Client {
        let gate = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (gate, server) = (gate.clone(), server.clone());
            async move { gate.pass(server, request).await }
        });
        Client::new(service, "default")
    }

    /// Cuts open connections, and refuses new requests.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        std::mem::take(&mut state.cut).cancel();
    }

    pub(crate) fn open(&self) {
        self.state().is_closed = false;
    }

    pub(crate) fn passed(&self) -> Vec<Passed> {
        self.state().passed.clone()
    }

    async fn pass(
        self,
        server: Client,
        request: Request<Body>,
    ) -> Result<Response<impl http_body::Body<Data = Bytes, Error = io::Error> + use<>>, io::Error>
    {
        let cut = {
            let state = self.state();
            if state.is_closed {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            state.cut.clone()
        };
        let query = request.uri().query().unwrap_or_default().to_owned();
        let answer = server.send(request).await.map_err(io::Error::other)?;
        let number = self.remember(query, answer.status().as_u16());
        let (head, body) = answer.into_parts();
        let data = body.into_data_stream().map_err(io::Error::other);
        let data = data.inspect_ok(move |data| self.look(number, data));
        // The reader of a cut connection gets an error, and not an end.
        let end = futures::stream::once(async { Err(io::ErrorKind::ConnectionReset.into()) });
        let is_cut = cut.clone();
        let end = end.filter(move |_| futures::future::ready(is_cut.is_cancelled()));
        let data = data.take_until(cut.cancelled_owned()).chain(end);
        Ok(Response::from_parts(
            head,
            StreamBody::new(data.map_ok(Frame::data)),
        ))
    }

    fn remember(&self, query: String, status: u16) -> usize {
        let mut state = self.state();
        state.passed.push(Passed {
            query,
            status,
            has_expired: false,
        });
        state.passed.len() - 1
    }

    fn look(&self, number: usize, data: &Bytes) {
        let text = String::from_utf8_lossy(data);
        if text.contains(r#""type":"ERROR""#) && text.contains(r#""code":410"#) {
            self.state().passed[number].has_expired = true;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Gate")
            .field("is_closed", &state.is_closed)
            .field("passed", &state.passed)
            .finish_non_exhaustive()
    }
}
