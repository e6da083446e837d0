//! Types of Kubernetes as fields.

use genclient::prelude::*;
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, EnvVar, PodSpec, PodTemplateSpec, ResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, LabelSelectorRequirement, MicroTime, ObjectMeta, Time,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;
use proptest::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Quantities {
    #[proptest(strategy = "quantity()")]
    pub quantity: Quantity,
    #[proptest(strategy = "int_or_string()")]
    pub port: IntOrString,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Instants {
    #[proptest(strategy = "instant().prop_map(Time)")]
    pub time: Time,
    #[proptest(strategy = "instant().prop_map(MicroTime)")]
    pub micro: MicroTime,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Selectors {
    #[proptest(strategy = "selector()")]
    pub selector: LabelSelector,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Conditions {
    #[proptest(strategy = "proptest::collection::vec(condition(), 0..2)")]
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Pods {
    #[proptest(strategy = "template()")]
    pub template: PodTemplateSpec,
}

fn quantity() -> impl Strategy<Value = Quantity> {
    "[1-9][0-9]{0,3}(m|Ki|Mi|Gi|k|M|G)?".prop_map(Quantity)
}

fn int_or_string() -> impl Strategy<Value = IntOrString> {
    prop_oneof![
        any::<i32>().prop_map(IntOrString::Int),
        "[a-z]{1,5}".prop_map(IntOrString::String),
    ]
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000i64).prop_map(|seconds| Timestamp::from_second(seconds).unwrap_or_default())
}

fn selector() -> impl Strategy<Value = LabelSelector> {
    ("[a-z]{1,5}", "[a-z]{1,5}").prop_map(|(key, value)| LabelSelector {
        match_labels: Some([(key.clone(), value.clone())].into()),
        match_expressions: Some(vec![LabelSelectorRequirement {
            key,
            operator: "In".to_owned(),
            values: Some(vec![value]),
        }]),
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    (
        "[A-Z][a-z]{1,5}",
        "[A-Z][a-z]{1,5}",
        "[ -~]{0,9}",
        instant(),
    )
        .prop_map(|(type_, reason, message, at)| Condition {
            last_transition_time: Time(at),
            message,
            observed_generation: Some(1),
            reason,
            status: "True".to_owned(),
            type_,
        })
}

fn template() -> impl Strategy<Value = PodTemplateSpec> {
    ("[a-z]{1,5}", "[a-z]{1,5}", quantity(), 1..65_535i32).prop_map(
        |(name, label, memory, port)| PodTemplateSpec {
            metadata: Some(ObjectMeta {
                labels: Some([("app".to_owned(), label)].into()),
                ..ObjectMeta::default()
            }),
            spec: Some(PodSpec {
                containers: vec![Container {
                    name,
                    env: Some(vec![EnvVar {
                        name: "A".to_owned(),
                        value: Some("b".to_owned()),
                        ..EnvVar::default()
                    }]),
                    ports: Some(vec![ContainerPort {
                        container_port: port,
                        protocol: Some("TCP".to_owned()),
                        ..ContainerPort::default()
                    }]),
                    resources: Some(ResourceRequirements {
                        limits: Some([("memory".to_owned(), memory)].into()),
                        ..ResourceRequirements::default()
                    }),
                    ..Container::default()
                }],
                ..PodSpec::default()
            }),
        },
    )
}
