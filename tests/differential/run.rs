//! Execution of a program on both servers, and comparison of the answers.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use http::Request;
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::answers::{Answer, Names};
use crate::kinds::{KINDS, Written};
use crate::objects;
use crate::programs::Step;

/// Number of runs without equal answers to a step after which the step counts as a difference. Go
/// starts iterating a small map at its first entry seven times out of eight.
const REPETITIONS: usize = 48;

/// Maximum number of repetitions of a program.
const MAX_REPETITIONS: usize = 1000;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The real server and the in-process one.
pub(crate) struct Pair {
    pub(crate) real: Client,
    pub(crate) memory: Client,
}

/// Result of comparing the answers to a program.
pub(crate) enum Comparison {
    Same { requests: u64, events: u64 },
    Different(Difference),
}

/// The first two answers that differ.
pub(crate) struct Difference {
    step: usize,
    real: Answer,
    memory: Answer,
}

/// Sends a program to both servers, each in a separate namespace.
pub(crate) async fn compare(pair: &Pair, program: &[Step], seed: u64) -> Result<Comparison> {
    let namespace = format!("p{seed}-{:08x}", fastrand::u32(..));
    let mut real = Session::begin(&pair.real, &namespace).await?;
    let mut memory = Session::begin(&pair.memory, &namespace).await?;
    for (step, request) in program.iter().enumerate() {
        let theirs = real.send(request).await?;
        let ours = memory.send(request).await?;
        if theirs != ours {
            return Ok(Comparison::Different(Difference {
                step,
                real: theirs,
                memory: ours,
            }));
        }
    }
    let mut events = 0;
    for (at, written) in KINDS.iter().enumerate() {
        let is_about = |step: &Step| step.path.starts_with(written.path);
        if !program.iter().any(is_about) {
            continue;
        }
        let theirs = real.history(written).await?;
        let ours = memory.history(written).await?;
        if theirs != ours {
            return Ok(Comparison::Different(Difference {
                step: program.len() + at,
                real: theirs,
                memory: ours,
            }));
        }
        events += theirs.body.as_array().map_or(0, Vec::len) as u64;
    }
    let requests = program.len() as u64;
    Ok(Comparison::Same { requests, events })
}

/// Whether kube-apiserver's answers to a program vary, because it iterates over Go maps in random
/// order, and ours equal one variant. Several steps may vary, so one run need not agree throughout:
/// the steps before its first difference have agreed.
pub(crate) async fn is_nondeterministic(
    pair: &Pair,
    program: &[Step],
    first: &Difference,
    seed: u64,
) -> Result<bool> {
    let (mut furthest, mut times) = (first.step, 1);
    for _ in 0..MAX_REPETITIONS {
        match compare(pair, program, seed).await? {
            Comparison::Same { .. } => return Ok(true),
            Comparison::Different(other) if other.step > furthest => {
                (furthest, times) = (other.step, 1);
            }
            Comparison::Different(other) if other.step == furthest => times += 1,
            Comparison::Different(_) => {}
        }
        if times == REPETITIONS {
            break;
        }
    }
    Ok(false)
}

/// Removes every step that the difference does not need, and prints the rest.
pub(crate) async fn shortest(
    pair: &Pair,
    mut program: Vec<Step>,
    mut difference: Difference,
    seed: u64,
) -> Result<String> {
    program.truncate(difference.step + 1);
    let mut at = program.len().saturating_sub(1);
    while at > 0 {
        at -= 1;
        let mut shorter = program.clone();
        shorter.remove(at);
        if let Comparison::Different(found) = compare(pair, &shorter, seed).await? {
            shorter.truncate(found.step + 1);
            at = at.min(shorter.len());
            (program, difference) = (shorter, found);
        }
    }
    let mut text = String::new();
    for step in &program {
        writeln!(text, "  {step}")?;
    }
    writeln!(text, "kube-apiserver: {}", difference.real)?;
    writeln!(text, "in the process: {}", difference.memory)?;
    Ok(text)
}

/// A program on one server, with the state that it has learned from the answers.
pub(crate) struct Session<'a> {
    client: &'a Client,
    namespace: &'a str,
    /// The version of the namespace, which all other versions follow.
    begin: String,
    names: Names,
    /// Versions and uid of each object.
    objects: BTreeMap<String, (Vec<String>, String)>,
}

impl<'a> Session<'a> {
    pub(crate) async fn begin(client: &'a Client, namespace: &'a str) -> Result<Self> {
        let body = json!({ "metadata": { "name": namespace } }).to_string();
        let request = Request::post("/api/v1/namespaces");
        let request = request.header("content-type", "application/json");
        let response = client
            .send(request.body(Body::from(body.into_bytes()))?)
            .await?;
        if response.status() != 201 {
            return Err(format!("namespace {namespace}: {}", response.status()).into());
        }
        let created = response.into_body().collect().await?.to_bytes();
        let created: Value = serde_json::from_slice(&created)?;
        let begin = created["metadata"]["resourceVersion"].as_str();
        Ok(Self {
            client,
            namespace,
            begin: begin.unwrap_or_default().to_owned(),
            names: Names::default(),
            objects: BTreeMap::new(),
        })
    }

