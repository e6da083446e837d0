//! Desired state of an Application: its Deployment and its Service.

use std::collections::BTreeMap;

use genclient::kube::ResourceExt;
use genclient::prelude::*;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, EnvVar, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec,
};

use crate::apis::apps::v1beta1::Application;

/// Label that identifies the Pods of an Application.
const LABEL: &str = "apps.example.io/application";

/// Returns the label selector of the Pods, as text.
pub(super) fn selector(application: &Application) -> String {
    format!("{LABEL}={}", application.name_any())
}

/// Returns the Deployment that runs the program.
pub(super) fn deployment(application: &Application) -> Deployment {
    let (labels, spec) = (labels(application), &application.spec);
    let env = spec.container.env.iter().map(|variable| EnvVar {
        name: variable.name.clone(),
        value: Some(variable.value.clone()),
        ..EnvVar::default()
    });
    let container = Container {
        name: "application".to_owned(),
        image: Some(spec.container.image.clone()),
        env: Some(env.collect()),
        ports: Some(vec![ContainerPort {
            container_port: spec.container.port,
            ..ContainerPort::default()
        }]),
        ..Container::default()
    };
    Deployment {
        metadata: metadata(application),
        spec: Some(DeploymentSpec {
            replicas: Some(spec.replicas.unwrap_or(1)),
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![container],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

/// Returns the Service in front of the Pods.
pub(super) fn service(application: &Application) -> Service {
    let port = application.spec.container.port;
    Service {
        metadata: metadata(application),
        spec: Some(ServiceSpec {
            selector: Some(labels(application)),
            ports: Some(vec![ServicePort {
                port,
                target_port: Some(IntOrString::Int(port)),
                ..ServicePort::default()
            }]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

fn labels(application: &Application) -> BTreeMap<String, String> {
    BTreeMap::from([(LABEL.to_owned(), application.name_any())])
}

fn metadata(application: &Application) -> ObjectMeta {
    ObjectMeta {
        name: application.metadata.name.clone(),
        namespace: application.metadata.namespace.clone(),
        labels: Some(labels(application)),
        ..ObjectMeta::default()
    }
}
