//! Tests of installing CustomResourceDefinitions and webhook configurations.

use genclient::kube::api::{Api, DynamicObject, GroupVersionKind, ListParams};
use genclient::kube::discovery::ApiResource;
use genclient_envtest::{ApplyError, ControlPlane, ManifestError, Manifests};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::{Outcome, Tests, refusal};

pub(crate) fn tests(tests: &mut Tests) {
    tests.shared("installs::values", values);
    tests.shared("installs::folders", folders);
    tests.shared("installs::changes", changes);
    tests.shared("installs::refusals", refusals);
    tests.shared(
        "installs::objects_in_the_order_of_use",
        objects_in_the_order_of_use,
    );
    tests.shared(
        "installs::refused_objects_are_named",
        refused_objects_are_named,
    );
    tests.shared("installs::webhooks", webhooks);
    tests.shared("installs::conversions", conversions);
}

pub(crate) fn crd(kind: &str, versions: &[&str]) -> Value {
    let singular = kind.to_lowercase();
    let versions = versions.iter().enumerate().map(|(index, version)| {
        json!({
            "name": version, "served": true, "storage": index == 0,
            "schema": { "openAPIV3Schema": {
                "type": "object",
                "properties": { "size": { "type": "integer" } },
            }},
        })
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{singular}s.plane.example.com") },
        "spec": {
            "group": "plane.example.com",
            "scope": "Namespaced",
            "names": { "kind": kind, "plural": format!("{singular}s"), "singular": singular },
            "versions": versions.collect::<Vec<_>>(),
        },
    })
}

async fn count(plane: &ControlPlane, kind: &str, version: &str) -> Result<usize, ApplyError> {
    let kind = GroupVersionKind::gvk("plane.example.com", version, kind);
    let resource = ApiResource::from_gvk(&kind);
    let objects: Api<DynamicObject> = Api::all_with(plane.client(), &resource);
    Ok(objects.list(&ListParams::default()).await?.items.len())
}

async fn values(plane: &ControlPlane) -> Outcome {
    let value: CustomResourceDefinition =
        serde_json::from_value(crd("Cube", &["v2", "v1", "v1alpha1"]))?;
    let installed = plane.install_crds(&Manifests::new([value])?).await?;
    assert_eq!(installed.len(), 1);
    for version in ["v2", "v1", "v1alpha1"] {
        assert_eq!(count(plane, "Cube", version).await?, 0);
    }
    Ok(())
}

async fn folders(plane: &ControlPlane) -> Outcome {
    let folder = plane.logs().join("crds-of-a-test");
    std::fs::create_dir(&folder)?;
    let cone = crd("Cone", &["v1"]).to_string();
    let others = format!("{}\n---\nkind: Kustomization\n", crd("Disk", &["v1"]));
    std::fs::write(folder.join("cone.json"), cone)?;
    std::fs::write(folder.join("others.yaml"), others)?;
    let installed = plane.install_crds(&Manifests::read([&folder])?).await?;
    assert_eq!(installed.len(), 2);
    assert_eq!(count(plane, "Cone", "v1").await?, 0);
    assert_eq!(count(plane, "Disk", "v1").await?, 0);
    Ok(())
}

async fn changes(plane: &ControlPlane) -> Outcome {
    plane
        .install_crds(&Manifests::new([crd("Ring", &["v1"])])?)
        .await?;
    plane
        .install_crds(&Manifests::new([crd("Ring", &["v1", "v1beta1"])])?)
        .await?;
    assert_eq!(count(plane, "Ring", "v1beta1").await?, 0);
    Ok(())
}

