//! In-memory API server: collections with a log of changes. Watches follow the log, with the delay
//! set by the test.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient::kube::core::SelectorExt;
use genclient::lister::{IntoSelector, Selector};
use http::{Method, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::responses::{
    ApiResponse, Target, apply_merge_patch, object_response, status_response, without_status,
};
use super::store::{Backup, Refusal, State, object_labels};

/// The in-memory API server. Clones share it.
#[derive(Clone)]
pub(crate) struct Api {
    state: Arc<Mutex<State>>,
    /// The number of changes.
    changes: watch::Sender<usize>,
    /// Returns the delay of the next event of a watch. The argument is the query of the watch.
    delay: Arc<Mutex<Delay>>,
    /// The time that each write takes.
    write_time: Arc<Mutex<Duration>>,
}

type Delay = Box<dyn FnMut(&str) -> Duration + Send>;
/// An open watch.
struct Watched {
    api: Api,
    resource: String,
    namespace: Option<String>,
    selector: Selector,
    query: String,
    /// The number of restores before the watch.
    restores: usize,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self {
            // Version 0 is reserved: in a request, it means any version.
            state: Arc::new(Mutex::new(State {
                version: 1,
                ..State::default()
            })),
            changes: watch::Sender::new(0),
            delay: Arc::new(Mutex::new(Box::new(|_| Duration::ZERO))),
            write_time: Arc::default(),
        }
    }

    pub(crate) fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let api = api.clone();
            async move { Ok::<_, Infallible>(api.handle(request).await) }
        });
        Client::new(service, "default")
    }

    /// Delays the events of all watches from now on.
    pub(crate) fn delay(&self, mut delay: impl FnMut() -> Duration + Send + 'static) {
        self.delay_by_query(move |_| delay());
    }

    /// Delays the events of watches from now on, by the query of each watch.
    pub(crate) fn delay_by_query(&self, delay: impl FnMut(&str) -> Duration + Send + 'static) {
        *self.delay.lock().unwrap() = Box::new(delay);
    }

    /// Answers writes from now on after a time.
    pub(crate) fn delay_writes(&self, time: Duration) {
        *self.write_time.lock().unwrap() = time;
    }

    /// Answers the next requests of a method and a resource with an error.
    pub(crate) fn refuse(&self, method: Method, resource: &str, code: u16, times: usize) {
        self.state.lock().unwrap().refusals.push(Refusal {
            method,
            resource: resource.to_owned(),
            code,
            times,
        });
    }

    /// Ends the refusals of a resource.
    pub(crate) fn accept(&self, resource: &str) {
        let refusals = &mut self.state.lock().unwrap().refusals;
        refusals.retain(|refusal| refusal.resource != resource);
    }

    /// Stores an object, as if another client had sent it.
    pub(crate) fn put(&self, resource: &str, object: Value) -> Value {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let namespace = object["metadata"]["namespace"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let key = (namespace, name);
        self.change(|state| Some(state.store(resource, key, object)))
            .unwrap()
    }

    /// Deletes an object, as if another client had done it.
    pub(crate) fn remove(&self, resource: &str, namespace: &str, name: &str) {
        let key = (namespace.to_owned(), name.to_owned());
        self.change(|state| state.delete(resource, &key));
    }

    pub(crate) fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let state = self.state.lock().unwrap();
        let key = (namespace.to_owned(), name.to_owned());
        state.objects.get(resource)?.get(&key).cloned()
    }

    pub(crate) fn backup(&self) -> Backup {
        self.state.lock().unwrap().backup()
    }

    /// Goes back to a backup, as after a restore of etcd, and ends all watches.
    pub(crate) fn restore(&self, backup: Backup) {
        self.change(|state| state.restore(backup));
    }

    /// Returns every object of a resource.
    pub(crate) fn list(&self, resource: &str) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        let objects = state.objects.get(resource).into_iter().flatten();
        objects.map(|(_, object)| object.clone()).collect()
    }

    /// Returns path and selectors of each list request since the last call of this method.
    pub(crate) fn lists(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().lists)
    }

    /// Returns method, path and query of each write request since the last call of this method.
    pub(crate) fn writes(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().writes)
    }

    /// Returns the body of each DELETE request since the last call of this method.
    pub(crate) fn delete_options(&self) -> Vec<Value> {
        std::mem::take(&mut self.state.lock().unwrap().delete_options)
    }

    /// Returns the number of open watches of a resource.
    pub(crate) fn watches(&self, resource: &str) -> usize {
        let state = self.state.lock().unwrap();
        { state.watched.iter() }
            .filter(|it| *it == resource)
            .count()
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap();
        let result = change(&mut state);
        self.changes.send_replace(state.log.len());
        result
    }

    async fn handle(&self, request: Request<Body>) -> ApiResponse {
        let (head, body) = request.into_parts();
        let target = Target::parse(head.uri.path());
        let query = head.uri.query().unwrap_or_default().to_owned();
        let body = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        if let Some(code) = self.refusal(&head.method, &target.resource) {
            return status_response(code, "told to refuse");
        }
        match head.method {
            Method::GET if query.contains("sendInitialEvents") => {
                status_response(422, "no watch lists")
            }
            Method::GET if query.contains("watch=") => self.watch(&target, &query),
            Method::GET => {
                if target.name.is_none() {
                    self.record_list(&head.uri);
                }
                self.read(&target, &parse_label_selector(&query))
            }
            method => {
                let write = format!("{method} {}", head.uri);
                self.state.lock().unwrap().writes.push(write);
                let time = *self.write_time.lock().unwrap();
                if !time.is_zero() {
                    tokio::time::sleep(time).await;
                }
                self.write(&method, &target, body)
            }
        }
    }

    fn record_list(&self, uri: &http::Uri) {
        let query = uri.query().unwrap_or_default().split('&');
        let selectors: Vec<_> = query
            .filter(|pair| pair.contains("Selector="))
            .map(|pair| {
                pair.replace("%3D", "=")
                    .replace("%2C", ",")
                    .replace("%21", "!")
            })
            .collect();
        let list = format!("{}?{}", uri.path(), selectors.join("&"));
        self.state.lock().unwrap().lists.push(list);
    }

    fn refusal(&self, method: &Method, resource: &str) -> Option<u16> {
        let mut state = self.state.lock().unwrap();
        let mut refusals = state.refusals.iter_mut();
        let refusal =
            refusals.find(|it| it.times > 0 && it.method == *method && it.resource == resource)?;
        refusal.times -= 1;
        Some(refusal.code)
    }

    fn read(&self, target: &Target, selector: &Selector) -> ApiResponse {
        let state = self.state.lock().unwrap();
        if target.resource.is_empty() {
            let names = state.objects.keys().map(|name| json!({ "name": name }));
            return object_response(&json!({ "resources": names.collect::<Value>() }));
        }
        if target.name.is_some() {
            return match state.object(target) {
                Some(object) => object_response(object),
                None => status_response(404, "not found"),
            };
        }
        let objects = state
            .objects
            .get(&target.resource)
            .into_iter()
            .flatten()
            .filter(|((namespace, _), _)| target.covers(namespace))
            .map(|(_, object)| object);
        let items: Vec<_> = objects
            .filter(|object| selector.matches(&object_labels(object)))
            .collect();
        object_response(&json!({
            "apiVersion": "v1",
            "kind": "List",
            "metadata": { "resourceVersion": state.version.to_string() },
            "items": items,
        }))
    }

    fn write(&self, method: &Method, target: &Target, body: Value) -> ApiResponse {
        self.change(|state| {
            let stored = state.object(target).cloned();
            let name = target
                .name
                .clone()
                .or_else(|| Some(body["metadata"]["name"].as_str()?.to_owned()));
            let key = (
                target.namespace.clone().unwrap_or_default(),
                name.unwrap_or_default(),
            );
            let exists = state
                .objects
                .get(&target.resource)
                .is_some_and(|all| all.contains_key(&key));
            match (method.as_str(), stored) {
                ("POST", _) if exists => status_response(409, "already exists"),
                ("POST", _) => object_response(&state.store(
                    &target.resource,
                    key,
                    without_status(target, body),
                )),
                ("DELETE", Some(stored)) => {
                    let expected = &body["preconditions"];
                    let is_other = |field| {
                        let value = &expected[field];
                        !value.is_null() && *value != stored["metadata"][field]
                    };
                    let is_refused = is_other("uid") || is_other("resourceVersion");
                    let is_dry_run = !body["dryRun"].is_null();
                    state.delete_options.push(body);
                    if is_refused {
                        return status_response(409, "another uid or version");
                    }
                    if !is_dry_run {
                        state.delete(&target.resource, &key);
                    }
                    object_response(&json!({
                        "apiVersion": "v1", "kind": "Status", "status": "Success",
                        "details": { "name": key.1, "uid": stored["metadata"]["uid"] },
                    }))
                }
                ("PUT", Some(stored)) => {
                    let version = &body["metadata"]["resourceVersion"];
                    if !version.is_null() && *version != stored["metadata"]["resourceVersion"] {
                        return status_response(409, "the object has been modified");
                    }
                    object_response(&state.store(&target.resource, key, body))
                }
                ("PATCH", Some(stored)) => {
                    let mut patched = stored.clone();
                    match serde_json::from_value::<json_patch::Patch>(body.clone()) {
                        Ok(patch) => match json_patch::patch(&mut patched, &patch) {
                            Ok(()) => {}
                            Err(error) => return status_response(422, &error.to_string()),
                        },
                        Err(_) => apply_merge_patch(&mut patched, without_status(target, body)),
                    }
                    if patched == stored {
                        object_response(&stored)
                    } else {
                        object_response(&state.store(&target.resource, key, patched))
                    }
                }
                ("PATCH", None) => object_response(&state.store(
                    &target.resource,
                    key,
                    without_status(target, body),
                )),
                _ => status_response(404, "not found"),
            }
        })
    }

    fn watch(&self, target: &Target, query: &str) -> ApiResponse {
        let mut pairs = query.split('&');
        let version = pairs.find_map(|pair| pair.strip_prefix("resourceVersion="));
        let watched = Watched::new(self, target, query);
        let since = version.and_then(|version| version.parse().ok());
        let start = (watched, self.changes.subscribe(), since.unwrap_or(0));
        let lines = futures::stream::unfold(start, |(watched, mut changes, since)| async move {
            loop {
                if watched.is_over() {
                    return None;
                }
                if let Some((version, line)) = watched.after(since) {
                    let delay = (watched.api.delay.lock().unwrap())(&watched.query);
                    if !delay.is_zero() {
                        tokio::time::sleep(delay).await;
                    }
                    let frame = Frame::data(Bytes::from(line + "\n"));
                    return Some((Ok::<_, Infallible>(frame), (watched, changes, version)));
                }
                changes.changed().await.ok()?;
            }
        });
        Response::new(StreamBody::new(lines.boxed()).boxed_unsync())
    }
}