    pub(crate) async fn send(&mut self, step: &Step) -> Result<Answer> {
        let path = self.filled(&step.path);
        let body = self.filled(&step.body);
        let request = Request::builder().method(step.method).uri(path);
        let request = request.header("content-type", step.media_type);
        let request = request.header("accept", "application/json");
        let request = request.header("user-agent", "differential/1.0");
        let response = self
            .client
            .send(request.body(Body::from(body.into_bytes()))?)
            .await?;
        let (head, body) = response.into_parts();
        let text = body.collect().await?.to_bytes();
        let body = serde_json::from_slice(&text);
        let body = body.unwrap_or_else(|_| String::from_utf8_lossy(&text).into());
        self.remember(&body);
        let header = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let answer = Answer {
            code: head.status.as_u16(),
            media_type: head
                .headers
                .get("content-type")
                .map(header)
                .unwrap_or_default(),
            warnings: head.headers.get_all("warning").iter().map(header).collect(),
            body,
        };
        let is_cached = step.path.contains("resourceVersion=0");
        let mut answer = self.names.normal(answer, is_cached);
        replace(&mut answer.body, self.namespace);
        Ok(answer)
    }

    /// Returns all events of a kind, up to that of an object that is created for this purpose.
    async fn history(&mut self, written: &Written) -> Result<Answer> {
        let last = objects::last(written);
        let create = Step {
            method: "POST",
            path: written.path.to_owned(),
            media_type: "application/json",
            body: last.to_string(),
        };
        self.send(&create).await?;
        let path = self.filled(written.path);
        let begin = &self.begin;
        let path = format!("{path}?watch=true&resourceVersion={begin}&timeoutSeconds=20");
        let request = Request::get(path).body(Body::empty())?;
        let response = self.client.send(request).await?;
        let code = response.status().as_u16();
        let mut body = response.into_body();
        let mut text = Vec::new();
        let mut events = Vec::new();
        let is_last = |event: &Value| event["object"]["metadata"]["name"] == objects::LAST;
        while !events.iter().any(is_last) {
            let Some(frame) = body.frame().await else {
                break;
            };
            text.extend_from_slice(frame?.data_ref().map_or(&[][..], |data| data));
            let lines = serde_json::Deserializer::from_slice(&text).into_iter::<Value>();
            events = lines.map_while(std::result::Result::ok).collect();
        }
        let answer = Answer {
            code,
            media_type: "application/json".to_owned(),
            warnings: Vec::new(),
            body: events.into(),
        };
        let mut answer = self.names.normal(answer, true);
        replace(&mut answer.body, self.namespace);
        Ok(answer)
    }

    /// Fills a text of a step with this server's versions and uids.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.replace("{namespace}", self.namespace);
        for (key, (versions, uid)) in &self.objects {
            let newest = versions.last().map_or("", String::as_str);
            let oldest = versions.first().map_or("", String::as_str);
            filled = filled.replace(&format!("{{version {key}}}"), newest);
            filled = filled.replace(&format!("{{stale {key}}}"), oldest);
            filled = filled.replace(&format!("{{uid {key}}}"), uid);
        }
        for what in ["version", "stale", "uid"] {
            while let Some(at) = filled.find(&format!("{{{what} ")) {
                let end = filled[at..]
                    .find('}')
                    .map_or(filled.len(), |end| at + end + 1);
                filled.replace_range(at..end, "1");
            }
        }
        filled
    }

    fn remember(&mut self, body: &Value) {
        let kind = body["kind"].as_str().unwrap_or_default();
        if kind != "Mover" && !KINDS.iter().any(|written| written.kind == kind) {
            return;
        }
        let plural = format!("{}s", kind.to_lowercase());
        let metadata = &body["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        let (name, version, uid) = (text("name"), text("resourceVersion"), text("uid"));
        let known = self.objects.entry(format!("{plural}/{name}")).or_default();
        if !version.is_empty() && !known.0.contains(&version) {
            known.0.push(version);
        }
        known.1 = uid;
    }
}

/// Replaces the name of the namespace, which differs in each run.
fn replace(value: &mut Value, namespace: &str) {
    match value {
        Value::String(text) => *text = text.replace(namespace, "NAMESPACE"),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, namespace)),
        Value::Object(members) => members.values_mut().for_each(|it| replace(it, namespace)),
        _ => {}
    }
}
