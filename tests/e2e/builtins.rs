//! Tests of Kubernetes' own types as fields: the generator's schemas equal the published ones, are
//! accepted in a CRD, and keep stored values.

use std::fmt::Write as _;
use std::fs;

use e2e::ControlPlane;
use e2e::published::{self, KUBERNETES};
use genclient_codegen::Artefact;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, ResourceExt};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

const WORKLOADS: &str = include_str!(
    "../golden/schema/builtin_types/expected/config/crd/builtin.example.com_workloads.yaml"
);
const SERVICES: &str = include_str!(
    "../golden/schema/builtin_types/expected/config/crd/builtin.example.com_services.yaml"
);

/// Definitions that the generator refuses, because no CRD can have them: their schemas are
/// recursive.
const CIRCLES: [&str; 8] = [
    "CustomResourceDefinition",
    "CustomResourceDefinitionSpec",
    "CustomResourceDefinitionVersion",
    "CustomResourceValidation",
    "JSONSchemaProps",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
];

/// Number of kinds, since a CRD is stored as one object of at most 1.5 MB.
const KINDS: usize = 8;

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "builtins::schemas_equal_those_published_by_the_server",
        schemas_equal_those_published_by_the_server,
    );
    suite.both(
        "builtins::every_definition_is_accepted",
        every_definition_is_accepted,
    );
    suite.both(
        "builtins::pod_template_is_stored_unchanged",
        pod_template_is_stored_unchanged,
    );
    suite.both(
        "builtins::empty_strings_valid_in_a_pod_are_valid_in_a_template",
        empty_strings_valid_in_a_pod_are_valid_in_a_template,
    );
    suite.both(
        "builtins::embedded_template_needs_no_name_or_kind",
        embedded_template_needs_no_name_or_kind,
    );
}

async fn schemas_equal_those_published_by_the_server(plane: &ControlPlane) -> Outcome {
    let published = published::read(plane).await?;
    let differing: Vec<_> = published
        .lines()
        .filter(|line| !KUBERNETES.lines().any(|known| known == *line))
        .map(|line| &line[..line.len().min(80)])
        .collect();
    assert!(
        published == KUBERNETES,
        "type hack/kubernetes-schemas.sh: {differing:#?}"
    );
    Ok(())
}

async fn every_definition_is_accepted(plane: &ControlPlane) -> Outcome {
    let crds = crds(&apis())?;
    assert_eq!(crds.len(), KINDS);
    for crd in crds {
        let applied = plane.apply_crd(&crd).await?;
        assert_eq!(applied.warnings, [""; 0]);
    }
    Ok(())
}

/// Returns an API module with a field of each type, distributed over several kinds.
fn apis() -> String {
    let mut kinds = vec![String::new(); KINDS];
    let lines = KUBERNETES.lines().filter_map(|line| line.split_once('\t'));
    let names = lines.map(|(name, _)| name).filter(|name| {
        let last = name.rsplit('.').next();
        last.is_some_and(|last| !CIRCLES.contains(&last))
    });
    // Neighbors in the list often have the same size, so they go to different kinds.
    for (at, name) in names.enumerate() {
        let path = name["io.k8s.".len()..].replace('.', "::").replace('-', "_");
        let field = format!("f{at}: k8s_openapi::{path}, ");
        kinds[at % KINDS] += &field;
    }
    let mut apis = "pub mod v1 { use genclient::prelude::*; ".to_owned();
    for (at, fields) in kinds.iter().enumerate() {
        let _ = write!(
            apis,
            "#[genclient] #[group = \"all.example.com\"] pub struct Kind{at} {{ metadata: ObjectMeta, spec: Spec{at} }} \
             #[derive(CrdSchema)] pub struct Spec{at} {{ {fields} }} "
        );
    }
    apis + "}"
}

/// Generates the CRDs of an API module, without descriptions.
pub(crate) fn crds(apis: &str) -> Result<Vec<String>, Failed> {
    let folder = tempfile::tempdir()?;
    let manifest = folder.path().join("Cargo.toml");
    fs::write(
        &manifest,
        "[package]\nname = \"all\"\n[package.metadata.genclient]\nmax-desc-len = 0\n[lib]\npath = \"pkg/lib.rs\"\n[workspace]\n",
    )?;
    fs::create_dir_all(folder.path().join("pkg/apis"))?;
    fs::write(folder.path().join("pkg/lib.rs"), "pub mod apis;")?;
    fs::write(folder.path().join("pkg/apis/mod.rs"), apis)?;
    let failed =
        |diagnostics: genclient_codegen::Diagnostics| Failed::from(diagnostics.to_string());
    let mut crds = Vec::new();
    for project in genclient_codegen::discover(Some(&manifest), &[]).map_err(failed)? {
        let generated =
            genclient_codegen::generate(&project, &[Artefact::Crd].into()).map_err(failed)?;
        let files = generated.files.iter();
        let yaml = files.filter(|(path, _)| path.extension().is_some_and(|end| end == "yaml"));
        crds.extend(yaml.map(|(_, text)| text.to_owned()));
    }
    Ok(crds)
}

