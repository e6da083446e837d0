//! Table cells of kinds of the core group, such as Namespaces, Nodes, Events and quotas.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::builtins::row::{
    NONE, Row, UNKNOWN, as_flag, as_integer, as_items, as_text, member_count, text_or,
};

/// Returns the cells of an object, or `None` if this module does not cover its kind.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let object = row.object;
    let (name, age) = (row.name(), row.age());
    Some(match kind {
        "ConfigMap" => {
            let count = member_count(&object["data"]) + member_count(&object["binaryData"]);
            vec![name, json!(count), age]
        }
        "Secret" => {
            let type_ = json!(as_text(&object["type"]));
            vec![name, type_, json!(member_count(&object["data"])), age]
        }
        "Namespace" => vec![name, json!(as_text(&row.status()["phase"])), age],
        "Node" => node(row),
        "Event" => event(row),
        "ResourceQuota" => {
            let [requests, limits] = quota(row.status());
            vec![name, json!(requests), json!(limits), age]
        }
        _ => return None,
    })
}

fn node(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let mut conditions = as_items(&status["conditions"]).iter().rev();
    let ready = conditions.find(|condition| condition["type"] == "Ready");
    let mut state = match ready {
        Some(ready) if ready["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if as_flag(&spec["unschedulable"]) {
        state.push_str(",SchedulingDisabled");
    }
    let info = &status["nodeInfo"];
    let mut kernel = text_or(&info["kernelVersion"], UNKNOWN).to_owned();
    let architecture = as_text(&info["architecture"]);
    if !architecture.is_empty() {
        kernel = format!("{kernel} ({architecture})");
    }
    let address = |type_: &str| {
        let mut addresses = as_items(&status["addresses"]).iter();
        let found = addresses.find(|address| address["type"] == type_);
        json!(found.map_or(NONE, |address| as_text(&address["address"])))
    };
    vec![
        row.name(),
        json!(state),
        json!(roles(row)),
        row.age(),
        json!(as_text(&info["kubeletVersion"])),
        address("InternalIP"),
        address("ExternalIP"),
        json!(text_or(&info["osImage"], UNKNOWN)),
        json!(kernel),
        json!(text_or(&info["containerRuntimeVersion"], UNKNOWN)),
    ]
}

/// Returns the roles of a Node, from its labels.
fn roles(row: Row<'_>) -> String {
    let labels = row.metadata()["labels"].as_object().into_iter().flatten();
    let roles = labels.map(
        |(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => role,
            None if key == "kubernetes.io/role" => as_text(value),
            None => "",
        },
    );
    let roles: BTreeSet<_> = roles.filter(|role| !role.is_empty()).collect();
    match roles.into_iter().collect::<Vec<_>>().join(",") {
        roles if roles.is_empty() => NONE.to_owned(),
        roles => roles,
    }
}

/// Returns a field of an Event. Its name is `one` or `other`, depending on the API group.
fn either<'a>(event: &'a Value, one: &str, other: &str) -> &'a Value {
    match &event[one] {
        Value::Null => &event[other],
        found => found,
    }
}

fn event(row: Row<'_>) -> Vec<Value> {
    let event = row.object;
    let first_seen = match either(event, "firstTimestamp", "deprecatedFirstTimestamp") {
        Value::Null => row.since(&event["eventTime"]),
        first => row.since(first),
    };
    let mut last_seen = match either(event, "lastTimestamp", "deprecatedLastTimestamp") {
        Value::Null => first_seen.clone(),
        last => row.since(last),
    };
    let mut count = match as_integer(either(event, "count", "deprecatedCount")) {
        0 => 1,
        count => count,
    };
    if let series @ Value::Object(_) = &event["series"] {
        last_seen = row.since(&series["lastObservedTime"]);
        count = as_integer(&series["count"]);
    }
    let about = either(event, "involvedObject", "regarding");
    let kind = as_text(&about["kind"]).to_lowercase();
    let target = match as_text(&about["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    let source = either(event, "source", "deprecatedSource");
    let reporter = either(event, "reportingComponent", "reportingController");
    let component = text_or(&source["component"], as_text(reporter));
    let source = match text_or(&source["host"], as_text(&event["reportingInstance"])) {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    };
    vec![
        json!(last_seen),
        json!(as_text(&event["type"])),
        json!(as_text(&event["reason"])),
        json!(target),
        json!(as_text(&about["fieldPath"])),
        json!(source),
        json!(as_text(either(event, "message", "note")).trim()),
        json!(first_seen),
        json!(count),
        row.name(),
    ]
}

/// Formats the used and hard amounts of a quota. The second text has the resources with the prefix
/// `limits.`, the first text all others.
fn quota(status: &Value) -> [String; 2] {
    let mut columns = [Vec::new(), Vec::new()];
    for (resource, hard) in status["hard"].as_object().into_iter().flatten() {
        let used = text_or(&status["used"][resource], "0");
        let [requests, limits] = &mut columns;
        let column = match resource.starts_with("limits.") {
            true => limits,
            false => requests,
        };
        column.push(format!("{resource}: {used}/{}", as_text(hard)));
    }
    columns.map(|column| column.join(", "))
}
