//! Admission plug-in Priority: sets the priority of a Pod from its PriorityClass
//! (plugin/pkg/admission/priority in Kubernetes' sources).

use serde_json::Value;

use super::context::at;
use crate::admission::{AdmissionRequest, Operation, forbidden};
use crate::failure::Failure;
use crate::kinds::Kind;
use crate::state::ServerState;
use crate::store::{GroupResource, Key};

const GROUP: &str = "scheduling.k8s.io";
const PLURAL: &str = "priorityclasses";

/// Returns whether the plug-in handles writes of a kind.
pub(super) fn handles(kind: &Kind) -> bool {
    kind.group() == GROUP || kind.group().is_empty() && kind.plural() == "pods"
}

/// PriorityClass of a Pod, and the priority and preemption policy that follow from it.
struct Priority {
    class: String,
    value: i64,
    policy: Option<String>,
}

/// Sets the priority of a new Pod. Restores the priority and preemption policy that an update of a
/// Pod omits.
pub(super) fn mutate(state: &ServerState, admission: &mut AdmissionRequest) -> Result<(), Failure> {
    if !admission.is("", "pods") || admission.operation == Operation::Delete {
        return Ok(());
    }
    let found = match admission.operation {
        Operation::Create => Some(establish(state, admission)?),
        _ => None,
    };
    if let Some(priority) = &found {
        check(admission, priority)?;
    }
    let old = at(admission.old_object.as_ref(), "/spec").clone();
    let spec = admission.object.as_mut().and_then(|it| it.get_mut("spec"));
    let Some(Value::Object(spec)) = spec else {
        return Ok(());
    };
    let Some(priority) = found else {
        for field in ["priority", "preemptionPolicy"] {
            if let Some(kept) = old.get(field) {
                spec.entry(field).or_insert_with(|| kept.clone());
            }
        }
        return Ok(());
    };
    if !priority.class.is_empty() {
        spec.insert("priorityClassName".to_owned(), priority.class.into());
    }
    spec.insert("priority".to_owned(), priority.value.into());
    if let Some(policy) = priority.policy {
        spec.insert("preemptionPolicy".to_owned(), policy.into());
    }
    Ok(())
}

/// Returns the priority that a new Pod gets from its PriorityClass. A Pod that names no class gets
/// the default class or, if there is none, the priority 0.
fn establish(state: &ServerState, admission: &AdmissionRequest) -> Result<Priority, Failure> {
    let class = at(admission.object.as_ref(), "/spec/priorityClassName");
    let found = match class.as_str().unwrap_or_default() {
        "" => default_class(state),
        name => {
            let found = state.store.get(&resource(), &Key::new("", name));
            let missing = || {
                forbidden(
                    admission,
                    &format!("no PriorityClass with name {name} was found"),
                )
            };
            Some(found.ok_or_else(missing)?.value())
        }
    };
    let Some(found) = found else {
        return Ok(Priority {
            class: String::new(),
            value: 0,
            policy: Some("PreemptLowerPriority".to_owned()),
        });
    };
    Ok(Priority {
        class: text(&found["metadata"]["name"]),
        value: found["value"].as_i64().unwrap_or_default(),
        policy: found["preemptionPolicy"].as_str().map(str::to_owned),
    })
}

/// Rejects a Pod whose own priority or preemption policy differs from its PriorityClass.
fn check(admission: &AdmissionRequest, priority: &Priority) -> Result<(), Failure> {
    let spec = at(admission.object.as_ref(), "/spec");
    let value = priority.value;
    if let Some(sent) = spec["priority"].as_i64().filter(|sent| *sent != value) {
        let reason = format!(
            "the integer value of priority ({sent}) must not be provided in pod spec; priority \
             admission controller computed {value} from the given PriorityClass name"
        );
        return Err(forbidden(admission, &reason));
    }
    let sent = spec["preemptionPolicy"].as_str();
    match (sent, &priority.policy) {
        (Some(sent), Some(policy)) if sent != policy => {
            let reason = format!(
                "the string value of PreemptionPolicy ({sent}) must not be provided in pod spec; \
                 priority admission controller computed {policy} from the given PriorityClass name"
            );
            Err(forbidden(admission, &reason))
        }
        _ => Ok(()),
    }
}

/// Rejects a second PriorityClass with `globalDefault`.
pub(super) fn validate(state: &ServerState, admission: &AdmissionRequest) -> Result<(), Failure> {
    let is_default = at(admission.object.as_ref(), "/globalDefault") == true;
    if !admission.is(GROUP, PLURAL) || !is_default {
        return Ok(());
    }
    let Some(default) = default_class(state) else {
        return Ok(());
    };
    let name = text(&default["metadata"]["name"]);
    if admission.operation == Operation::Update && name == admission.name {
        return Ok(());
    }
    let reason =
        format!("PriorityClass {name} is already marked as default. Only one default can exist");
    Err(forbidden(admission, &reason))
}

/// Returns the PriorityClass with `globalDefault`. If several have it, returns the one with the
/// lowest value.
fn default_class(state: &ServerState) -> Option<Value> {
    let classes = state.store.list(&resource(), "").objects;
    classes
        .iter()
        .map(|(_, class)| class.value())
        .filter(|class| class["globalDefault"] == true)
        .min_by_key(|class| class["value"].as_i64())
}

fn resource() -> GroupResource {
    GroupResource {
        group: GROUP.to_owned(),
        plural: PLURAL.to_owned(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
