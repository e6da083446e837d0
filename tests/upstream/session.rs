//! Execution of a case's requests on one server, in a separate namespace.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use http::Request;
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::Failure;
use crate::answers::{Answer, Names};
use crate::cases::Step;
use crate::matching;

/// A server, with variables from the answers of earlier steps.
pub(crate) struct Session {
    client: Client,
    variables: BTreeMap<String, String>,
    names: Names,
}

/// The answer of a server to a step.
pub(crate) struct Found {
    codes: Vec<u16>,
    beside: Vec<u16>,
    body: Value,
    variables: BTreeMap<String, String>,
    /// The answer without values that differ between servers; `None` for concurrent requests.
    pub(crate) whole: Option<Answer>,
}

impl Session {
    pub(crate) async fn begin(client: Client) -> Result<Self, Failure> {
        let namespace = format!("u{:08x}", fastrand::u32(..));
        let variables = BTreeMap::from([("ns".to_owned(), namespace)]);
        let names = Names::default();
        let mut session = Self {
            client,
            variables,
            names,
        };
        let body = json!({ "metadata": { "name": "$ns" } });
        let path = "/api/v1/namespaces".to_owned();
        let sent = Sent {
            method: "POST",
            path,
            media_type: JSON,
            accept: JSON,
            body: Some(&body),
        };
        let answer = session.answer(&sent, "").await?;
        if answer.code != 201 {
            return Err(format!("no namespace: {answer}").into());
        }
        let version = &answer.body["metadata"]["resourceVersion"];
        let version = version.as_str().unwrap_or_default().to_owned();
        session.variables.insert("begin".to_owned(), version);
        Ok(session)
    }

    pub(crate) async fn send(&mut self, step: &Step) -> Result<Found, Failure> {
        let media_type = media_type(step.media_type.as_deref());
        let accept = step.accept.as_deref().unwrap_or(JSON);
        let sent = Sent::new(&step.request, media_type, accept, step.body.as_ref())?;
        if step.times.is_some() || step.beside.is_some() {
            return self.send_at_once(step, &sent).await;
        }
        let answer = self.answer(&sent, "").await?;
        for (name, pointer) in &step.save {
            let saved = answer.body.pointer(pointer);
            let saved = saved.ok_or_else(|| format!("nothing at {pointer}: {answer}"))?;
            let saved = saved.as_str().map_or(saved.to_string(), str::to_owned);
            self.variables.insert(name.clone(), saved);
        }
        let (codes, body) = (vec![answer.code], answer.body.clone());
        let mut whole = self
            .names
            .normal(answer, sent.path.contains("resourceVersion=0"));
        matching::replace(&mut whole.body, &|text| {
            matching::name(text, &self.variables)
        });
        let variables = self.variables.clone();
        Ok(Found {
            codes,
            beside: Vec::new(),
            body,
            variables,
            whole: Some(whole),
        })
    }

    async fn send_at_once(&self, step: &Step, sent: &Sent<'_>) -> Result<Found, Failure> {
        let beside = match &step.beside {
            None => None,
            Some(it) => {
                let media_type = media_type(it.media_type.as_deref());
                Some(Sent::new(&it.request, media_type, JSON, it.body.as_ref())?)
            }
        };
        let numbers: Vec<_> = (0..step.times.unwrap_or(1))
            .map(|it| it.to_string())
            .collect();
        let first = try_join_all(numbers.iter().map(|number| self.answer(sent, number)));
        let second = async {
            match &beside {
                None => Ok(Vec::new()),
                Some(it) => {
                    try_join_all(numbers.iter().map(|number| self.answer(it, number))).await
                }
            }
        };
        let (first, second) = futures::future::try_join(first, second).await?;
        let codes = |answers: &[Answer]| answers.iter().map(|it| it.code).collect();
        Ok(Found {
            codes: codes(&first),
            beside: codes(&second),
            body: Value::Null,
            variables: self.variables.clone(),
            whole: None,
        })
    }

