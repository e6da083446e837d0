//! Replay of recorded cases on the in-process server.

use std::collections::BTreeSet;
use std::time::Duration;

use genclient_apiserver::{ApiServer, User};
use http::Request;
use http_body_util::{BodyExt, Full};
use serde::Deserialize;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::hooks::Hooks;
use super::normal::normalize;

/// Webhook configurations, and requests with their responses.
#[derive(Deserialize)]
pub struct Case {
    seed: String,
    /// Labels of the namespace.
    labels: Value,
    configurations: Vec<Value>,
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
pub struct Step {
    method: String,
    path: String,
    media: String,
    body: Value,
    code: u16,
    answer: Value,
    warnings: Vec<String>,
    calls: Vec<(String, Value)>,
}

/// Namespace that replaces `{ns}`.
const NAMESPACE: &str = "adm-in-process";

/// Sends the requests of a case and returns the first difference.
pub async fn find_difference(case: &Case) -> Option<String> {
    let hooks = Hooks::new();
    let handler = hooks.clone();
    let service = tower::service_fn(move |request| handler.clone().answer(request));
    let definition: Value =
        serde_json::from_str(include_str!("../../admission/definition.json")).unwrap();
    let server = ApiServer::builder()
        .objects([definition])
        .lag(Duration::ZERO)
        .controllers(false)
        .webhook_service("hooks", "webhook", service)
        .build()
        .unwrap();
    let namespace = json!({ "metadata": { "name": NAMESPACE, "labels": case.labels } });
    create_object(&server, "/api/v1/namespaces", &namespace).await;
    for configuration in &case.configurations {
        let kind = configuration["kind"].as_str().unwrap().to_lowercase();
        let path = format!("/apis/admissionregistration.k8s.io/v1/{kind}s");
        create_object(&server, &path, &with_services(configuration)).await;
    }
    hooks.take();
    for (at, step) in case.steps.iter().enumerate() {
        if let Some(difference) = compare_step(&server, &hooks, step).await {
            let webhooks: Vec<_> = case.configurations.iter().map(describe_webhooks).collect();
            let webhooks = webhooks.join("\n  ");
            let (seed, labels) = (&case.seed, &case.labels);
            return Some(format!(
                "{seed}, request {at}, namespace {labels}\n  {webhooks}\n{difference}"
            ));
        }
    }
    None
}

fn describe_webhooks(configuration: &Value) -> String {
    let name = &configuration["metadata"]["name"];
    format!(
        "{} {name} {}",
        configuration["kind"], configuration["webhooks"]
    )
}

/// Returns a configuration with in-process webhooks.
fn with_services(configuration: &Value) -> Value {
    let mut configuration = configuration.clone();
    for webhook in configuration["webhooks"].as_array_mut().unwrap() {
        let client = &mut webhook["clientConfig"];
        let path = client["url"].as_str().unwrap().trim_start_matches("URL");
        let service = json!({ "namespace": "hooks", "name": "webhook", "path": path });
        *client = json!({ "service": service });
    }
    configuration
}

async fn create_object(server: &ApiServer, path: &str, object: &Value) {
    let (code, answer, _) = send(server, "POST", path, "application/json", object).await;
    assert_eq!(code, 201, "{answer}");
}

async fn compare_step(server: &ApiServer, hooks: &Hooks, step: &Step) -> Option<String> {
    let path = step.path.replace("{ns}", NAMESPACE);
    let body = step.body.to_string().replace("{ns}", NAMESPACE);
    let body = serde_json::from_str(&body).unwrap();
    let (code, answer, warnings) = send(server, &step.method, &path, &step.media, &body).await;
    let found = Seen::new(code, answer, warnings, hooks.take());
    let (answer, warnings) = (step.answer.clone(), step.warnings.clone());
    let expected = Seen::new(step.code, answer, warnings, step.calls.clone());
    if found.is_refused_by_webhook() && expected.is_refused_by_webhook() {
        // Of several rejections, the real server returns the first to arrive.
        return None;
    }
    (found != expected).then(|| {
        let Step {
            method, path, body, ..
        } = step;
        format!("{method} {path} {body}\nkube-apiserver: {expected}\nin the process: {found}\n")
    })
}

/// Result of a request for the client and the webhooks.
#[derive(PartialEq)]
struct Seen {
    code: u16,
    answer: Value,
    warnings: Vec<String>,
    calls: BTreeSet<String>,
}

impl Seen {
    fn new(code: u16, answer: Value, warnings: Vec<String>, calls: Vec<(String, Value)>) -> Self {
        let mut warnings = warnings;
        warnings.sort();
        let place = |value: Value| normalize(value).to_string().replace(NAMESPACE, "{ns}");
        // The server itself writes leases, which are ignored.
        let is_users =
            |(_, review): &(String, Value)| review["request"]["userInfo"]["username"] == "alice";
        let calls = calls
            .into_iter()
            .filter(is_users)
            .map(|(path, review)| format!("{path} {}", place(review)));
        let answer = place(answer);
        Self {
            code,
            answer: serde_json::from_str(&answer).unwrap(),
            warnings,
            calls: calls.collect(),
        }
    }
}

impl Seen {
    /// Returns whether a validating webhook has rejected the request.
    fn is_refused_by_webhook(&self) -> bool {
        let message = self.answer["message"].as_str().unwrap_or_default();
        let is_refused =
            message.contains("denied the request") || message.contains("calling webhook");
        is_refused && self.calls.len() > 1
    }
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} {:?}\n    {}", self.code, self.warnings, self.answer)?;
        self.calls
            .iter()
            .try_for_each(|call| writeln!(f, "    {call}"))
    }
}

async fn send(
    server: &ApiServer,
    method: &str,
    path: &str,
    media: &str,
    body: &Value,
) -> (u16, Value, Vec<String>) {
    let text = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let user = User::new("alice")
        .with_uid("uid-of-alice")
        .group("system:masters");
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", media)
        .header("user-agent", "recorder/1.0")
        .extension(user)
        .body(Full::new(text.into()))
        .unwrap();
    let request: Request<Full<bytes::Bytes>> = request;
    let response = server.clone().oneshot(request).await.unwrap();
    let code = response.status().as_u16();
    let warnings = response
        .headers()
        .get_all("warning")
        .iter()
        .map(|it| it.to_str().unwrap().to_owned())
        .collect();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let answer =
        serde_json::from_slice(&text).unwrap_or_else(|_| String::from_utf8_lossy(&text).into());
    (code, answer, warnings)
}
