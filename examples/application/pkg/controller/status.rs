//! Status of an Application, computed from its Deployment.

use genclient::clock::Timestamp;
use genclient::kube::ResourceExt;
use genclient::prelude::*;
use k8s_openapi::api::apps::v1::Deployment;

use super::desired;
use crate::apis::apps::v1beta1::{Application, ApplicationStatus};

const AVAILABLE: &str = "Available";

/// Returns the status of an Application with this Deployment. `now` is the time of changes.
pub(super) fn of(
    application: &Application,
    deployment: &Deployment,
    now: Timestamp,
) -> ApplicationStatus {
    let status = deployment.status.as_ref();
    let ready_replicas = status.and_then(|it| it.ready_replicas).unwrap_or_default();
    let name = application.name_any();
    let namespace = application.namespace().unwrap_or_default();
    let port = application.spec.container.port;
    ApplicationStatus {
        observed_generation: application.metadata.generation,
        ready_replicas,
        selector: desired::selector(application),
        url: format!("http://{name}.{namespace}.svc:{port}"),
        conditions: vec![available(application, ready_replicas, now)],
    }
}

/// Returns the Application for a server-side apply of its status, without metadata of other
/// managers. The Rust type requires a spec, which the API server ignores here.
pub(super) fn applied(application: &Application, status: ApplicationStatus) -> Application {
    Application {
        metadata: ObjectMeta {
            name: application.metadata.name.clone(),
            namespace: application.metadata.namespace.clone(),
            ..ObjectMeta::default()
        },
        spec: application.spec.clone(),
        status: Some(status),
    }
}

/// Returns the condition `Available`: whether as many Pods are ready as desired. Its transition
/// time is kept while its status does not change.
fn available(application: &Application, ready: i32, now: Timestamp) -> Condition {
    let wanted = application.spec.replicas.unwrap_or(1);
    let (status, reason) = if ready >= wanted {
        ("True", "AllReady")
    } else {
        ("False", "NotAllReady")
    };
    let mut before = application
        .status
        .iter()
        .flat_map(|status| &status.conditions)
        .filter(|it| it.type_ == AVAILABLE && it.status == status);
    Condition {
        type_: AVAILABLE.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: format!("{ready} of {wanted} Pods are ready"),
        observed_generation: application.metadata.generation,
        last_transition_time: match before.next() {
            Some(before) => before.last_transition_time.clone(),
            None => Time(now),
        },
    }
}
