//! Defaults of built-in kinds. The server sets them after it has decoded an object, and before
//! admission.
//!
//! `DEFAULTS` has the function of each Go struct (`SetDefaults_…` in pkg/apis of Kubernetes'
//! sources). A struct gets its defaults before the structs in its fields. Decoding removes empty
//! values of fields with `omitempty`, so they get defaults, too.

use genclient_apimachinery::resource::Quantity;
use serde_json::Value;

use crate::admissionregistration::{
    match_resources, validating_admission_policy, webhook_configuration,
};
use crate::apps::{daemon_set, deployment, replica_set, stateful_set};
use crate::autoscaling::horizontal_pod_autoscaler;
use crate::batch::{cron_job, job, pod_failure_policy};
use crate::core::pod_spec::{containers, environment, probes, volumes};
use crate::core::{
    limit_range, namespace, node, persistent_volume_claim, pod, pod_spec, secret, service,
};
use crate::discovery::endpoint_slice;
use crate::networking::network_policy;
use crate::rbac::role_binding;
use crate::scheduling::priority_class;
use crate::types::{GoKind, GoType, Object};

/// Function that sets the defaults of a Go struct.
type SetDefaults = fn(&mut Object);

/// Functions by the name of the struct, sorted. `volumes::set_defaults` has those of volumes.
const DEFAULTS: &[(&str, SetDefaults)] = &[
    (
        "admissionregistration/v1.MatchResources",
        match_resources::set_defaults,
    ),
    (
        "admissionregistration/v1.MutatingWebhook",
        webhook_configuration::set_mutating_webhook_defaults,
    ),
    (
        "admissionregistration/v1.NamedRuleWithOperations",
        match_resources::set_rule_defaults,
    ),
    (
        "admissionregistration/v1.RuleWithOperations",
        match_resources::set_rule_defaults,
    ),
    (
        "admissionregistration/v1.ServiceReference",
        webhook_configuration::set_service_defaults,
    ),
    (
        "admissionregistration/v1.ValidatingAdmissionPolicySpec",
        validating_admission_policy::set_spec_defaults,
    ),
    (
        "admissionregistration/v1.ValidatingWebhook",
        webhook_configuration::set_webhook_defaults,
    ),
    ("apps/v1.DaemonSet", daemon_set::set_defaults),
    ("apps/v1.Deployment", deployment::set_defaults),
    ("apps/v1.ReplicaSet", replica_set::set_defaults),
    ("apps/v1.StatefulSet", stateful_set::set_defaults),
    (
        "autoscaling/v1.HorizontalPodAutoscaler",
        horizontal_pod_autoscaler::set_v1_defaults,
    ),
    (
        "autoscaling/v2.HorizontalPodAutoscaler",
        horizontal_pod_autoscaler::set_defaults,
    ),
    ("batch/v1.CronJob", cron_job::set_defaults),
    ("batch/v1.Job", job::set_defaults),
    (
        "batch/v1.PodFailurePolicyOnPodConditionsPattern",
        pod_failure_policy::set_condition_defaults,
    ),
    ("core/v1.Container", containers::set_defaults),
    ("core/v1.ContainerPort", containers::set_port_defaults),
    ("core/v1.EphemeralContainer", containers::set_defaults),
    (
        "core/v1.FileKeySelector",
        environment::set_file_key_defaults,
    ),
    ("core/v1.GRPCAction", probes::set_grpc_defaults),
    ("core/v1.HTTPGetAction", probes::set_http_defaults),
    ("core/v1.LimitRangeItem", limit_range::set_item_defaults),
    ("core/v1.Namespace", namespace::set_defaults),
    ("core/v1.NamespaceStatus", namespace::set_status_defaults),
    ("core/v1.NodeStatus", node::set_status_defaults),
    (
        "core/v1.ObjectFieldSelector",
        environment::set_field_defaults,
    ),
    (
        "core/v1.PersistentVolumeClaim",
        persistent_volume_claim::set_defaults,
    ),
    (
        "core/v1.PersistentVolumeClaimSpec",
        persistent_volume_claim::set_spec_defaults,
    ),
    ("core/v1.Pod", pod::set_defaults),
    ("core/v1.PodSpec", pod_spec::set_defaults),
    ("core/v1.Probe", probes::set_defaults),
    ("core/v1.Secret", secret::set_defaults),
    ("core/v1.Service", service::set_defaults),
    (
        "discovery/v1.EndpointPort",
        endpoint_slice::set_port_defaults,
    ),
    ("networking/v1.NetworkPolicy", network_policy::set_defaults),
    (
        "networking/v1.NetworkPolicyPort",
        network_policy::set_port_defaults,
    ),
    ("rbac/v1.ClusterRoleBinding", role_binding::set_defaults),
    ("rbac/v1.RoleBinding", role_binding::set_defaults),
    ("rbac/v1.Subject", role_binding::set_subject_defaults),
    ("scheduling/v1.PriorityClass", priority_class::set_defaults),
];

/// Sets the defaults of an object that [`decode`](crate::types::decode) has returned.
///
/// ```
/// use genclient_builtins::defaults::set_defaults;
/// use genclient_builtins::types::GoType;
/// use serde_json::json;
///
/// let mut secret = json!({"metadata": {"name": "a"}});
/// set_defaults(&mut secret, GoType::of_kind("", "v1", "Secret").unwrap());
/// assert_eq!(secret["type"], "Opaque");
/// ```
pub fn set_defaults(value: &mut Value, type_: GoType) {
    match (type_.kind(), value) {
        (GoKind::Pointer(inner), value) => set_defaults(value, inner),
        (GoKind::Slice(inner), Value::Array(items)) => {
            items.iter_mut().for_each(|item| set_defaults(item, inner));
        }
        (GoKind::Map(inner), Value::Object(members)) => {
            if type_.name() == "core/v1.ResourceList" {
                members.values_mut().for_each(round_up_to_milli);
            }
            members
                .values_mut()
                .for_each(|member| set_defaults(member, inner));
        }
        (GoKind::Struct(fields), Value::Object(members)) => {
            set_struct_defaults(type_.name(), members);
            for field in fields {
                if let Some(member) = members.get_mut(field.name) {
                    set_defaults(member, field.type_);
                }
            }
        }
        _ => {}
    }
}

/// Rounds the amount of a resource up to thousandths.
fn round_up_to_milli(amount: &mut Value) {
    if let Some(Ok(mut quantity)) = amount.as_str().map(Quantity::parse) {
        quantity.round_up(-3);
        *amount = quantity.canonical().into();
    }
}

fn set_struct_defaults(name: &str, members: &mut Object) {
    if let Ok(at) = DEFAULTS.binary_search_by_key(&name, |row| row.0) {
        let (_, set) = DEFAULTS[at];
        set(members);
    } else if let Some(source) = name.strip_prefix("core/v1.") {
        volumes::set_defaults(source, members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_with_defaults_exist_and_are_sorted() {
        assert!(DEFAULTS.is_sorted_by_key(|row| row.0));
        for (name, _) in DEFAULTS {
            assert!(GoType::named(name).is_some(), "{name}");
        }
    }
}
