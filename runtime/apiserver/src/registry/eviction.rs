//! Subresource `eviction` of Pods: deletions that PodDisruptionBudgets can refuse
//! (pkg/registry/core/pod/storage, eviction.go).

use std::sync::Arc;

use bytes::Bytes;
use genclient_apimachinery::labels::label_selector_matches;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::api_response::ApiResponse;
use crate::deadline::RequestDeadline;
use crate::kinds::Kind;
use crate::query::{DeleteOptions, Query, WriteOptions};
use crate::rbac::User;
use crate::rbac::user::MASTERS;
use crate::registry::body::Body;
use crate::registry::response::Representation;
use crate::registry::write::Write;
use crate::registry::{delete, deletion, response, update};
use crate::request::ObjectRequest;
use crate::route::{RequestInfo, Verb};
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::GroupResource;
use crate::stored::Stored;
use crate::{conditions, metadata};

/// Maximum number of evicted Pods in the status of a budget (`MaxDisruptedPodSize`).
const MAX_DISRUPTED: usize = 2000;

/// A PodDisruptionBudget.
struct Budget {
    kind: Arc<Kind>,
    stored: Arc<Stored>,
}

/// Deletes the named Pod, unless a budget refuses it.
pub(super) async fn create(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    // Evictions may have the version that was served before 1.25 (`AcceptsGroupVersion`).
    let Body {
        object: mut sent, ..
    } = write.decode_subresource(&["policy/v1beta1"])?;
    request.check_object_namespace(&mut sent)?;
    write.check_namespace_lifecycle(&sent)?;
    let eviction = write.mutate(sent, None).await?;
    if metadata::str_field(&eviction, "name") != request.target.name {
        let message = "name in URL does not match name in Eviction object";
        return Err(StatusError::bad_request(message));
    }
    let asked = delete_options(request, &eviction)?;
    write.admit_validating(&eviction, None).await?;
    loop {
        let live = live_pod(server, request)?;
        let mut options = asked.clone();
        // A Pod that no budget guards in its current state must not change before its deletion.
        if is_unguarded(server, &live, &options).await? && options.resource_version.is_none() {
            options.resource_version = Some(live.version().to_string());
        }
        match delete_pod(server, request, representation, &options).await {
            Ok(()) => return Ok(response::created_status()),
            Err(failure)
                if failure.code == 409
                    && asked.resource_version.is_none()
                    && live_pod(server, request)?.version() != live.version() => {}
            Err(failure) => return Err(failure),
        }
    }
}

/// Returns whether a Pod is deleted only because of its state. A Pod that has ended or is being
/// deleted cannot change that state. Otherwise, takes a disruption from the Pod's budget.
async fn is_unguarded(
    server: &Arc<ServerState>,
    live: &Stored,
    options: &DeleteOptions,
) -> Result<bool, StatusError> {
    let pod = live.value();
    match pod["status"]["phase"].as_str().unwrap_or_default() {
        _ if live.is_deleting => Ok(false),
        "Succeeded" | "Failed" => Ok(false),
        "Pending" => Ok(true),
        _ => check_budget(server, &pod, options).await,
    }
}

/// Returns the options of the deletion. They are a dry run if the eviction is one.
fn delete_options(request: &ObjectRequest, eviction: &Value) -> Result<DeleteOptions, StatusError> {
    let mut options = match &eviction["deleteOptions"] {
        Value::Null => json!({}),
        options => options.clone(),
    };
    let stages = request.query.texts("dryRun");
    let sent = options["dryRun"].as_array().cloned().unwrap_or_default();
    if sent.is_empty() {
        options["dryRun"] = json!(stages);
    } else if !stages.is_empty() && json!(stages) != json!(sent) {
        let sent: Vec<_> = sent.iter().filter_map(Value::as_str).collect();
        let message = format!(
            "Non-matching dry-run options in request and content: [{}] and [{}]",
            stages.join(" "),
            sent.join(" ")
        );
        return Err(StatusError::unknown(500, message));
    }
    DeleteOptions::from_request(&request.query, Some(&options))
}

