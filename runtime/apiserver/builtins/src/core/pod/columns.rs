//! Table cells of Pods (`printPod` in pkg/printers/internalversion, printers.go).

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::{as_flag, as_integer, text_or};
use crate::cells::{NONE, has_condition, parse_seconds};
use crate::row::Row;

/// Summary of the statuses of a Pod's containers.
#[derive(Default)]
struct ContainerSummary {
    reason: String,
    restarts: i64,
    last_restart: Option<i64>,
    ready: usize,
    is_initializing: bool,
    /// Restarts of sidecars. Once the Pod is initialized, the cell omits the restarts of all other
    /// init containers.
    sidecar_restarts: i64,
    last_sidecar_restart: Option<i64>,
}

/// Returns the cells of a Pod (`printPod`).
pub(crate) fn pod_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let mut summary = ContainerSummary {
        reason: format_reason(status),
        ..ContainerSummary::default()
    };
    summary.add_init_containers(spec, status);
    // The condition wins: an init container may run again after the Pod was initialized.
    if !summary.is_initializing || has_condition(status, "Initialized") {
        summary.add_containers(status);
    }
    let sidecars = list_or_empty(&spec["initContainers"])
        .iter()
        .filter(|it| is_sidecar(it));
    let total = list_or_empty(&spec["containers"]).len() + sidecars.count();
    let shown = match (row.is_deleting(), str_or_empty(&status["phase"])) {
        (true, _) if status["reason"] == "NodeLost" => "Unknown",
        (true, phase) if !["Succeeded", "Failed"].contains(&phase) => "Terminating",
        _ => &summary.reason,
    };
    let restarts = match summary.last_restart {
        Some(last) if summary.restarts != 0 => {
            let ago = row.since(&json!(genclient_apimachinery::meta::format_time(last)));
            format!("{} ({ago} ago)", summary.restarts)
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        row.name(),
        json!(format!("{}/{total}", summary.ready)),
        json!(shown),
        json!(restarts),
        row.age(),
        json!(text_or(&status["podIPs"][0]["ip"], NONE)),
        json!(text_or(&spec["nodeName"], NONE)),
        json!(text_or(&status["nominatedNodeName"], NONE)),
        json!(format_readiness_gates(spec, status)),
    ]
}

/// Returns the conditions of a Pod's row: `Completed` if the Pod has ended, otherwise none.
pub(crate) fn row_conditions(pod: &Value) -> Option<Value> {
    let (reason, message) = match str_or_empty(&pod["status"]["phase"]) {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{
        "type": "Completed", "status": "True", "reason": reason, "message": message,
    }]))
}

fn format_reason(status: &Value) -> String {
    let is_gated = |condition: &Value| {
        condition["type"] == "PodScheduled" && condition["reason"] == "SchedulingGated"
    };
    if list_or_empty(&status["conditions"]).iter().any(is_gated) {
        return "SchedulingGated".to_owned();
    }
    text_or(&status["reason"], str_or_empty(&status["phase"])).to_owned()
}

fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

impl ContainerSummary {
    /// Adds the init containers. The first that has not finished determines the reason.
    fn add_init_containers(&mut self, spec: &Value, status: &Value) {
        let declared = list_or_empty(&spec["initContainers"]);
        for (index, container) in list_or_empty(&status["initContainerStatuses"])
            .iter()
            .enumerate()
        {
            let mut same = declared.iter().rev();
            let is_sidecar = same
                .find(|declared| declared["name"] == container["name"])
                .is_some_and(is_sidecar);
            self.add_restarts(container);
            if is_sidecar {
                self.sidecar_restarts += as_integer(&container["restartCount"]);
                self.last_sidecar_restart =
                    self.last_sidecar_restart.max(last_termination(container));
            }
            let (ended, waiting) = (
                &container["state"]["terminated"],
                &container["state"]["waiting"],
            );
            if !ended.is_null() && as_integer(&ended["exitCode"]) == 0 {
                continue;
            }
            if is_sidecar && as_flag(&container["started"]) {
                self.ready += usize::from(as_flag(&container["ready"]));
                continue;
            }
            let why = str_or_empty(&waiting["reason"]);
            self.reason = match () {
                () if !ended.is_null() => format!("Init:{}", format_termination(ended)),
                () if !why.is_empty() && why != "PodInitializing" => format!("Init:{why}"),
                () => format!("Init:{index}/{}", declared.len()),
            };
            self.is_initializing = true;
            break;
        }
    }

    /// Adds the containers, in reverse: the first one with a reason wins.
    fn add_containers(&mut self, status: &Value) {
        self.restarts = self.sidecar_restarts;
        self.last_restart = self.last_sidecar_restart;
        let mut has_running = false;
        let mut failure = None;
        for container in list_or_empty(&status["containerStatuses"]).iter().rev() {
            self.add_restarts(container);
            let state = &container["state"];
            let why = str_or_empty(&state["waiting"]["reason"]);
            if !why.is_empty() {
                self.reason = why.to_owned();
            } else if !state["terminated"].is_null() {
                self.reason = format_termination(&state["terminated"]);
                if as_integer(&state["terminated"]["exitCode"]) != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if as_flag(&container["ready"]) && !state["running"].is_null() {
                has_running = true;
                self.ready += 1;
            }
        }
        // A container has completed, but others may still run or have failed.
        if self.reason == "Completed" {
            let is_ready = list_or_empty(&status["conditions"])
                .iter()
                .any(|it| it["type"] == "Ready" && it["status"] == "True");
            self.reason = match failure {
                _ if has_running && is_ready => "Running".to_owned(),
                Some(failure) => failure,
                None if has_running => "NotReady".to_owned(),
                None => return,
            };
        }
    }

    fn add_restarts(&mut self, container: &Value) {
        self.restarts += as_integer(&container["restartCount"]);
        self.last_restart = self.last_restart.max(last_termination(container));
    }
}

/// Returns the time at which the previous run of a container ended.
fn last_termination(container: &Value) -> Option<i64> {
    parse_seconds(&container["lastState"]["terminated"]["finishedAt"])
}

/// Formats why a container terminated: a reason, a signal or an exit code.
fn format_termination(ended: &Value) -> String {
    match (str_or_empty(&ended["reason"]), as_integer(&ended["signal"])) {
        ("", 0) => format!("ExitCode:{}", as_integer(&ended["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn format_readiness_gates(spec: &Value, status: &Value) -> String {
    let gates = list_or_empty(&spec["readinessGates"]);
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let is_open = |gate: &&Value| has_condition(status, str_or_empty(&gate["conditionType"]));
    format!("{}/{}", gates.iter().filter(is_open).count(), gates.len())
}