async fn pod_template_is_stored_unchanged(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(WORKLOADS).await?;
    let template = template();
    let stored = create(plane, "Workload", json!({ "template": template })).await?;
    let mut expected = template;
    expected["spec"]["containers"][0]["ports"][0]["protocol"] = json!("TCP");
    expected["spec"]["containers"][0]["livenessProbe"]["grpc"]["service"] = json!("");
    expected["spec"]["volumes"][3]["configMap"]["name"] = json!("");
    assert_eq!(stored["spec"]["template"], expected);
    Ok(())
}

/// An empty string stands for the default of fields that have `+enum` in Go.
async fn empty_strings_valid_in_a_pod_are_valid_in_a_template(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(WORKLOADS).await?;
    let spec = json!({
        "containers": [{
            "name": "main",
            "image": "example.com/image",
            "imagePullPolicy": "",
            "terminationMessagePolicy": "",
            "ports": [{ "containerPort": 80, "protocol": "" }],
            "livenessProbe": { "httpGet": { "port": 80, "scheme": "" } },
        }],
        "dnsPolicy": "",
        "restartPolicy": "",
        "tolerations": [{ "key": "gpu", "operator": "Exists", "effect": "" }],
    });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "empty-strings" }, "spec": spec,
    });
    let namespace = plane.create_namespace("builtins").await?;
    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    pods.create(&PostParams::default(), &serde_json::from_value(pod)?)
        .await?;
    create(plane, "Workload", json!({ "template": { "spec": spec } })).await?;
    Ok(())
}

/// Returns a Pod template that uses many of the fields.
fn template() -> Value {
    json!({
        "metadata": {
            "name": "web", "labels": { "app": "web" }, "annotations": { "example.com/note": "" },
            "finalizers": ["example.com/keep"],
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": "u", "controller": true,
            }],
            "creationTimestamp": "2024-02-29T01:02:03Z",
            "managedFields": [{ "manager": "m", "fieldsV1": { "f:metadata": { "f:labels": {} } } }],
        },
        "spec": {
            "containers": [{
                "name": "main",
                "image": "example.com/image",
                "ports": [{ "containerPort": 80 }, { "containerPort": 80, "protocol": "UDP" }],
                "env": [
                    { "name": "A", "value": "" },
                    { "name": "B", "valueFrom": { "secretKeyRef": { "name": "s", "key": "k" } } },
                    { "name": "C", "valueFrom": { "resourceFieldRef": { "resource": "limits.cpu", "divisor": "1m" } } },
                ],
                "resources": { "requests": { "cpu": 1, "memory": "64Mi" }, "limits": { "cpu": "1500m" } },
                "readinessProbe": { "httpGet": { "port": "http", "path": "/ready" }, "periodSeconds": 3 },
                "livenessProbe": { "grpc": { "port": 9 } },
                "startupProbe": { "tcpSocket": { "port": 80 } },
                "volumeMounts": [{ "name": "data", "mountPath": "/data", "readOnly": true }],
                "securityContext": { "runAsUser": 0, "capabilities": { "drop": ["ALL"] } },
            }],
            "volumes": [
                { "name": "data", "emptyDir": {} },
                { "name": "tmp", "emptyDir": { "medium": "Memory", "sizeLimit": "1Gi" } },
                { "name": "host", "hostPath": { "path": "/", "type": "" } },
                { "name": "config", "configMap": { "items": [{ "key": "a", "path": "b", "mode": 256 }] } },
                { "name": "claim", "ephemeral": { "volumeClaimTemplate": {
                    "metadata": { "labels": { "a": "b" } },
                    "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
                } } },
            ],
            "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
                { "topologyKey": "zone", "labelSelector": { "matchLabels": { "app": "web" } } },
            ] } },
            "tolerations": [{ "key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5 }],
            "nodeSelector": { "disk": "ssd" },
            "terminationGracePeriodSeconds": 0,
            "restartPolicy": "Always",
            "overhead": { "cpu": 0 },
        },
    })
}

/// As in the `volumeClaimTemplates` of a StatefulSet, without name, `apiVersion` and `kind`.
async fn embedded_template_needs_no_name_or_kind(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(SERVICES).await?;
    let claim = json!({
        "metadata": { "labels": { "a": "b" } },
        "spec": { "storageClassName": "", "resources": { "requests": { "storage": "1Gi" } } },
    });
    let spec = json!({
        "selector": {}, "resources": {}, "claim": {}, "policy": { "podSelector": {} }, "port": 80,
        "password": { "key": "k", "name": "s" }, "every": "1h", "bundle": "", "claimTemplates": [claim],
    });
    let stored = create(plane, "Service", spec.clone()).await?;
    assert_eq!(stored["spec"], spec);
    Ok(())
}

/// Creates an object of one of these kinds, and returns it as stored.
pub(crate) async fn create(plane: &ControlPlane, kind: &str, spec: Value) -> kube::Result<Value> {
    let namespace = plane.create_namespace("builtins").await?;
    let kind = GroupVersionKind::gvk("builtin.example.com", "v1", kind);
    let resource = ApiResource::from_gvk(&kind);
    let objects: Api<DynamicObject> = Api::namespaced_with(plane.client(), &namespace, &resource);
    let object = DynamicObject::new("one", &resource).data(json!({ "spec": spec }));
    let created = objects.create(&PostParams::default(), &object).await?;
    Ok(objects.get(&created.name_any()).await?.data)
}
