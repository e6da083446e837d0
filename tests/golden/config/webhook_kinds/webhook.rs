//! Webhooks for built-in kinds, one of each API group.
use genclient::k8s_openapi::api;
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::webhook;

use crate::admission::Validator;

pub struct ForValidatingAdmissionPolicy;

#[webhook]
impl Validator for ForValidatingAdmissionPolicy {
    type Object = api::admissionregistration::v1::ValidatingAdmissionPolicy;
}

pub struct ForDeployment;

#[webhook]
impl Validator for ForDeployment {
    type Object = api::apps::v1::Deployment;
}

pub struct ForSubjectAccessReview;

#[webhook]
impl Validator for ForSubjectAccessReview {
    type Object = api::authorization::v1::SubjectAccessReview;
}

pub struct ForTokenReview;

#[webhook]
impl Validator for ForTokenReview {
    type Object = api::authentication::v1::TokenReview;
}

pub struct ForHorizontalPodAutoscaler;

#[webhook]
impl Validator for ForHorizontalPodAutoscaler {
    type Object = api::autoscaling::v2::HorizontalPodAutoscaler;
}

pub struct ForCronJob;

#[webhook]
impl Validator for ForCronJob {
    type Object = api::batch::v1::CronJob;
}

pub struct ForCertificateSigningRequest;

#[webhook]
impl Validator for ForCertificateSigningRequest {
    type Object = api::certificates::v1::CertificateSigningRequest;
}

pub struct ForLease;

#[webhook]
impl Validator for ForLease {
    type Object = api::coordination::v1::Lease;
}

pub struct ForEndpoints;

#[webhook]
impl Validator for ForEndpoints {
    type Object = api::core::v1::Endpoints;
}

pub struct ForPod;

#[webhook]
impl Validator for ForPod {
    type Object = api::core::v1::Pod;
}

pub struct ForEndpointSlice;

#[webhook]
impl Validator for ForEndpointSlice {
    type Object = api::discovery::v1::EndpointSlice;
}

pub struct ForEvent;

#[webhook]
impl Validator for ForEvent {
    type Object = api::events::v1::Event;
}

pub struct ForFlowSchema;

#[webhook]
impl Validator for ForFlowSchema {
    type Object = api::flowcontrol::v1::FlowSchema;
}

pub struct ForNetworkPolicy;

#[webhook]
impl Validator for ForNetworkPolicy {
    type Object = api::networking::v1::NetworkPolicy;
}

pub struct ForIngressClass;

#[webhook]
impl Validator for ForIngressClass {
    type Object = api::networking::v1::IngressClass;
}

pub struct ForRuntimeClass;

#[webhook]
impl Validator for ForRuntimeClass {
    type Object = api::node::v1::RuntimeClass;
}

pub struct ForPodDisruptionBudget;

#[webhook]
impl Validator for ForPodDisruptionBudget {
    type Object = api::policy::v1::PodDisruptionBudget;
}

pub struct ForClusterRole;

#[webhook]
impl Validator for ForClusterRole {
    type Object = api::rbac::v1::ClusterRole;
}

pub struct ForResourceClaim;

#[webhook]
impl Validator for ForResourceClaim {
    type Object = api::resource::v1::ResourceClaim;
}

pub struct ForPriorityClass;

#[webhook]
impl Validator for ForPriorityClass {
    type Object = api::scheduling::v1::PriorityClass;
}

pub struct ForCSIStorageCapacity;

#[webhook]
impl Validator for ForCSIStorageCapacity {
    type Object = api::storage::v1::CSIStorageCapacity;
}

pub struct ForDefinition;

#[webhook]
impl Validator for ForDefinition {
    type Object = CustomResourceDefinition;
}
