//! Table cells of kinds of the groups `apps` and `batch`, ReplicationControllers and PodTemplates.

use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::builtins::row::{
    NONE, Row, as_flag, as_integer, as_items, as_text, containers, has_condition, labels, query,
    seconds, selector_or_none,
};

/// Returns the cells of an object, or `None` if this module does not cover its kind.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let (spec, status) = (row.spec(), row.status());
    let desired = as_integer(&spec["replicas"]);
    let of_status = |field: &str| json!(as_integer(&status[field]));
    let ready = json!(format!(
        "{}/{desired}",
        as_integer(&status["readyReplicas"])
    ));
    let (name, age) = (row.name(), row.age());
    let mut cells = match kind {
        "Deployment" => {
            let (updated, available) =
                (of_status("updatedReplicas"), of_status("availableReplicas"));
            vec![name, ready, updated, available, age]
        }
        "ReplicaSet" | "ReplicationController" => {
            let (current, ready) = (of_status("replicas"), of_status("readyReplicas"));
            vec![name, json!(desired), current, ready, age]
        }
        "StatefulSet" => vec![name, ready, age],
        "DaemonSet" => vec![
            name,
            of_status("desiredNumberScheduled"),
            of_status("currentNumberScheduled"),
            of_status("numberReady"),
            of_status("updatedNumberScheduled"),
            of_status("numberAvailable"),
            json!(labels(&spec["template"]["spec"]["nodeSelector"])),
            age,
        ],
        "Job" => job(row),
        "CronJob" => cron_job(row),
        "PodTemplate" => {
            let template = &row.object["template"];
            let [names, images] = containers(&template["spec"]);
            let labels = json!(labels(&template["metadata"]["labels"]));
            return Some(vec![name, names, images, labels]);
        }
        "ControllerRevision" => {
            let revision = row.object["revision"].clone();
            return Some(vec![name, json!(controller(row)), revision, age]);
        }
        _ => return None,
    };
    let template = match kind {
        "CronJob" => &spec["jobTemplate"]["spec"],
        _ => spec,
    };
    cells.extend(containers(&template["template"]["spec"]));
    cells.extend(match kind {
        "StatefulSet" => None,
        "Deployment" => Some(json!(query(&template["selector"]))),
        "ReplicationController" => Some(json!(labels(&template["selector"]))),
        _ => Some(json!(selector_or_none(&template["selector"]))),
    });
    Some(cells)
}

fn job(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let succeeded = as_integer(&status["succeeded"]);
    let completions = match (
        spec["completions"].as_i64(),
        as_integer(&spec["parallelism"]),
    ) {
        (Some(desired), _) => format!("{succeeded}/{desired}"),
        (None, parallel @ 2..) => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let end = seconds(&status["completionTime"]).unwrap_or(row.now);
    let duration = seconds(&status["startTime"]).map(|start| human_duration(end - start));
    vec![
        row.name(),
        json!(job_state(row)),
        json!(completions),
        json!(duration.unwrap_or_default()),
        row.age(),
    ]
}

fn job_state(row: Row<'_>) -> &'static str {
    let is = |type_: &str| has_condition(row.status(), type_);
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if row.is_deleting() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn cron_job(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let last = match &status["lastScheduleTime"] {
        Value::Null => NONE.to_owned(),
        last => row.since(last),
    };
    let suspended = if as_flag(&spec["suspend"]) {
        "True"
    } else {
        "False"
    };
    vec![
        row.name(),
        json!(as_text(&spec["schedule"])),
        json!(spec["timeZone"].as_str().unwrap_or(NONE)),
        json!(suspended),
        json!(as_items(&status["active"]).len()),
        json!(last),
        row.age(),
    ]
}

/// Returns the owner that controls an object, such as `deployment.apps/web`.
fn controller(row: Row<'_>) -> String {
    let mut owners = as_items(&row.metadata()["ownerReferences"]).iter();
    let Some(owner) = owners.find(|owner| as_flag(&owner["controller"])) else {
        return NONE.to_owned();
    };
    let kind = as_text(&owner["kind"]).to_lowercase();
    let name = as_text(&owner["name"]);
    match as_text(&owner["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{}/{name}", group.to_lowercase()),
        None => format!("{kind}/{name}"),
    }
}
