//! Tests of the generated CRDs: the API server accepts them without a warning, and validates
//! objects.

use e2e::ControlPlane;
use kube::api::{DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Error};
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

pub(crate) const GPU_TASKS: &str =
    include_str!("../../examples/gputask/config/crd/falldio.com_gputasks.yaml");
pub(crate) const SCALINGS: &str =
    include_str!("../../examples/scaling/config/crd/control.example.com_scalings.yaml");
pub(crate) const DEMOS: &str =
    include_str!("../../examples/demo/api/config/crd/democontroller.example.com_demos.yaml");
const FLEETS: &str = include_str!("fixture/config/crd/fixture.example.com_fleets.yaml");
const PIERS: &str =
    include_str!("../golden/client/status/expected/config/crd/works.example.com_piers.yaml");
const SITES: &str = include_str!("fixture/config/crd/fixture.example.com_sites.yaml");

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "crds::are_applied_without_warning",
        are_applied_without_warning,
    );
    suite.both(
        "crds::compiled_crds_equal_the_files",
        compiled_crds_equal_the_files,
    );
    suite.both("crds::samples_are_accepted", samples_are_accepted);
    suite.both("crds::prune_unknown_fields", prune_unknown_fields);
    suite.both(
        "crds::serve_a_status_without_the_field",
        serve_a_status_without_the_field,
    );
    suite.both("crds::refuse_invalid_objects", refuse_invalid_objects);
}

async fn are_applied_without_warning(plane: &ControlPlane) -> Outcome {
    for crd in [GPU_TASKS, SCALINGS, DEMOS, FLEETS, SITES] {
        let applied = plane.apply_crd(crd).await?;
        assert_eq!(applied.warnings, [""; 0], "{crd}");
    }
    Ok(())
}

/// Installing the CRDs that are compiled into the client changes nothing.
async fn compiled_crds_equal_the_files(plane: &ControlPlane) -> Outcome {
    for (file, compiled_in) in [
        (GPU_TASKS, gputask::client::crds::all()),
        (DEMOS, demo_client::crds::all()),
    ] {
        let before = plane.apply_crd(file).await?.object;
        let [crd] = compiled_in.as_slice() else {
            return Err(format!("{} CRDs", compiled_in.len()).into());
        };
        let after = plane.apply_crd(&serde_json::to_string(crd)?).await?.object;
        assert_eq!(
            before["metadata"]["generation"],
            after["metadata"]["generation"]
        );
        assert_eq!(before["spec"], after["spec"]);
    }
    Ok(())
}

async fn samples_are_accepted(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("crds").await?;
    for (crd, sample) in [
        (
            GPU_TASKS,
            include_str!("../../examples/gputask/config/samples/train.yaml"),
        ),
        (
            SCALINGS,
            include_str!("../../examples/scaling/config/samples/web.yaml"),
        ),
        (
            DEMOS,
            include_str!("../../examples/demo/api/config/samples/hello.yaml"),
        ),
    ] {
        plane.apply_crd(crd).await?;
        let mut sample: Value = serde_saphyr::from_str(sample)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (api_version, kind) = (text(&sample["apiVersion"]), text(&sample["kind"]));
        create(
            plane,
            &namespace,
            &api_version,
            &kind,
            sample["spec"].take(),
        )
        .await?;
    }
    Ok(())
}

async fn prune_unknown_fields(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("crds").await?;
    let mut spec = gpu_task();
    spec["colour"] = json!("blue");
    let created = create(plane, &namespace, "falldio.com/v1", "GPUTask", spec).await?;
    assert_eq!(created.data["spec"], gpu_task());
    assert_eq!(created.data.get("colour"), None);
    Ok(())
}

