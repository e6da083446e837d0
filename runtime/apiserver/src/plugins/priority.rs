//! Admission plug-in Priority: sets the priority of a Pod from its PriorityClass
//! (plugin/pkg/admission/priority in Kubernetes' sources).

use serde_json::{Map, Value};

use super::context::value_at;
use crate::admission::{AdmissionRequest, Operation, forbidden_error};
use crate::kinds::Kind;
use crate::metadata;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{GroupResource, Key};

const GROUP: &str = "scheduling.k8s.io";
const PLURAL: &str = "priorityclasses";

/// Returns whether the plug-in handles writes of a kind.
pub(super) fn handles(kind: &Kind) -> bool {
    kind.group() == GROUP || kind.group().is_empty() && kind.plural() == "pods"
}

/// PriorityClass of a Pod, and the priority and preemption policy that follow from it.
struct ResolvedPriority {
    /// Name of the class, or empty if the Pod names none and there is no default class.
    class: String,
    value: i64,
    preemption_policy: Option<String>,
}

/// Sets the priority of a new Pod, and keeps that of an updated one (`admitPod`).
pub(super) fn mutate(
    state: &ServerState,
    admission: &mut AdmissionRequest,
) -> Result<(), StatusError> {
    if !admission.is("", "pods") {
        return Ok(());
    }
    match admission.operation {
        Operation::Create => set_on_create(state, admission)?,
        Operation::Update => keep_on_update(admission),
        Operation::Delete => {}
    }
    Ok(())
}

/// Resolves the priority of a new Pod, and writes class, priority and preemption policy into its
/// spec.
fn set_on_create(state: &ServerState, admission: &mut AdmissionRequest) -> Result<(), StatusError> {
    let priority = resolve_priority(state, admission)?;
    reject_mismatch(admission, &priority)?;
    let Some(spec) = pod_spec(admission) else {
        return Ok(());
    };
    if !priority.class.is_empty() {
        spec.insert("priorityClassName".to_owned(), priority.class.into());
    }
    spec.insert("priority".to_owned(), priority.value.into());
    if let Some(policy) = priority.preemption_policy {
        spec.insert("preemptionPolicy".to_owned(), policy.into());
    }
    Ok(())
}

/// Restores the priority and the preemption policy that an update omits, for clients that replace a
/// Pod by the manifest that they created it from. Validation rejects any other change of them.
fn keep_on_update(admission: &mut AdmissionRequest) {
    let old_spec = value_at(admission.old_object.as_ref(), "/spec").clone();
    let Some(spec) = pod_spec(admission) else {
        return;
    };
    for field in ["priority", "preemptionPolicy"] {
        if let Some(old) = old_spec.get(field) {
            spec.entry(field).or_insert_with(|| old.clone());
        }
    }
}

fn pod_spec(admission: &mut AdmissionRequest) -> Option<&mut Map<String, Value>> {
    admission.object.as_mut()?.get_mut("spec")?.as_object_mut()
}

/// Returns the priority that a new Pod gets from its PriorityClass (`establishPriority`). A Pod
/// that names no class gets the default class or, if there is none, the priority 0.
fn resolve_priority(
    state: &ServerState,
    admission: &AdmissionRequest,
) -> Result<ResolvedPriority, StatusError> {
    let name = value_at(admission.object.as_ref(), "/spec/priorityClassName");
    let class = match name.as_str().unwrap_or_default() {
        "" => default_class(state),
        name => {
            let stored = state.store.get(&priority_classes(), &Key::new("", name));
            let missing = || {
                forbidden_error(
                    admission,
                    &format!("no PriorityClass with name {name} was found"),
                )
            };
            Some(stored.ok_or_else(missing)?.value())
        }
    };
    let Some(class) = class else {
        return Ok(ResolvedPriority {
            class: String::new(),
            value: 0,
            preemption_policy: Some("PreemptLowerPriority".to_owned()),
        });
    };
    Ok(ResolvedPriority {
        class: class_name(&class),
        value: class["value"].as_i64().unwrap_or_default(),
        preemption_policy: class["preemptionPolicy"].as_str().map(str::to_owned),
    })
}

/// Rejects a Pod whose own priority or preemption policy differs from its PriorityClass. A class
/// without a policy accepts every policy of the Pod.
fn reject_mismatch(
    admission: &AdmissionRequest,
    priority: &ResolvedPriority,
) -> Result<(), StatusError> {
    let spec = value_at(admission.object.as_ref(), "/spec");
    let value = priority.value;
    if let Some(own) = spec["priority"].as_i64().filter(|own| *own != value) {
        let reason = format!(
            "the integer value of priority ({own}) must not be provided in pod spec; priority \
             admission controller computed {value} from the given PriorityClass name"
        );
        return Err(forbidden_error(admission, &reason));
    }
    let own = spec["preemptionPolicy"].as_str();
    match (own, &priority.preemption_policy) {
        (Some(own), Some(policy)) if own != policy => {
            let reason = format!(
                "the string value of PreemptionPolicy ({own}) must not be provided in pod spec; \
                 priority admission controller computed {policy} from the given PriorityClass name"
            );
            Err(forbidden_error(admission, &reason))
        }
        _ => Ok(()),
    }
}

/// Rejects a second PriorityClass with `globalDefault`.
pub(super) fn validate(
    state: &ServerState,
    admission: &AdmissionRequest,
) -> Result<(), StatusError> {
    let is_default = value_at(admission.object.as_ref(), "/globalDefault") == true;
    if !admission.is(GROUP, PLURAL) || !is_default {
        return Ok(());
    }
    let Some(default) = default_class(state) else {
        return Ok(());
    };
    let name = class_name(&default);
    if admission.operation == Operation::Update && name == admission.name {
        return Ok(());
    }
    let reason =
        format!("PriorityClass {name} is already marked as default. Only one default can exist");
    Err(forbidden_error(admission, &reason))
}

/// Returns the PriorityClass with `globalDefault`. Concurrent writes may have created several; the
/// one with the lowest value counts (`getDefaultPriorityClass`).
fn default_class(state: &ServerState) -> Option<Value> {
    let classes = state.store.list(&priority_classes(), "").objects;
    classes
        .iter()
        .map(|(_, class)| class.value())
        .filter(|class| class["globalDefault"] == true)
        .min_by_key(|class| class["value"].as_i64())
}

fn priority_classes() -> GroupResource {
    GroupResource::new(GROUP, PLURAL)
}

fn class_name(class: &Value) -> String {
    metadata::str_field(class, "name").to_owned()
}
