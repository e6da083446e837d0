//! An API server that says what a script tells it to, in memory.
//!
//! A script is a list of answers for one collection; requests take them in order and are written down as short texts, so that a
//! test reads as a dialogue:
//!
//! ```text
//! let api = Api::new();
//! api.answer([refuse(422, "Invalid"), list("10", ["a/one@5"]), stream([added("a/two@11")]).end(), hang()]);
//! // … run an informer over `api.client()` …
//! assert_eq!(api.requests(), ["watch-list", "list rv=0 limit=500", "watch rv=10", "watch rv=11"]);
//! ```
//!
//! Objects are ConfigMaps, written `namespace/name@resourceVersion`. A request without an answer waits forever.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use genclient::cache::ObjectName;
use genclient::kube::Client;
use genclient::kube::client::Body;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// Where ConfigMaps of all namespaces are.
const ALL: &str = "/api/v1/configmaps";

/// The API server. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Api {
    state: Arc<Mutex<State>>,
}

struct State {
    started: Instant,
    scripts: HashMap<String, VecDeque<Answer>>,
    /// In place of scripts, if there is one.
    server: Option<Server>,
    requests: Vec<Recorded>,
}

/// Says what is answered to a request.
type Server = Box<dyn FnMut(&Recorded) -> Answer + Send>;

/// A request that was made.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Since the API server was made.
    pub(crate) at: Duration,
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) headers: http::HeaderMap,
}

/// What is answered to one request.
pub(crate) enum Answer {
    /// A status code and a body, piece by piece.
    Body(
        u16,
        UnboundedReceiver<Piece>,
        Option<UnboundedSender<Piece>>,
    ),
    /// A status code and a `Retry-After`.
    Busy(u16, &'static str),
    /// There is no connection, or it goes away unanswered.
    Unconnected(io::ErrorKind),
    /// Nothing, ever.
    Nothing,
}

/// What of a body arrives.
pub(crate) type Piece = io::Result<Bytes>;

/// The other end of a stream that is written while the test runs. Dropping it ends the stream.
pub(crate) struct Feed {
    pieces: UnboundedSender<Piece>,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                started: Instant::now(),
                scripts: HashMap::new(),
                server: None,
                requests: Vec::new(),
            })),
        }
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let answer = api.record(&request);
            async move { respond(answer).await }
        });
        Client::new(service, "default")
    }

    /// Adds answers for requests of all namespaces.
    pub(crate) fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.answer_path(ALL, answers);
    }

    /// Adds answers for requests of one namespace.
    pub(crate) fn answer_in(&self, namespace: &str, answers: impl IntoIterator<Item = Answer>) {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        self.answer_path(&path, answers);
    }

    /// Adds answers for requests of any path.
    pub(crate) fn answer_path(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        let mut state = self.state.lock().unwrap();
        let script = state.scripts.entry(path.to_owned()).or_default();
        script.extend(answers);
    }

    /// Answers every request by what `server` says. Requests are not written down then.
    pub(crate) fn serve(&self, server: impl FnMut(&Recorded) -> Answer + Send + 'static) {
        self.state.lock().unwrap().server = Some(Box::new(server));
    }

    /// What was asked for, in short.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.recorded().iter().map(Recorded::short).collect()
    }

    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        self.state.lock().unwrap().requests.clone()
    }

    /// Waits until so many requests were made.
    pub(crate) async fn asked(&self, requests: usize) {
        eventually(|| self.state.lock().unwrap().requests.len() >= requests).await;
    }

    fn record(&self, request: &Request<Body>) -> Answer {
        let mut state = self.state.lock().unwrap();
        let query = request.uri().query().unwrap_or_default();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let recorded = Recorded {
            at: state.started.elapsed(),
            path: request.uri().path().to_owned(),
            query: pairs
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
            headers: request.headers().clone(),
        };
        if let Some(server) = &mut state.server {
            return server(&recorded);
        }
        let script = state.scripts.get_mut(&recorded.path);
        let answer = script.and_then(VecDeque::pop_front);
        state.requests.push(recorded);
        answer.unwrap_or(Answer::Nothing)
    }
}

impl Recorded {
    /// `watch-list`, `watch rv=10`, `list rv=0 limit=500`: what is absent is left out.
    fn short(&self) -> String {
        let has = |key| self.query.contains_key(key);
        let mut short = match (has("watch"), has("sendInitialEvents")) {
            (true, true) => "watch-list",
            (true, false) => "watch",
            (false, _) => "list",
        }
        .to_owned();
        for (key, name) in [
            ("resourceVersion", "rv"),
            ("limit", "limit"),
            ("continue", "continue"),
        ] {
            match self.query.get(key).map(String::as_str) {
                None | Some("") => {}
                Some(value) => short += &format!(" {name}={value}"),
            }
        }
        if let (false, Some(value)) = (has("watch"), self.query.get("resourceVersionMatch")) {
            short += &format!(" match={value}");
        }
        short
    }
}

async fn respond(answer: Answer) -> io::Result<Response<UnsyncBoxBody<Bytes, io::Error>>> {
    match answer {
        Answer::Unconnected(why) => Err(why.into()),
        Answer::Nothing => std::future::pending().await,
        Answer::Busy(status, retry_after) => {
            let response = Response::builder().status(status);
            let response = response.header(http::header::RETRY_AFTER, retry_after);
            let body = http_body_util::Empty::new().map_err(|never| match never {});
            Ok(response.body(body.boxed_unsync()).unwrap())
        }
        Answer::Body(status, pieces, open) => {
            // A sender that is kept here keeps the body from ending.
            let pieces = stream::unfold((pieces, open), |(mut pieces, open)| async move {
                Some((pieces.recv().await?, (pieces, open)))
            });
            let body = StreamBody::new(pieces.map(|piece| piece.map(Frame::data)));
            let response = Response::builder().status(status);
            Ok(response.body(body.boxed_unsync()).unwrap())
        }
    }
}