    async fn answer(&self, sent: &Sent<'_>, number: &str) -> Result<Answer, Failure> {
        let filled = |text: &str| matching::fill(text, &self.variables).replace("$i", number);
        let body = match sent.body {
            None => Vec::new(),
            Some(Value::String(text)) => filled(text).into_bytes(),
            Some(body) => {
                let mut body = body.clone();
                matching::replace(&mut body, &filled);
                body.to_string().into_bytes()
            }
        };
        let request = Request::builder()
            .method(sent.method)
            .uri(filled(&sent.path));
        let request = request
            .header("accept", sent.accept)
            .header("user-agent", "upstream/1.0");
        let request = request.header("content-type", sent.media_type);
        let response = self.client.send(request.body(Body::from(body))?).await?;
        let (head, body) = response.into_parts();
        let text = body.collect().await?.to_bytes();
        let body = if sent.path.contains("watch=true") {
            let events = serde_json::Deserializer::from_slice(&text).into_iter();
            without_plain_bookmarks(events.collect::<Result<_, _>>()?).into()
        } else {
            let body = serde_json::from_slice(&text);
            body.unwrap_or_else(|_| String::from_utf8_lossy(&text).into())
        };
        let header = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let media_type = head.headers.get("content-type").map(header);
        Ok(Answer {
            code: head.status.as_u16(),
            media_type: media_type.unwrap_or_default(),
            warnings: head.headers.get_all("warning").iter().map(header).collect(),
            body,
        })
    }
}

impl Found {
    /// The differences from the expectations of a step.
    pub(crate) fn mismatches(&self, step: &Step) -> Vec<String> {
        let allowed = match &step.code {
            Value::Array(codes) => codes.clone(),
            code => vec![code.clone()],
        };
        let mut wrong = Vec::new();
        for code in self
            .codes
            .iter()
            .filter(|it| !allowed.contains(&Value::from(**it)))
        {
            wrong.push(format!(
                "{}: code {code} instead of {}",
                step.request, step.code
            ));
        }
        if let Some(beside) = &step.beside {
            let unexpected = |code: &&u16| !beside.codes.contains(code);
            for code in self.beside.iter().filter(unexpected) {
                wrong.push(format!("{}: code {code}", beside.request));
            }
        }
        if let Some(expected) = &step.answer {
            let mut expected = expected.clone();
            matching::replace(&mut expected, &|text| matching::fill(text, &self.variables));
            matching::compare(&expected, &self.body, "", &mut wrong);
        }
        if !wrong.is_empty() && self.whole.is_some() {
            wrong.push(format!("  of {}", self.body));
        }
        wrong
    }

    /// Code and answer to record, where they differ from the case file.
    pub(crate) fn recorded(&self, step: &Step) -> (Option<Value>, Option<Value>) {
        if self.whole.is_none() {
            return (None, None);
        }
        let code = self.codes.first().copied().map(Value::from);
        let answer = step.answer.as_ref().map(|expected| {
            let mut taken = matching::taken(expected, &self.body);
            matching::replace(&mut taken, &|text| matching::name(text, &self.variables));
            taken
        });
        (
            code.filter(|it| *it != step.code),
            answer.filter(|it| Some(it) != step.answer.as_ref()),
        )
    }
}

pub(crate) fn shown(answer: &Option<Answer>) -> String {
    answer
        .as_ref()
        .map_or_else(|| "requests at once".to_owned(), ToString::to_string)
}

/// Removes what depends on time and on other writers: bookmarks without annotations, and the
/// resource versions of the others.
fn without_plain_bookmarks(mut events: Vec<Value>) -> Vec<Value> {
    events.retain_mut(|event| {
        if event["type"] != "BOOKMARK" {
            return true;
        }
        let Some(metadata) = event["object"]["metadata"].as_object_mut() else {
            return false;
        };
        metadata.remove("resourceVersion");
        metadata.contains_key("annotations")
    });
    events
}

const JSON: &str = "application/json";

/// A request whose variables are not filled in yet.
struct Sent<'a> {
    method: &'a str,
    path: String,
    media_type: &'a str,
    accept: &'a str,
    body: Option<&'a Value>,
}

impl<'a> Sent<'a> {
    fn new(
        request: &'a str,
        media_type: &'a str,
        accept: &'a str,
        body: Option<&'a Value>,
    ) -> Result<Self, Failure> {
        let (method, path) = request.split_once(' ').ok_or("a request is METHOD PATH")?;
        let path = path.to_owned();
        Ok(Self {
            method,
            path,
            media_type,
            accept,
            body,
        })
    }
}

fn media_type(short: Option<&str>) -> &str {
    match short {
        None => JSON,
        Some("apply") => "application/apply-patch+yaml",
        Some("json") => "application/json-patch+json",
        Some("merge") => "application/merge-patch+json",
        Some("strategic") => "application/strategic-merge-patch+json",
        Some(whole) => whole,
    }
}