fn live_pod(server: &ServerState, request: &ObjectRequest) -> Result<Arc<Stored>, StatusError> {
    let live = server.store.get(&request.kind.resource, &request.key());
    live.ok_or_else(|| request.not_found())
}

/// Checks the budget that selects a Pod, and takes a disruption from it. Returns whether the Pod is
/// not ready and therefore takes none.
async fn check_budget(
    server: &Arc<ServerState>,
    pod: &Value,
    options: &DeleteOptions,
) -> Result<bool, StatusError> {
    let is_ready = conditions::is_condition_true(pod, "Ready");
    loop {
        let budgets = matching_budgets(server, pod);
        let budget = match &budgets[..] {
            [] => return Ok(false),
            [budget] => budget,
            _ => {
                let message = "This pod has more than one PodDisruptionBudget, which the eviction \
                               subresource does not support.";
                return Err(StatusError::unknown(500, message));
            }
        };
        let object = budget.stored.value();
        if !is_ready && allows_unhealthy(&object) {
            return Ok(true);
        }
        check_disruptions(&object)?;
        if options.dry_run {
            return Ok(false);
        }
        let name = metadata::str_field(pod, "name");
        match write_disruption(server, budget, take_disruption(object, name, server)).await {
            Err(failure) if failure.code == 409 => {}
            written => return written.map(|()| false),
        }
    }
}

/// Returns the budgets whose selector matches a Pod.
fn matching_budgets(server: &ServerState, pod: &Value) -> Vec<Budget> {
    let resource = GroupResource {
        group: "policy".to_owned(),
        plural: "poddisruptionbudgets".to_owned(),
    };
    let prefix = format!("{}/", metadata::str_field(pod, "namespace"));
    let all = server.store.list(&resource, &prefix).objects.into_iter();
    let selecting = all.filter(|(_, budget)| {
        let selector = &budget.value()["spec"]["selector"];
        // A budget without a selector selects nothing (`LabelSelectorAsSelector`).
        selector.is_object()
            && label_selector_matches(selector, &pod["metadata"]["labels"]).unwrap_or(false)
    });
    let budgets = selecting.filter_map(|(_, stored)| {
        let kind = server.kinds.preferred(&resource)?;
        Some(Budget { kind, stored })
    });
    budgets.collect()
}

/// Returns whether a Pod that is not ready may be evicted although it takes no disruption.
fn allows_unhealthy(budget: &Value) -> bool {
    let count = |field: &str| budget["status"][field].as_i64().unwrap_or_default();
    let (healthy, desired) = (count("currentHealthy"), count("desiredHealthy"));
    budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
        || healthy >= desired && desired > 0
}

/// Checks that a budget allows a disruption (`checkAndDecrement`).
fn check_disruptions(budget: &Value) -> Result<(), StatusError> {
    let name = metadata::str_field(budget, "name");
    let status = &budget["status"];
    let count = |field: &str| status[field].as_i64().unwrap_or_default();
    let generation = budget["metadata"]["generation"].as_i64();
    if count("observedGeneration") < generation.unwrap_or_default() {
        let message =
            format!("The disruption budget {name} is still being processed by the server.");
        return Err(eviction_refused(&message, Some(10)));
    }
    let forbidden =
        |reason: &str| StatusError::forbidden("policy", "poddisruptionbudget", name, reason);
    if count("disruptionsAllowed") < 0 {
        return Err(forbidden("pdb disruptions allowed is negative"));
    }
    let disrupted = status["disruptedPods"].as_object();
    if disrupted.is_some_and(|pods| pods.len() > MAX_DISRUPTED) {
        let reason =
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        return Err(forbidden(reason));
    }
    if count("disruptionsAllowed") > 0 {
        return Ok(());
    }
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    let condition =
        conditions.find(|it| it["type"] == "DisruptionAllowed" && it["status"] == "False");
    let text = |field: &str| {
        condition
            .and_then(|it| it[field].as_str())
            .unwrap_or_default()
    };
    let (reason, message) = (text("reason"), text("message"));
    let (healthy, desired) = (count("currentHealthy"), count("desiredHealthy"));
    let why = if reason == "SyncFailed" && !message.is_empty() {
        format!(" does not allow evicting pods currently because it failed sync: {message}")
    } else if healthy <= desired {
        format!(" needs {desired} healthy pods and has {healthy} currently")
    } else if !message.is_empty() {
        format!(" does not allow evicting pods currently ({reason}): {message}")
    } else {
        " does not allow evicting pods currently".to_owned()
    };
    Err(eviction_refused(
        &format!("The disruption budget {name}{why}"),
        None,
    ))
}