// === answers ===

/// A body with an end.
pub(crate) fn body(status: u16, text: impl Into<String>) -> Answer {
    let (sender, pieces) = unbounded_channel();
    sender.send(Ok(text.into().into())).unwrap();
    Answer::Body(status, pieces, None)
}

/// A `Status` that says no.
pub(crate) fn refuse(code: u16, reason: &str) -> Answer {
    body(code, status(code, reason).to_string())
}

/// A refusal without a body that says when to come back.
pub(crate) fn busy(code: u16, retry_after: &'static str) -> Answer {
    Answer::Busy(code, retry_after)
}

/// No connection.
pub(crate) fn refused_connection() -> Answer {
    Answer::Unconnected(io::ErrorKind::ConnectionRefused)
}

/// A connection that goes away before anything is answered.
pub(crate) fn lost_connection() -> Answer {
    Answer::Unconnected(io::ErrorKind::ConnectionReset)
}

/// No answer at all.
pub(crate) fn hang() -> Answer {
    Answer::Nothing
}

/// A whole list.
pub(crate) fn list<'a>(version: &str, objects: impl IntoIterator<Item = &'a str>) -> Answer {
    page(version, objects, "")
}

/// A part of a list; another follows unless `continue_token` is empty.
pub(crate) fn page<'a>(
    version: &str,
    objects: impl IntoIterator<Item = &'a str>,
    continue_token: &str,
) -> Answer {
    let items: Vec<Value> = objects.into_iter().map(listed).collect();
    let list = json!({
        "kind": "ConfigMapList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": version, "continue": continue_token},
        "items": items,
    });
    body(200, list.to_string())
}

/// A watch with these lines, which then stays open.
pub(crate) fn stream(lines: impl IntoIterator<Item = String>) -> Answer {
    let (feed, answer) = feed();
    lines.into_iter().for_each(|line| feed.line(line));
    match answer {
        Answer::Body(status, pieces, _) => Answer::Body(status, pieces, Some(feed.pieces)),
        answer => answer,
    }
}

impl Answer {
    /// Closes a stream after its last line.
    pub(crate) fn end(self) -> Self {
        match self {
            Self::Body(status, pieces, _) => Self::Body(status, pieces, None),
            answer => answer,
        }
    }

    /// Breaks the connection after the last line.
    pub(crate) fn broken(self) -> Self {
        if let Self::Body(.., Some(pieces)) = &self {
            pieces
                .send(Err(io::ErrorKind::ConnectionReset.into()))
                .unwrap();
        }
        self.end()
    }
}

/// A watch that is written while the test runs.
pub(crate) fn feed() -> (Feed, Answer) {
    let (sender, pieces) = unbounded_channel();
    (Feed { pieces: sender }, Answer::Body(200, pieces, None))
}

impl Feed {
    pub(crate) fn line(&self, line: impl Into<String>) {
        self.piece(line.into() + "\n");
    }

    pub(crate) fn piece(&self, text: impl Into<String>) {
        // Nobody listens any more to a stream that was given up.
        let _ = self.pieces.send(Ok(text.into().into()));
    }

    /// Whether the stream is still read.
    pub(crate) fn is_heard(&self) -> bool {
        !self.pieces.is_closed()
    }
}

// === lines of a watch ===

pub(crate) fn added(object: &str) -> String {
    event("ADDED", &listed(object))
}

pub(crate) fn modified(object: &str) -> String {
    event("MODIFIED", &listed(object))
}

pub(crate) fn deleted(object: &str) -> String {
    event("DELETED", &listed(object))
}

pub(crate) fn bookmark(version: &str) -> String {
    let object =
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"resourceVersion": version}});
    event("BOOKMARK", &object)
}

/// The bookmark that ends a streamed list.
pub(crate) fn initial_events_end(version: &str) -> String {
    let metadata = json!({
        "resourceVersion": version,
        "annotations": {"k8s.io/initial-events-end": "true"},
    });
    event(
        "BOOKMARK",
        &json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}),
    )
}

pub(crate) fn failed(code: u16, reason: &str) -> String {
    event("ERROR", &status(code, reason))
}

pub(crate) fn event(kind: &str, object: &Value) -> String {
    // Written as API servers do: no space, the type first.
    format!(r#"{{"type":"{kind}","object":{object}}}"#)
}

fn status(code: u16, reason: &str) -> Value {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": format!("told to say {reason}"),
    })
}

/// `namespace/name@version`; with a `!` at the end, the object cannot be read as a ConfigMap.
fn listed(text: &str) -> Value {
    let (text, is_broken) = match text.strip_suffix('!') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (name, version) = text.split_once('@').unwrap();
    let ObjectName { namespace, name } = name.parse().unwrap();
    json!({
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "namespace": namespace,
            "name": name,
            "uid": format!("uid-of-{name}"),
            "resourceVersion": version,
            "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:data": {}}}],
        },
        "data": if is_broken { json!(1) } else { json!({"version": version}) },
    })
}

// === time ===

/// Waits until `condition` holds. The clock is paused, so this takes no time; it fails after an hour of the paused clock.
#[track_caller]
pub(crate) fn eventually(condition: impl Fn() -> bool) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    async move {
        let deadline = Instant::now() + Duration::from_secs(3600);
        while !condition() {
            assert!(Instant::now() < deadline, "never came true, at {caller}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Lets everything happen that needs no time.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
