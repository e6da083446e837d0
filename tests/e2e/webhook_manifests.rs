//! Tests of webhook configurations: the API server accepts those of the golden tests, and refuses
//! those that `#[webhook]` refuses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use e2e::ControlPlane;
use http::{Method, Request, StatusCode, header};
use kube::Client;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("webhook_manifests::of_goldens_are_accepted", accepted);
    suite.both(
        "webhook_manifests::are_for_resources_that_are_served",
        served,
    );
    suite.both(
        "webhook_manifests::invalid_configurations_are_rejected",
        refused,
    );
}

/// Returns the documents of a golden case.
fn documents(file: &Path) -> Result<Vec<Value>, Box<dyn std::error::Error + Send + Sync>> {
    let text = fs::read_to_string(file)?;
    let documents = text.split("---\n").skip(1);
    Ok(documents
        .map(serde_saphyr::from_str)
        .collect::<Result<_, _>>()?)
}

/// Creates a configuration as a dry run. Returns the status and the message of the server.
async fn create(client: &Client, document: &Value) -> kube::Result<(StatusCode, String)> {
    let plural = match document["kind"].as_str() {
        Some("MutatingWebhookConfiguration") => "mutatingwebhookconfigurations",
        _ => "validatingwebhookconfigurations",
    };
    let uri =
        format!("/apis/admissionregistration.k8s.io/v1/{plural}?dryRun=All&fieldValidation=Strict");
    let request = Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header(header::CONTENT_TYPE, "application/json")
        .body(document.to_string().into_bytes())
        .map_err(kube::Error::HttpError)?;
    match client.request::<Value>(request).await {
        Ok(_) => Ok((StatusCode::CREATED, String::new())),
        Err(kube::Error::Api(status)) => {
            let code = StatusCode::from_u16(status.code).unwrap_or_default();
            Ok((code, status.message))
        }
        Err(error) => Err(error),
    }
}

async fn accepted(plane: &ControlPlane) -> Outcome {
    let (client, mut count) = (plane.client(), 0);
    let mut complaints = Vec::new();
    for file in tests::golden_files("config/webhook") {
        for document in documents(&file)? {
            count += 1;
            let (status, message) = create(&client, &document).await?;
            if status != StatusCode::CREATED {
                complaints.push(format!("{}: {message}", file.display()));
            }
        }
    }
    assert!(count > 10, "{count} configurations");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(())
}

#[derive(Deserialize)]
struct ResourceList {
    resources: Vec<ServedResource>,
}

#[derive(Deserialize)]
struct ServedResource {
    name: String,
}

/// Group, version and plural of Kubernetes' own kinds equal those of the server.
async fn served(plane: &ControlPlane) -> Outcome {
    let case = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../golden/config/webhook_kinds"
    );
    let file = Path::new(case).join("expected/config/webhook/manifests.yaml");
    let (client, mut groups) = (plane.client(), BTreeSet::new());
    for document in documents(&file)? {
        for webhook in document["webhooks"].as_array().into_iter().flatten() {
            let rule = &webhook["rules"][0];
            let text = |key: &str| rule[key][0].as_str().unwrap_or_default();
            let (group, version) = (text("apiGroups"), text("apiVersions"));
            let uri = match group {
                "" => format!("/api/{version}"),
                group => format!("/apis/{group}/{version}"),
            };
            let list: ResourceList = client.request(Request::get(&uri).body(Vec::new())?).await?;
            let plural = text("resources");
            let is_served = list.resources.iter().any(|one| one.name == plural);
            assert!(is_served, "{uri} has no {plural}");
            groups.insert(group.to_owned());
        }
    }
    assert!(groups.len() > 15, "{groups:?}");
    Ok(())
}

fn configuration() -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "refused"},
        "webhooks": [{
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"service": {"name": "webhook", "namespace": "system", "path": "/a"}},
            "failurePolicy": "Fail",
            "name": "default.task.example.com",
            "rules": [{
                "apiGroups": ["example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["tasks"],
            }],
            "sideEffects": "None",
        }],
    })
}

/// A field of the configuration and an invalid value on each line, which `#[webhook]` refuses, too.
const WRONG: &str = include_str!("webhooks.txt");

async fn refused(plane: &ControlPlane) -> Outcome {
    let client = plane.client();
    let (status, message) = create(&client, &configuration()).await?;
    assert_eq!((status, message.as_str()), (StatusCode::CREATED, ""));
    let mut admitted = Vec::new();
    for line in WRONG.lines().filter(|line| !line.starts_with('#')) {
        let (field, value) = line.split_once(' ').ok_or(line)?;
        let (parent, key) = field.rsplit_once('/').ok_or(line)?;
        let mut document = configuration();
        document.pointer_mut(parent).ok_or(line)?[key] = serde_json::from_str(value)?;
        let (status, message) = create(&client, &document).await?;
        if !status.is_client_error() {
            admitted.push(format!("{line}: {status} {message}"));
        }
    }
    assert!(admitted.is_empty(), "{}", admitted.join("\n"));
    Ok(())
}
