//! Table of the strategies of built-in kinds.

use crate::builtins::admissionregistration::mutating_admission_policy::MutatingAdmissionPolicyStrategy;
use crate::builtins::admissionregistration::mutating_admission_policy_binding::MutatingAdmissionPolicyBindingStrategy;
use crate::builtins::admissionregistration::validating_admission_policy::ValidatingAdmissionPolicyStrategy;
use crate::builtins::admissionregistration::validating_admission_policy_binding::ValidatingAdmissionPolicyBindingStrategy;
use crate::builtins::admissionregistration::webhook_configuration::WebhookConfigurationStrategy;
use crate::builtins::apiextensions::custom_resource_definition::CustomResourceDefinitionStrategy;
use crate::builtins::apiregistration::api_service::ApiServiceStrategy;
use crate::builtins::apps::controller_revision::ControllerRevisionStrategy;
use crate::builtins::apps::daemon_set::DaemonSetStrategy;
use crate::builtins::apps::deployment::DeploymentStrategy;
use crate::builtins::apps::replica_set::ReplicaSetStrategy;
use crate::builtins::apps::stateful_set::StatefulSetStrategy;
use crate::builtins::autoscaling::horizontal_pod_autoscaler::HorizontalPodAutoscalerStrategy;
use crate::builtins::autoscaling::horizontal_pod_autoscaler::HorizontalPodAutoscalerV1Strategy;
use crate::builtins::batch::cron_job::CronJobStrategy;
use crate::builtins::batch::job::JobStrategy;
use crate::builtins::certificates::certificate_signing_request::CertificateSigningRequestStrategy;
use crate::builtins::coordination::lease::LeaseStrategy;
use crate::builtins::core::component_status::ComponentStatusStrategy;
use crate::builtins::core::config_map::ConfigMapStrategy;
use crate::builtins::core::endpoints::EndpointsStrategy;
use crate::builtins::core::event::EventStrategy;
use crate::builtins::core::limit_range::LimitRangeStrategy;
use crate::builtins::core::namespace::NamespaceStrategy;
use crate::builtins::core::node::NodeStrategy;
use crate::builtins::core::persistent_volume::PersistentVolumeStrategy;
use crate::builtins::core::persistent_volume_claim::PersistentVolumeClaimStrategy;
use crate::builtins::core::pod::PodStrategy;
use crate::builtins::core::pod_template::PodTemplateStrategy;
use crate::builtins::core::replication_controller::ReplicationControllerStrategy;
use crate::builtins::core::resource_quota::ResourceQuotaStrategy;
use crate::builtins::core::secret::SecretStrategy;
use crate::builtins::core::service::ServiceStrategy;
use crate::builtins::core::service_account::ServiceAccountStrategy;
use crate::builtins::discovery::endpoint_slice::EndpointSliceStrategy;
use crate::builtins::events::event::EventV1Strategy;
use crate::builtins::flowcontrol::flow_schema::FlowSchemaStrategy;
use crate::builtins::flowcontrol::priority_level_configuration::PriorityLevelConfigurationStrategy;
use crate::builtins::networking::ingress::IngressStrategy;
use crate::builtins::networking::ingress_class::IngressClassStrategy;
use crate::builtins::networking::ip_address::IpAddressStrategy;
use crate::builtins::networking::network_policy::NetworkPolicyStrategy;
use crate::builtins::networking::service_cidr::ServiceCidrStrategy;
use crate::builtins::node::runtime_class::RuntimeClassStrategy;
use crate::builtins::policy::pod_disruption_budget::PodDisruptionBudgetStrategy;
use crate::builtins::rbac::role::RoleStrategy;
use crate::builtins::rbac::role_binding::RoleBindingStrategy;
use crate::builtins::resource::resource_claim::ResourceClaimStrategy;
use crate::builtins::resource::resource_slice::ResourceSliceStrategy;
use crate::builtins::scheduling::priority_class::PriorityClassStrategy;
use crate::builtins::storage::csi_driver::CsiDriverStrategy;
use crate::builtins::storage::csi_node::CsiNodeStrategy;
use crate::builtins::storage::storage_class::StorageClassStrategy;
use crate::builtins::storage::volume_attachment::VolumeAttachmentStrategy;
use crate::builtins::storage::volume_attributes_class::VolumeAttributesClassStrategy;
use crate::builtins::strategy::{PublishedSchema, Strategy};

