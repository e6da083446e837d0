//! Subresource `log` of Pods. No kubelet runs, so a Pod without a node has an empty log, and that
//! of another Pod cannot be read.
//!
//! Source: `LogREST` in pkg/registry/core/pod/rest and `LogLocation` in pkg/registry/core/pod.

use genclient_apimachinery::field;
use serde_json::Value;

use crate::api_response::ApiResponse;
use crate::query::Query;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{GroupResource, Key};

const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Reads the log of a container of the named Pod.
pub(super) fn get(
    server: &ServerState,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let name = &request.target.name;
    let causes = validate(&request.query)?;
    if !causes.is_empty() {
        return Err(StatusError::invalid("", "PodLogOptions", name, causes));
    }
    let live = server.store.get(&request.kind.resource, &request.key());
    let pod = live.ok_or_else(|| request.not_found())?.value();
    check_container(request, &pod)?;
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    if node.is_empty() {
        return Ok(ApiResponse::plain(200, ""));
    }
    let nodes = GroupResource {
        group: String::new(),
        plural: "nodes".to_owned(),
    };
    match server.store.get(&nodes, &Key::new("", node)) {
        Some(_) => Err(StatusError::not_implemented("logs of scheduled Pods")),
        // kube-apiserver names the resource of the request, not that of the node.
        None => Err(StatusError::not_found("", "pods", node)),
    }
}

/// Validates the options in the query (`ValidatePodLogOptions` in pkg/apis/core/validation).
fn validate(query: &Query) -> Result<field::ErrorList, StatusError> {
    let mut causes = Vec::new();
    for (name, least, detail) in [
        ("tailLines", 0, "must be greater than or equal to 0"),
        ("limitBytes", 1, "must be greater than 0"),
        ("sinceSeconds", 1, "must be greater than 0"),
    ] {
        let number = query.number(name)?;
        if let Some(number) = number.filter(|number| *number < least) {
            causes.push(field::Error::invalid(name, &number.into(), detail));
        }
    }
    Ok(causes)
}

/// Checks that the query names a container of the Pod. It may name none if there is only one.
fn check_container(request: &ObjectRequest, pod: &Value) -> Result<(), StatusError> {
    let (name, container) = (&request.target.name, request.query.text("container"));
    let of_list = |list: &str| pod["spec"][list].as_array().into_iter().flatten();
    let names: Vec<_> = LISTS
        .iter()
        .flat_map(|list| of_list(list))
        .filter_map(|it| it["name"].as_str())
        .collect();
    if container.is_empty() && of_list("containers").count() > 1 {
        return Err(StatusError::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            names.join(" ")
        )));
    }
    if !container.is_empty() && !names.contains(&container) {
        let message = format!("container {container} is not valid for pod {name}");
        return Err(StatusError::bad_request(message));
    }
    Ok(())
}
