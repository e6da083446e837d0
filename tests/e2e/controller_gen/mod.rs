//! Tests of the CRDs of controller-gen's fixtures, with controller-gen's own test objects.

mod cron_job;
mod immutable;
mod merging;
mod one_of;

use e2e::ControlPlane;
use kube::api::{DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Error};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

macro_rules! crd {
    ($fixture:literal, $name:literal) => {
        include_str!(concat!(
            "../../golden/controller_gen/",
            $fixture,
            "/expected/config/crd/",
            $name,
            ".yaml"
        ))
    };
}

const CRON_JOBS: &str = crd!("cronjob", "testdata.kubebuilder.io_cronjobs");
const IMMUTABLE_TYPES: &str = crd!("immutable", "testdata.kubebuilder.io_immutabletypes");
const MERGINGS: &str = crd!("merging", "merging.example.com_mergings");
const ONE_OFS: &str = crd!("oneof", "testdata.kubebuilder.io_oneofs");
const OTHERS: [&str; 7] = [
    crd!("enum", "testdata.kubebuilder.io_enums"),
    crd!("external_docs", "testdata.kubebuilder.io_externaldocs"),
    crd!("gen", "bar.example.com_foos"),
    crd!("job", "testdata.kubebuilder.io_jobs"),
    crd!(
        "multiple_versions",
        "testdata.kubebuilder.io_versionedresources"
    ),
    crd!("plural", "plural.example.com_testquotas"),
    crd!("zoo", "bar.example.com_zoos"),
];

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "controller_gen::crds_are_applied_without_warning",
        crds_are_applied_without_warning,
    );
    one_of::tests(suite);
    immutable::tests(suite);
    merging::tests(suite);
    cron_job::tests(suite);
}

async fn crds_are_applied_without_warning(plane: &ControlPlane) -> Outcome {
    for crd in [CRON_JOBS, IMMUTABLE_TYPES, MERGINGS, ONE_OFS]
        .iter()
        .chain(&OTHERS)
    {
        let applied = plane.apply_crd(crd).await?;
        assert_eq!(applied.warnings, [""; 0], "{crd}");
    }
    Ok(())
}

/// A namespace for dynamic objects of one kind.
struct Stage {
    resource: ApiResource,
    objects: Api<DynamicObject>,
}

impl Stage {
    async fn new(
        plane: &ControlPlane,
        crd: &str,
        api_version: &str,
        kind: &str,
    ) -> Result<Self, Failed> {
        plane.apply_crd(crd).await?;
        let namespace = plane.create_namespace("controller-gen").await?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let gvk = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk(&gvk);
        Ok(Self {
            objects: Api::namespaced_with(plane.client(), &namespace, &resource),
            resource,
        })
    }

    async fn create(&self, spec: Value) -> kube::Result<DynamicObject> {
        let mut object = DynamicObject::new("", &self.resource).data(json!({ "spec": spec }));
        object.metadata.name = None;
        object.metadata.generate_name = Some("object-".to_owned());
        self.objects.create(&PostParams::default(), &object).await
    }

    /// Writes the object with another spec.
    async fn update(&self, object: &DynamicObject, spec: Value) -> kube::Result<DynamicObject> {
        let mut object = object.clone();
        let name = object.metadata.name.clone().unwrap_or_default();
        object.data["spec"] = spec;
        self.objects
            .replace(&name, &PostParams::default(), &object)
            .await
    }
}

/// Checks that the API server refuses the object with this message.
fn refused<T>(answer: kube::Result<T>, words: &str) -> Outcome {
    match answer {
        Err(Error::Api(status)) if status.code == 422 && status.message.contains(words) => Ok(()),
        Err(error) => Err(format!("not {words:?}, but {error}").into()),
        Ok(_) => Err(format!("accepted, and not {words:?}").into()),
    }
}

/// Returns a spec with one property added or changed, or removed by a null.
fn with(spec: &Value, member: &str, value: &Value) -> Value {
    let mut spec = spec.clone();
    match (&mut spec, value) {
        (Value::Object(members), Value::Null) => {
            members.remove(member);
        }
        (spec, value) => spec[member] = value.clone(),
    }
    spec
}
