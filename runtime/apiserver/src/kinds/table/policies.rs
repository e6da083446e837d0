//! Table cells of the kinds that no other module covers, such as PodDisruptionBudgets and Leases.

use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::builtins::autoscaling::columns;
use crate::builtins::row::{
    NONE, Row, UNSET, as_flag, as_integer, as_items, as_text, query, text_or,
};

/// Returns the cells of an object, or `None` if its kind has no table.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let (object, spec) = (row.object, row.spec());
    let (name, age) = (row.name(), row.age());
    Some(match kind {
        "HorizontalPodAutoscaler" => columns::cells(row),
        "PodDisruptionBudget" => {
            let shown = |field: &str| match &spec[field] {
                Value::Null => json!("N/A"),
                Value::String(share) => json!(share),
                number => json!(number.to_string()),
            };
            let allowed = json!(as_integer(&row.status()["disruptionsAllowed"]));
            vec![
                name,
                shown("minAvailable"),
                shown("maxUnavailable"),
                allowed,
                age,
            ]
        }
        "RoleBinding" | "ClusterRoleBinding" => binding(row),
        "Lease" => vec![name, json!(as_text(&spec["holderIdentity"])), age],
        "PriorityClass" => {
            let policy = json!(as_text(&object["preemptionPolicy"]));
            let is_default = json!(as_flag(&object["globalDefault"]));
            vec![
                name,
                json!(as_integer(&object["value"])),
                is_default,
                age,
                policy,
            ]
        }
        "RuntimeClass" => vec![name, json!(as_text(&object["handler"])), age],
        "CertificateSigningRequest" => signing_request(row),
        "ResourceClaim" => vec![name, json!(claim_state(row)), age],
        "ResourceSlice" => {
            let pool = json!(as_text(&spec["pool"]["name"]));
            vec![
                name,
                json!(as_text(&spec["nodeName"])),
                json!(as_text(&spec["driver"])),
                pool,
                age,
            ]
        }
        "FlowSchema" => flow_schema(row),
        "PriorityLevelConfiguration" => priority_level(row),
        _ => return admission(kind, row),
    })
}

/// Returns the cells of webhook configurations, admission policies and policy bindings.
fn admission(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let spec = row.spec();
    let (name, age) = (row.name(), row.age());
    let count = |list: &Value| json!(as_items(list).len());
    Some(match kind {
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
            vec![name, count(&row.object["webhooks"]), age]
        }
        "ValidatingAdmissionPolicy" => {
            vec![name, count(&spec["validations"]), parameters(spec), age]
        }
        "MutatingAdmissionPolicy" => vec![name, count(&spec["mutations"]), parameters(spec), age],
        "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding" => {
            let policy = json!(as_text(&spec["policyName"]));
            vec![name, policy, json!(parameter(&spec["paramRef"])), age]
        }
        _ => return None,
    })
}

fn binding(row: Row<'_>) -> Vec<Value> {
    let role = &row.object["roleRef"];
    let role = format!("{}/{}", as_text(&role["kind"]), as_text(&role["name"]));
    let subjects = |kind: &str| {
        let subjects = as_items(&row.object["subjects"]).iter();
        let names = subjects
            .filter(|subject| subject["kind"] == kind)
            .map(|subject| {
                let name = as_text(&subject["name"]);
                match kind {
                    "ServiceAccount" => format!("{}/{name}", as_text(&subject["namespace"])),
                    _ => name.to_owned(),
                }
            });
        json!(names.collect::<Vec<_>>().join(", "))
    };
    let (users, groups) = (subjects("User"), subjects("Group"));
    vec![
        row.name(),
        json!(role),
        row.age(),
        users,
        groups,
        subjects("ServiceAccount"),
    ]
}

fn parameters(spec: &Value) -> Value {
    match &spec["paramKind"] {
        Value::Null => json!(UNSET),
        kind => json!(format!(
            "{}/{}",
            as_text(&kind["apiVersion"]),
            as_text(&kind["kind"])
        )),
    }
}

fn parameter(reference: &Value) -> String {
    match (
        as_text(&reference["name"]),
        as_text(&reference["namespace"]),
    ) {
        ("", _) if reference["selector"].is_null() => UNSET.to_owned(),
        ("", _) => query(&reference["selector"]),
        (name, "") => format!("*/{name}"),
        (name, namespace) => format!("{namespace}/{name}"),
    }
}

fn signing_request(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let has = |type_: &str| {
        as_items(&status["conditions"])
            .iter()
            .any(|it| it["type"] == type_)
    };
    let mut state = match () {
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        state.push_str(",Failed");
    }
    if !as_text(&status["certificate"]).is_empty() {
        state.push_str(",Issued");
    }
    let duration = spec["expirationSeconds"].as_i64().map(human_duration);
    vec![
        row.name(),
        row.age(),
        json!(text_or(&spec["signerName"], NONE)),
        json!(as_text(&spec["username"])),
        json!(duration.as_deref().unwrap_or(NONE)),
        json!(state),
    ]
}

fn claim_state(row: Row<'_>) -> String {
    let status = row.status();
    let is_allocated = !status["allocation"].is_null();
    let states = [
        (row.is_deleting(), "deleted"),
        (!is_allocated && !row.is_deleting(), "pending"),
        (is_allocated, "allocated"),
        (
            is_allocated && !as_items(&status["reservedFor"]).is_empty(),
            "reserved",
        ),
    ];
    let states = states.into_iter().filter(|(holds, _)| *holds);
    states.map(|(_, state)| state).collect::<Vec<_>>().join(",")
}

fn flow_schema(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let mut conditions = as_items(&row.status()["conditions"]).iter();
    let dangling = conditions.find(|condition| condition["type"] == "Dangling");
    vec![
        row.name(),
        json!(as_text(&spec["priorityLevelConfiguration"]["name"])),
        json!(as_integer(&spec["matchingPrecedence"])),
        json!(spec["distinguisherMethod"]["type"].as_str().unwrap_or(NONE)),
        row.age(),
        json!(dangling.map_or("?", |condition| as_text(&condition["status"]))),
    ]
}

fn priority_level(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let limited = &spec["limited"];
    let queuing = &limited["limitResponse"]["queuing"];
    let number = |holder: &Value, field: &str| match holder {
        Value::Null => json!(NONE),
        holder => json!(as_integer(&holder[field])),
    };
    vec![
        row.name(),
        json!(as_text(&spec["type"])),
        number(limited, "nominalConcurrencyShares"),
        number(queuing, "queues"),
        number(queuing, "handSize"),
        number(queuing, "queueLengthLimit"),
        row.age(),
    ]
}
