//! Table of the strategies of built-in kinds.

use crate::admissionregistration::mutating_admission_policy::MutatingAdmissionPolicyStrategy;
use crate::admissionregistration::mutating_admission_policy_binding::MutatingAdmissionPolicyBindingStrategy;
use crate::admissionregistration::validating_admission_policy::ValidatingAdmissionPolicyStrategy;
use crate::admissionregistration::validating_admission_policy_binding::ValidatingAdmissionPolicyBindingStrategy;
use crate::admissionregistration::webhook_configuration::WebhookConfigurationStrategy;
use crate::apiextensions::custom_resource_definition::CustomResourceDefinitionStrategy;
use crate::apiregistration::api_service::ApiServiceStrategy;
use crate::apps::controller_revision::ControllerRevisionStrategy;
use crate::apps::daemon_set::DaemonSetStrategy;
use crate::apps::deployment::DeploymentStrategy;
use crate::apps::replica_set::ReplicaSetStrategy;
use crate::apps::stateful_set::StatefulSetStrategy;
use crate::autoscaling::horizontal_pod_autoscaler::HorizontalPodAutoscalerStrategy;
use crate::autoscaling::horizontal_pod_autoscaler::HorizontalPodAutoscalerV1Strategy;
use crate::batch::cron_job::CronJobStrategy;
use crate::batch::job::JobStrategy;
use crate::certificates::certificate_signing_request::CertificateSigningRequestStrategy;
use crate::coordination::lease::LeaseStrategy;
use crate::core::component_status::ComponentStatusStrategy;
use crate::core::config_map::ConfigMapStrategy;
use crate::core::endpoints::EndpointsStrategy;
use crate::core::event::EventStrategy;
use crate::core::limit_range::LimitRangeStrategy;
use crate::core::namespace::NamespaceStrategy;
use crate::core::node::NodeStrategy;
use crate::core::persistent_volume::PersistentVolumeStrategy;
use crate::core::persistent_volume_claim::PersistentVolumeClaimStrategy;
use crate::core::pod::PodStrategy;
use crate::core::pod_template::PodTemplateStrategy;
use crate::core::replication_controller::ReplicationControllerStrategy;
use crate::core::resource_quota::ResourceQuotaStrategy;
use crate::core::secret::SecretStrategy;
use crate::core::service::ServiceStrategy;
use crate::core::service_account::ServiceAccountStrategy;
use crate::discovery::endpoint_slice::EndpointSliceStrategy;
use crate::events::event::EventV1Strategy;
use crate::flowcontrol::flow_schema::FlowSchemaStrategy;
use crate::flowcontrol::priority_level_configuration::PriorityLevelConfigurationStrategy;
use crate::networking::ingress::IngressStrategy;
use crate::networking::ingress_class::IngressClassStrategy;
use crate::networking::ip_address::IpAddressStrategy;
use crate::networking::network_policy::NetworkPolicyStrategy;
use crate::networking::service_cidr::ServiceCidrStrategy;
use crate::node::runtime_class::RuntimeClassStrategy;
use crate::policy::pod_disruption_budget::PodDisruptionBudgetStrategy;
use crate::rbac::role::RoleStrategy;
use crate::rbac::role_binding::RoleBindingStrategy;
use crate::resource::resource_claim::ResourceClaimStrategy;
use crate::resource::resource_slice::ResourceSliceStrategy;
use crate::scheduling::priority_class::PriorityClassStrategy;
use crate::storage::csi_driver::CsiDriverStrategy;
use crate::storage::csi_node::CsiNodeStrategy;
use crate::storage::storage_class::StorageClassStrategy;
use crate::storage::volume_attachment::VolumeAttachmentStrategy;
use crate::storage::volume_attributes_class::VolumeAttributesClassStrategy;
use crate::strategy::{PublishedSchema, Strategy};

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
pub(crate) fn find_strategy(group: &str, version: &str, kind: &str) -> &'static dyn Strategy {
    let mut rows = STRATEGIES.iter();
    rows.find(|row| (row.0, row.1, row.2) == (group, version, kind))
        .map_or(&PublishedSchema, |row| row.3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[test]
    fn strategies_are_those_of_existing_kinds() {
        for (group, version, name, _) in STRATEGIES {
            let found = kind::find_kind(group, version, name);
            assert!(found.is_some(), "{group} {version} {name}");
        }
    }
}
