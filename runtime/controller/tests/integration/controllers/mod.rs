//! Tests of controllers against an in-memory API server, on a paused clock.

mod added;
mod apply;
mod cache;
mod clock;
mod clusters;
mod discovery;
mod election;
mod mapper;
mod model;
mod namespaces;
mod operations;
mod outcomes;
mod predicates;
mod queueing;
mod random;
mod read_your_writes;
mod reads;
mod results;
mod run;
mod selectors;
mod servers;
mod setup;
mod startup;
mod storage_migration;
mod upstream_defects;
mod watches;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use genclient::cache::ObjectName;
use genclient_controller::{
    Action, BoxError, Context, Controller, Failure, Manager, ManagerBuilder, Reconciler, Request,
    Result, RunError,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::api::Api;

/// A running manager.
struct Running {
    stop: CancellationToken,
    run: JoinHandle<std::result::Result<(), RunError>>,
}

impl Running {
    /// Starts a manager. `add` adds its controllers.
    async fn start(api: &Api, add: impl FnOnce(&mut Manager)) -> Self {
        Self::start_with(api, |builder| builder, add).await
    }

    async fn start_with(
        api: &Api,
        settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
        add: impl FnOnce(&mut Manager),
    ) -> Self {
        let builder = Manager::builder("tests").client(api.client());
        let mut manager = settings(builder).build().await.unwrap();
        add(&mut manager);
        let stop = CancellationToken::new();
        let run = tokio::spawn(manager.run(stop.clone()));
        Self { stop, run }
    }

    async fn stop(self) -> std::result::Result<(), RunError> {
        self.stop.cancel();
        self.run.await.unwrap()
    }
}

/// Function that a [`Scripted`] reconciler calls.
type Script = Box<dyn Fn(&Called, &Context) -> Result + Send + Sync>;

/// A reconciler of ConfigMaps that records its calls.
#[derive(Clone)]
struct Scripted {
    calls: Arc<Mutex<Vec<Called>>>,
    script: Arc<Script>,
}

/// A recorded call.
#[derive(Clone, Debug, Default, PartialEq)]
struct Called {
    name: String,
    /// The data of the object; `None` if the object was absent.
    data: Option<Value>,
    attempt: u32,
    reasons: Vec<String>,
}

impl Scripted {
    fn new(script: impl Fn(&Called, &Context) -> Result + Send + Sync + 'static) -> Self {
        Self {
            calls: Arc::default(),
            script: Arc::new(Box::new(script)),
        }
    }

    /// A reconciler that does nothing.
    fn idle() -> Self {
        Self::new(|_, _| Ok(Action::done()))
    }

    fn controller(&self) -> Controller<Request> {
        Controller::new(self.clone())
    }

    /// Returns the reconciles since the last call of this method.
    fn take(&self) -> Vec<Called> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// Like [`Self::take`], but returns only the names.
    fn names(&self) -> Vec<String> {
        self.take().into_iter().map(|call| call.name).collect()
    }

    fn call(&self, name: String, data: Option<Value>, cx: &Context) -> Result {
        let called = Called {
            name,
            data,
            attempt: cx.attempt(),
            reasons: cx.reasons().iter().map(ToString::to_string).collect(),
        };
        self.calls.lock().unwrap().push(called.clone());
        (self.script)(&called, cx)
    }
}

impl Reconciler for Scripted {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = ObjectName::from_object(&*object).to_string();
        let data = json!(object.data.clone().unwrap_or_default());
        self.call(name, Some(data), cx)
    }

    async fn absent(&self, name: &ObjectName, cx: &Context) -> Result {
        self.call(name.to_string(), None, cx)
    }
}

/// Runs all tasks that are ready, and advances the clock.
async fn advance(duration: Duration) {
    tokio::time::sleep(duration).await;
}

async fn settle() {
    advance(Duration::from_millis(50)).await;
}

fn config_map_json(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "namespace": "a", "name": name }, "data": { "value": value } })
}

/// Returns the messages of an error and its causes.
fn format_error_chain(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(format_error_chain);
    let causes = cause.map(|cause| format!(": {cause}"));
    format!("{error}{}", causes.unwrap_or_default())
}

fn failure(error: &'static str) -> Failure {
    let error: BoxError = error.into();
    error.into()
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