impl Watched {
    fn new(api: &Api, target: &Target, query: &str) -> Self {
        let mut state = api.state.lock().unwrap();
        state.watched.push(target.resource.clone());
        let restores = state.restores;
        drop(state);
        Self {
            api: api.clone(),
            resource: target.resource.clone(),
            namespace: target.namespace.clone(),
            selector: parse_label_selector(query),
            query: query.to_owned(),
            restores,
        }
    }

    fn is_over(&self) -> bool {
        self.api.state.lock().unwrap().restores != self.restores
    }

    /// Returns the first event after a version that the watch selects, with its version.
    fn after(&self, since: u64) -> Option<(u64, String)> {
        let state = self.api.state.lock().unwrap();
        let at = { &state.log }.partition_point(|change| change.version <= since);
        let mut rest = state.log[at..].iter();
        rest.find_map(|change| {
            let namespace = &change.object["metadata"]["namespace"];
            let is_inside = { self.namespace.iter() }.all(|it| *namespace == **it);
            if !is_inside || change.resource != self.resource {
                return None;
            }
            let kind = change.seen_by(&self.selector)?;
            let line = json!({ "type": kind, "object": change.object });
            Some((change.version, line.to_string()))
        })
    }
}

/// Returns the label selector of a query.
fn parse_label_selector(query: &str) -> Selector {
    let mut pairs = query.split('&');
    let text = pairs
        .find_map(|pair| pair.strip_prefix("labelSelector="))
        .unwrap_or_default()
        .replace("%3D", "=")
        .replace("%2C", ",");
    text.replace("%21", "!").as_str().into_selector().unwrap()
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut state = self.api.state.lock().unwrap();
        let mut watched = state.watched.iter();
        let at = watched.position(|it| *it == self.resource).unwrap();
        state.watched.swap_remove(at);
    }
}