/// Strategies by group, version and kind. All other kinds follow their published schema alone.
const STRATEGIES: &[(&str, &str, &str, &dyn Strategy)] = &[
    ("", "v1", "ComponentStatus", &ComponentStatusStrategy),
    ("", "v1", "ConfigMap", &ConfigMapStrategy),
    ("", "v1", "Endpoints", &EndpointsStrategy),
    ("", "v1", "Event", &EventStrategy),
    ("", "v1", "LimitRange", &LimitRangeStrategy),
    ("", "v1", "Namespace", &NamespaceStrategy),
    ("", "v1", "Node", &NodeStrategy),
    ("", "v1", "PersistentVolume", &PersistentVolumeStrategy),
    (
        "",
        "v1",
        "PersistentVolumeClaim",
        &PersistentVolumeClaimStrategy,
    ),
    ("", "v1", "Pod", &PodStrategy),
    ("", "v1", "PodTemplate", &PodTemplateStrategy),
    (
        "",
        "v1",
        "ReplicationController",
        &ReplicationControllerStrategy,
    ),
    ("", "v1", "ResourceQuota", &ResourceQuotaStrategy),
    ("", "v1", "Secret", &SecretStrategy),
    ("", "v1", "Service", &ServiceStrategy),
    ("", "v1", "ServiceAccount", &ServiceAccountStrategy),
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingAdmissionPolicy",
        &MutatingAdmissionPolicyStrategy,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingAdmissionPolicyBinding",
        &MutatingAdmissionPolicyBindingStrategy,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingWebhookConfiguration",
        &WebhookConfigurationStrategy,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicy",
        &ValidatingAdmissionPolicyStrategy,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicyBinding",
        &ValidatingAdmissionPolicyBindingStrategy,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingWebhookConfiguration",
        &WebhookConfigurationStrategy,
    ),
    (
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        &CustomResourceDefinitionStrategy,
    ),
    (
        "apiregistration.k8s.io",
        "v1",
        "APIService",
        &ApiServiceStrategy,
    ),
    (
        "apps",
        "v1",
        "ControllerRevision",
        &ControllerRevisionStrategy,
    ),
    ("apps", "v1", "DaemonSet", &DaemonSetStrategy),
    ("apps", "v1", "Deployment", &DeploymentStrategy),
    ("apps", "v1", "ReplicaSet", &ReplicaSetStrategy),
    ("apps", "v1", "StatefulSet", &StatefulSetStrategy),
    (
        "autoscaling",
        "v1",
        "HorizontalPodAutoscaler",
        &HorizontalPodAutoscalerV1Strategy,
    ),
    (
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        &HorizontalPodAutoscalerStrategy,
    ),
    ("batch", "v1", "CronJob", &CronJobStrategy),
    ("batch", "v1", "Job", &JobStrategy),
    (
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        &CertificateSigningRequestStrategy,
    ),
    ("coordination.k8s.io", "v1", "Lease", &LeaseStrategy),
    (
        "discovery.k8s.io",
        "v1",
        "EndpointSlice",
        &EndpointSliceStrategy,
    ),
    ("events.k8s.io", "v1", "Event", &EventV1Strategy),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1",
        "FlowSchema",
        &FlowSchemaStrategy,
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1",
        "PriorityLevelConfiguration",
        &PriorityLevelConfigurationStrategy,
    ),
    ("networking.k8s.io", "v1", "IPAddress", &IpAddressStrategy),
    ("networking.k8s.io", "v1", "Ingress", &IngressStrategy),
    (
        "networking.k8s.io",
        "v1",
        "IngressClass",
        &IngressClassStrategy,
    ),
    (
        "networking.k8s.io",
        "v1",
        "NetworkPolicy",
        &NetworkPolicyStrategy,
    ),
    (
        "networking.k8s.io",
        "v1",
        "ServiceCIDR",
        &ServiceCidrStrategy,
    ),
    ("node.k8s.io", "v1", "RuntimeClass", &RuntimeClassStrategy),
    (
        "policy",
        "v1",
        "PodDisruptionBudget",
        &PodDisruptionBudgetStrategy,
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "ClusterRole",
        &RoleStrategy {
            is_namespaced: false,
        },
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "ClusterRoleBinding",
        &RoleBindingStrategy {
            is_namespaced: false,
        },
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "Role",
        &RoleStrategy {
            is_namespaced: true,
        },
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "RoleBinding",
        &RoleBindingStrategy {
            is_namespaced: true,
        },
    ),
    (
        "resource.k8s.io",
        "v1",
        "ResourceClaim",
        &ResourceClaimStrategy,
    ),
    (
        "resource.k8s.io",
        "v1",
        "ResourceSlice",
        &ResourceSliceStrategy,
    ),
    (
        "scheduling.k8s.io",
        "v1",
        "PriorityClass",
        &PriorityClassStrategy,
    ),
    ("storage.k8s.io", "v1", "CSIDriver", &CsiDriverStrategy),
    ("storage.k8s.io", "v1", "CSINode", &CsiNodeStrategy),
    (
        "storage.k8s.io",
        "v1",
        "StorageClass",
        &StorageClassStrategy,
    ),
    (
        "storage.k8s.io",
        "v1",
        "VolumeAttachment",
        &VolumeAttachmentStrategy,
    ),
    (
        "storage.k8s.io",
        "v1",
        "VolumeAttributesClass",
        &VolumeAttributesClassStrategy,
    ),
];

/// Returns the strategy of a kind.
pub(crate) fn find(group: &str, version: &str, kind: &str) -> &'static dyn Strategy {
    let mut rows = STRATEGIES.iter();
    rows.find(|row| (row.0, row.1, row.2) == (group, version, kind))
        .map_or(&PublishedSchema, |row| row.3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::kind;

    #[test]
    fn strategies_are_those_of_existing_kinds() {
        for (group, version, name, _) in STRATEGIES {
            let found = kind::find_kind(group, version, name);
            assert!(found.is_some(), "{group} {version} {name}");
        }
    }
}
