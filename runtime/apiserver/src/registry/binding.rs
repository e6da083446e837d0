//! Bindings: POSTs that assign a Pod to a node, at the subresource `binding` or at `bindings`
//! (`BindingREST` in pkg/registry/core/pod/storage, storage.go).

use std::sync::Arc;

use genclient_apimachinery::errors::aggregate;
use genclient_apimachinery::field;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::body::Body;
use super::response;
use super::write::Write;
use crate::api_response::ApiResponse;
use crate::conditions;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::route::RequestInfo;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::stored::Stored;

/// Assigns the named Pod to the node in the body.
pub(super) async fn create(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    let Body {
        object: mut sent, ..
    } = write.decode_subresource(&[])?;
    request.check_object_namespace(&mut sent)?;
    write.check_namespace_lifecycle(&sent)?;
    let binding = write.mutate(sent, None).await?;
    if metadata::str_field(&binding, "name") != request.target.name {
        let message = "name in URL does not match name in Binding object";
        return Err(StatusError::bad_request(message));
    }
    validate_binding(&binding)?;
    write.admit_validating(&binding, None).await?;
    loop {
        let live = write.live().ok_or_else(|| request.not_found())?;
        check_preconditions(&write, &binding, &live)?;
        let pod = assign_node(request, &binding, live.value(), &server.clock.timestamp())?;
        let encoded = write.encode(pod).await?;
        if write
            .commit(&request.key(), Some(&live), Some(encoded))
            .is_ok()
        {
            return Ok(response::created_status());
        }
    }
}

/// Assigns the Pod in the body to the node in the body.
pub(super) async fn create_at_bindings(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let body = request.parse_object()?.value;
    let name = metadata::str_field(&body, "name");
    if name.is_empty() {
        return Err(StatusError::bad_request("Name parameter required."));
    }
    let pods = server.kinds.get("", "v1", "pods");
    let of_pod = ObjectRequest {
        verb: request.verb,
        target: RequestInfo {
            plural: "pods".to_owned(),
            name: name.to_owned(),
            subresource: "binding".to_owned(),
            ..request.target.clone()
        },
        kind: pods.ok_or_else(StatusError::no_resource)?,
        query: request.query.clone(),
        headers: request.headers.clone(),
        body: request.body.clone(),
        clock: request.clock,
        user: Arc::clone(&request.user),
        deadline: request.deadline,
        warnings: Mutex::default(),
    };
    let created = create(server, &of_pod).await;
    request.warn(of_pod.warnings.into_inner());
    created
}

/// Checks the target of a binding (`ValidatePodBinding`). Errors are not a Status of validation,
/// but internal ones.
fn validate_binding(binding: &Value) -> Result<(), StatusError> {
    let text = |field: &str| binding["target"][field].as_str().unwrap_or_default();
    let mut causes = Vec::new();
    if !["", "Node"].contains(&text("kind")) {
        let supported = ["Node", "<empty>"];
        let kind = text("kind").into();
        causes.push(field::Error::not_supported(
            "target.kind",
            &kind,
            &supported,
        ));
    }
    if text("name").is_empty() {
        causes.push(field::Error::required("target.name", ""));
    }
    match aggregate(causes) {
        None => Ok(()),
        Some(message) => Err(StatusError::unknown(500, message)),
    }
}

/// Checks that the Pod has the uid and the resource version in the metadata of the binding, if it
/// states them.
fn check_preconditions(
    write: &Write<'_>,
    binding: &Value,
    live: &Stored,
) -> Result<(), StatusError> {
    let uid = metadata::str_field(binding, "uid");
    if !uid.is_empty() && uid != live.uid {
        return Err(write.wrong_uid(uid, &live.uid));
    }
    let version = metadata::str_field(binding, "resourceVersion");
    if !version.is_empty() && version != live.version().to_string() {
        let (kind, name) = (&write.request.kind, &write.request.target.name);
        return Err(StatusError::modified(kind.group(), kind.plural(), name));
    }
    Ok(())
}

/// Returns the Pod as the binding changes it (`setPodNodeAndMetadata`).
fn assign_node(
    request: &ObjectRequest,
    binding: &Value,
    mut pod: Value,
    now: &str,
) -> Result<Value, StatusError> {
    let name = &request.target.name;
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    let gates = pod["spec"]["schedulingGates"].as_array();
    let refused = if pod["metadata"]["deletionTimestamp"].is_string() {
        Some(format!(
            "pod {name} is being deleted, cannot be assigned to a host"
        ))
    } else if !node.is_empty() {
        Some(format!("pod {name} is already assigned to node {node:?}"))
    } else if gates.is_some_and(|gates| !gates.is_empty()) {
        Some(format!("pod {name} has non-empty .spec.schedulingGates"))
    } else {
        None
    };
    if let Some(reason) = refused {
        return Err(StatusError::conflict("", "pods/binding", name, &reason));
    }
    pod["spec"]["nodeName"] = binding["target"]["name"].clone();
    if let Value::Object(status) = &mut pod["status"] {
        status.remove("nominatedNodeName");
    }
    for field in ["annotations", "labels"] {
        for (key, value) in binding["metadata"][field].as_object().into_iter().flatten() {
            pod["metadata"][field][key] = value.clone();
        }
    }
    conditions::set_pod_condition(
        &mut pod,
        now,
        json!({ "type": "PodScheduled", "status": "True" }),
    );
    Ok(pod)
}
