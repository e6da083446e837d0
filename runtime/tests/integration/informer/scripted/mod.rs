//! Scripted API server in memory.
//!
//! A script is a list of responses for one collection. Requests consume them in order and are
//! recorded as short texts, so that a test reads as a dialogue:
//!
//! ```text
//! let api = Api::new();
//! let watch = stream([added("a/two@11")]).end();
//! api.answer([refuse(422, "Invalid"), list("10", ["a/one@5"]), watch, hang()]);
//! // … run an informer over `api.client()` …
//! assert_eq!(api.requests(), ["watch-list", "list rv=0 limit=500", "watch rv=10", "watch rv=11"]);
//! ```
//!
//! Objects are ConfigMaps, written `namespace/name@resourceVersion`. A request without a scripted
//! response waits forever.

mod answer;
mod line;
mod time;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genclient::kube::Client;
use genclient::kube::client::Body;
use http::Request;
use tokio::time::Instant;

pub(crate) use answer::{
    Answer, Feed, body, busy, feed, hang, list, lost_connection, page, refuse, refused_connection,
    stream, untrusted_connection,
};
pub(crate) use line::{added, bookmark, deleted, event, failed, initial_events_end, modified};
pub(crate) use time::{eventually, settle};

/// Path of the ConfigMaps of all namespaces.
const ALL: &str = "/api/v1/configmaps";

/// The API server; clones share it.
#[derive(Clone)]
pub(crate) struct Api {
    state: Arc<Mutex<State>>,
}

struct State {
    started: Instant,
    scripts: HashMap<String, VecDeque<Answer>>,
    /// If set, answers instead of scripts.
    server: Option<Server>,
    requests: Vec<Recorded>,
}

/// Function that returns the response to a request.
type Server = Box<dyn FnMut(&Recorded) -> Answer + Send>;

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Time since the creation of the API server.
    pub(crate) at: Duration,
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) headers: http::HeaderMap,
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

    /// Returns a client of this server.
    pub(crate) fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let answer = api.record(&request);
            answer.respond()
        });
        Client::new(service, "default")
    }

    /// Adds responses for requests of all namespaces.
    pub(crate) fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.answer_path(ALL, answers);
    }

    /// Adds responses for requests of one namespace.
    pub(crate) fn answer_in(&self, namespace: &str, answers: impl IntoIterator<Item = Answer>) {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        self.answer_path(&path, answers);
    }

    /// Adds responses for requests of any path.
    pub(crate) fn answer_path(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        let mut state = self.state.lock().unwrap();
        let script = state.scripts.entry(path.to_owned()).or_default();
        script.extend(answers);
    }

    /// Answers every request with `server`; requests are then not recorded.
    pub(crate) fn serve(&self, server: impl FnMut(&Recorded) -> Answer + Send + 'static) {
        self.state.lock().unwrap().server = Some(Box::new(server));
    }

    /// Returns the recorded requests as short texts.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.recorded().iter().map(Recorded::short).collect()
    }

    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        self.state.lock().unwrap().requests.clone()
    }

    /// Waits until this many requests were made.
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
    /// `watch-list`, `watch rv=10`, `list rv=0 limit=500`: absent parameters are omitted.
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