/// Returns the failure of an eviction that a budget refuses.
fn eviction_refused(message: &str, retry_after: Option<u64>) -> StatusError {
    let sentence = "Cannot evict pod as it would violate the pod's disruption budget.";
    StatusError::too_many_requests(sentence, retry_after).with_cause(
        "DisruptionBudget",
        message,
        "",
    )
}

/// Returns a budget with one disruption less. The disruption controller replaces the entry in
/// `disruptedPods` once it has seen the deletion.
fn take_disruption(mut budget: Value, pod: &str, server: &ServerState) -> Value {
    let now = server.clock.timestamp();
    let allowed = budget["status"]["disruptionsAllowed"]
        .as_i64()
        .unwrap_or_default()
        - 1;
    budget["status"]["disruptionsAllowed"] = allowed.into();
    budget["status"]["disruptedPods"][pod] = now.as_str().into();
    if allowed == 0 {
        // `UpdateDisruptionAllowedCondition` in k8s.io/component-helpers.
        let generation = budget["status"]["observedGeneration"].clone();
        conditions::set_condition(
            &mut budget,
            &now,
            conditions::Condition {
                type_: "DisruptionAllowed",
                status: false,
                reason: "InsufficientPods",
                message: "",
            },
        );
        let conditions = budget["status"]["conditions"].as_array_mut();
        for condition in conditions.into_iter().flatten() {
            if condition["type"] == "DisruptionAllowed" {
                condition["observedGeneration"] = generation.clone();
            }
        }
    }
    budget
}

/// Writes the status of a budget. kube-apiserver sends this request to itself.
async fn write_disruption(
    server: &Arc<ServerState>,
    budget: &Budget,
    object: Value,
) -> Result<(), StatusError> {
    let Budget { kind, stored } = budget;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        USER_AGENT,
        HeaderValue::from_static("kube-apiserver/v1.36.3"),
    );
    let request = ObjectRequest {
        verb: Verb::Update,
        target: RequestInfo {
            group: kind.group().to_owned(),
            version: kind.version.clone(),
            plural: kind.plural().to_owned(),
            namespace: stored.namespace.clone(),
            name: stored.name.clone(),
            subresource: "status".to_owned(),
            is_watch_path: false,
        },
        kind: Arc::clone(kind),
        query: Query::default(),
        headers,
        body: Bytes::from(object.to_string()),
        user: Arc::new(User::new("system:apiserver").group(MASTERS)),
        clock: server.clock,
        deadline: Some(RequestDeadline::for_write()),
        warnings: Mutex::default(),
    };
    update::update(server, &request).await.map(drop)
}

/// Adds the condition `DisruptionTarget` to the Pod and deletes it (`addConditionAndDeletePod`).
async fn delete_pod(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
    representation: Representation,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    let mut options = options.clone();
    let write_options = delete::write_options(&options);
    let write = Write::new(server, request, &write_options, representation);
    while !options.dry_run {
        let live = live_pod(server, request)?;
        deletion::check_preconditions(&request.kind, &live, &options)?;
        let mut object = live.value();
        conditions::set_pod_condition(
            &mut object,
            &server.clock.timestamp(),
            json!({
                "type": "DisruptionTarget",
                "status": "True",
                "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting",
            }),
        );
        let encoded = write.encode(object).await?;
        let written = write.commit(&request.key(), Some(&live), Some(encoded));
        if let Ok(stored) = written {
            if options.resource_version.is_some() {
                options.resource_version = Some(stored.version().to_string());
            }
            break;
        }
    }
    write.delete(&request.key(), &options).await.map(drop)
}