/// The subresource is served, and the schema prunes a status that is written to it.
async fn serve_a_status_without_the_field(plane: &ControlPlane) -> Outcome {
    let applied = plane.apply_crd(PIERS).await?;
    assert_eq!(applied.warnings, [""; 0]);
    let namespace = plane.create_namespace("crds").await?;
    let (api_version, kind) = ("works.example.com/v1beta1", "Pier");
    let mut pier = create(plane, &namespace, api_version, kind, json!({ "lanes": 2 })).await?;
    pier.data["status"] = json!({ "lanesOpen": 1 });
    pier.data["spec"]["lanes"] = json!(3);
    let resource =
        ApiResource::from_gvk(&GroupVersionKind::gvk("works.example.com", "v1beta1", kind));
    let piers: Api<DynamicObject> = Api::namespaced_with(plane.client(), &namespace, &resource);
    let name = pier.metadata.name.clone().unwrap_or_default();
    let replaced = piers
        .replace_status(&name, &PostParams::default(), &pier)
        .await?;
    assert_eq!(replaced.data, json!({ "spec": { "lanes": 2 } }));
    assert_eq!(piers.get_status(&name).await?.data, replaced.data);
    Ok(())
}

async fn refuse_invalid_objects(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("crds").await?;
    for crd in [GPU_TASKS, SCALINGS, DEMOS] {
        plane.apply_crd(crd).await?;
    }
    let demo = json!({ "deploymentName": "web" });
    for (api_version, kind, valid, mistakes) in [
        ("falldio.com/v1", "GPUTask", gpu_task(), GPU_TASK_MISTAKES),
        (
            "control.example.com/v1",
            "Scaling",
            scaling(),
            SCALING_MISTAKES,
        ),
        (
            "democontroller.example.com/v1alpha1",
            "Demo",
            demo,
            DEMO_MISTAKES,
        ),
    ] {
        create(plane, &namespace, api_version, kind, valid.clone()).await?;
        for (member, value, words) in mistakes {
            let spec = mistaken(&valid, member, value)?;
            match create(plane, &namespace, api_version, kind, spec).await {
                Err(Error::Api(status)) if status.code == 422 => {
                    assert!(status.message.contains(words), "{}", status.message);
                }
                other => return Err(format!("{kind} with {member} {value}: {other:?}").into()),
            }
        }
    }
    Ok(())
}

/// A property of the spec, its changed value (empty: removed), and the API server's error.
type Mistakes = &'static [(&'static str, &'static str, &'static str)];

const GPU_TASK_MISTAKES: Mistakes = &[
    ("gpu-amount", "", "spec.gpu-amount: Required value"),
    ("memory", "4", "spec.memory in body must be of type string"),
];
const SCALING_MISTAKES: Mistakes = &[
    ("step", "", "spec.step: Required value"),
    ("maxReplicas", "\"5\"", "must be of type integer"),
    (
        "maxReplicas",
        "3000000000",
        "of type integer with format int32",
    ),
];
const DEMO_MISTAKES: Mistakes = &[
    ("deploymentName", "", "spec.deploymentName: Required value"),
    ("replicas", "1.5", "must be of type integer"),
];

fn mistaken(valid: &Value, member: &str, value: &str) -> serde_json::Result<Value> {
    let mut spec = valid.clone();
    if !value.is_empty() {
        spec[member] = serde_json::from_str(value)?;
    } else if let Some(members) = spec.as_object_mut() {
        members.remove(member);
    }
    Ok(spec)
}

fn gpu_task() -> Value {
    json!({ "memory": "4Gi", "gpu": "a100", "gpu-amount": "1", "cpu": "500m", "priority": "" })
}

fn scaling() -> Value {
    json!({
        "targetDeployment": "web", "minReplicas": 1, "maxReplicas": 5,
        "metricType": "cpu", "step": 1, "scaleUp": 80, "scaleDown": 30,
    })
}

/// Creates a dynamic object.
async fn create(
    plane: &ControlPlane,
    namespace: &str,
    api_version: &str,
    kind: &str,
    spec: Value,
) -> kube::Result<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    let mut object =
        DynamicObject::new("", &resource).data(json!({ "spec": spec, "colour": "red" }));
    object.metadata.name = None;
    object.metadata.generate_name = Some("object-".to_owned());
    let objects: Api<DynamicObject> = Api::namespaced_with(plane.client(), namespace, &resource);
    objects.create(&PostParams::default(), &object).await
}