async fn refusals(plane: &ControlPlane) -> Outcome {
    let mut wrong = crd("Wrong", &["v1"]);
    wrong["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["type"] = json!("string");
    let error = refusal(plane.install_crds(&Manifests::new([wrong])?).await)?;
    let message = "refused: CustomResourceDefinition.apiextensions.k8s.io \
                   \"wrongs.plane.example.com\" is invalid: ";
    assert!(error.to_string().starts_with(message), "{error}");

    let mut unknown = crd("Unknown", &["v1"]);
    unknown["spec"]["colour"] = json!("blue");
    let error = refusal(plane.install_crds(&Manifests::new([unknown])?).await)?;
    assert!(error.to_string().contains("spec.colour"), "{error}");

    let other = Manifests::parse("kind: Namespace")?;
    let error = refusal(plane.install_crds(&other).await)?;
    assert!(matches!(error, ApplyError::Nothing(_)), "{error}");
    let error = refusal(Manifests::read(["no/such/folder"]))?;
    assert!(matches!(error, ManifestError::Read { .. }), "{error}");
    Ok(())
}

/// The objects are in the reverse of the order in which they are installed.
async fn objects_in_the_order_of_use(plane: &ControlPlane) -> Outcome {
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "plane-installed" },
    });
    let webhooks = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "plane-installed" },
    });
    let prism = |metadata: Value| {
        json!({
            "apiVersion": "plane.example.com/v1", "kind": "Prism", "metadata": metadata,
        })
    };
    let objects = [
        webhooks,
        prism(json!({ "name": "one", "namespace": "plane-installed" })),
        prism(json!({ "name": "one" })),
        crd("Prism", &["v1", "v2"]),
        namespace,
    ];
    let manifests = Manifests::new(objects)?;
    for _ in 0..2 {
        let installed = plane.install(&manifests).await?;
        let names = installed.iter().map(|one| {
            let metadata = &one.object["metadata"];
            let names = [&one.object["kind"], &metadata["namespace"]];
            names.map(|name| name.as_str().unwrap_or_default().to_owned())
        });
        let expected = [
            ["Namespace", ""],
            ["CustomResourceDefinition", ""],
            ["Prism", "plane-installed"],
            ["Prism", "default"],
            ["ValidatingWebhookConfiguration", ""],
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }
    assert_eq!(count(plane, "Prism", "v2").await?, 2);
    assert_eq!(plane.install(&Manifests::default()).await?.len(), 0);
    Ok(())
}

async fn refused_objects_are_named(plane: &ControlPlane) -> Outcome {
    let cases = [
        (
            "{apiVersion: plane.example.com/v1, kind: Sphere, metadata: {name: one}}",
            "Sphere one: the API server has no such kind in plane.example.com/v1\nhelp: install its \
             CustomResourceDefinition, too",
        ),
        (
            "{apiVersion: apps/v1, kind: Deploymint, metadata: {name: one}}",
            "Deploymint one: the API server has no such kind in apps/v1\nhelp: install its \
             CustomResourceDefinition, too",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: none}}",
            "ConfigMap none one: refused: namespaces \"none\" not found",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: one-}}",
            "ConfigMap: apiVersion, kind or metadata.name is missing in \
             {\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"generateName\":\"one-\"}}",
        ),
        (
            "{metadata: {}}",
            "object: apiVersion, kind or metadata.name is missing in {\"metadata\":{}}",
        ),
    ];
    for (text, expected) in cases {
        let error = refusal(plane.install(&Manifests::parse(text)?).await)?;
        assert_eq!(error.to_string(), expected);
        assert_eq!(format!("{error:?}"), expected);
    }
    Ok(())
}

async fn webhooks(plane: &ControlPlane) -> Outcome {
    let local = plane.local_webhooks()?;
    assert_eq!(local.listener()?.local_addr()?, local.address());
    let manifests = Manifests::parse(
        "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: plane-example
webhooks:
- name: cubes.plane.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig:
    service: { name: webhook-service, namespace: system, path: /validate-cubes }
  rules:
  - apiGroups: [plane.example.com]
    apiVersions: [v1]
    resources: [none]
    operations: [CREATE]
",
    )?;
    plane.install_webhooks(&manifests, &local).await?;
    let all: Api<ValidatingWebhookConfiguration> = Api::all(plane.client());
    let stored = all.get("plane-example").await?.webhooks.unwrap_or_default();
    let config = &stored[0].client_config;
    assert_eq!(config.url, Some(local.url("/validate-cubes")));
    assert_eq!(config.service, None);
    let authority = ByteString(local.authority().as_bytes().to_vec());
    assert_eq!(config.ca_bundle, Some(authority));
    Ok(())
}

async fn conversions(plane: &ControlPlane) -> Outcome {
    let local = plane.local_webhooks()?;
    let mut converted = crd("Torus", &["v1", "v2"]);
    converted["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": { "service": {
                "name": "webhook-service", "namespace": "system", "path": "/convert",
            }},
        },
    });
    let manifests = Manifests::new([converted])?.redirect_to(&local);
    let installed = plane.install_crds(&manifests).await?;
    let config = &installed[0].object["spec"]["conversion"]["webhook"]["clientConfig"];
    assert_eq!(config["url"], local.url("/convert"));
    Ok(())
}
