//! Tests of apply configurations: server-side apply of some fields of a Fleet by several managers.
//!
//! A scenario is a list of requests. After each, one checker compares the Fleet, and extracts the
//! fields of every manager, from the Rust type and from a `DynamicObject`. To apply what was
//! extracted changes nothing.

use std::collections::BTreeMap;

use e2e::ControlPlane;
use fixture::client::applyconfiguration::v1::{
    AccessApply, FleetApply, FleetSpecApply, FleetStatusApply, PortApply,
};
use fixture::client::informers::SharedInformerFactory;
use genclient::applyconfiguration::{
    ApiVersion, Applicable, ApplyConfiguration, ExtractError, KindName, extract,
};
use genclient::cache::ObjectName;
use genclient::client::{Scale, TypedClient};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, DynamicObject, GetParams, Patch, PatchParams};
use kube::{Error, ResourceExt};
use libtest_mimic::Failed;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Stage, refusal};
use crate::suite::{Outcome, Suite};

/// The name of a test, and its requests.
type Scenario = (&'static str, fn() -> Vec<Step>);

const SCENARIOS: [Scenario; 9] = [
    ("two_managers_share_an_object", two_managers_share_an_object),
    (
        "given_up_field_is_removed_or_kept_by_the_other",
        given_up_field_is_removed_or_kept_by_the_other,
    ),
    (
        "conflict_names_manager_and_field_then_force_takes_over",
        conflict_names_manager_and_field_then_force_takes_over,
    ),
    (
        "field_of_an_update_is_a_conflict_too",
        field_of_an_update_is_a_conflict_too,
    ),
    (
        "list_map_entry_is_removed_by_its_manager_only",
        list_map_entry_is_removed_by_its_manager_only,
    ),
    ("empty_list_is_owned", empty_list_is_owned),
    ("apply_status_leaves_spec", apply_status_leaves_spec),
    (
        "conditions_are_owned_by_their_type",
        conditions_are_owned_by_their_type,
    ),
    (
        "extracted_finalizers_are_the_managers_own",
        extracted_finalizers_are_the_managers_own,
    ),
];

pub(super) fn tests(suite: &mut Suite) {
    for (name, steps) in SCENARIOS {
        suite.both(
            &format!("verbs::apply_configurations::{name}"),
            async move |plane: &ControlPlane| check(plane, steps()).await,
        );
    }
    suite.both(
        "verbs::apply_configurations::field_that_the_type_omits_is_extracted_from_a_dynamic_object",
        field_that_the_type_omits_is_extracted_from_a_dynamic_object,
    );
    suite.both(
        "verbs::apply_configurations::fields_applied_through_the_scale_are_extracted",
        fields_applied_through_the_scale_are_extracted,
    );
    suite.both(
        "verbs::apply_configurations::uid_prevents_the_creation_of_a_deleted_object",
        uid_prevents_the_creation_of_a_deleted_object,
    );
    suite.both(
        "verbs::apply_configurations::extract_of_a_cached_object_is_refused",
        extract_of_a_cached_object_is_refused,
    );
}

/// Adds fields to a configuration of the Fleet.
type Fields = fn(FleetApply) -> FleetApply;

/// A request, and what follows from it.
struct Step {
    manager: &'static str,
    request: Request,
    result: Expected,
    /// What managers own afterwards, where it is not what they have applied last.
    owned: Vec<((&'static str, Through), Fields)>,
}

enum Request {
    Apply(Through, Fields),
    /// Apply that takes over the fields of others.
    Force(Fields),
    /// Merge patch, whose fields the manager owns as those of an update.
    Patch(Value),
}

/// The endpoint of an apply. The fields that a manager applies through each are separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Through {
    Object,
    Status,
}

enum Expected {
    /// Labels, finalizers, spec and status of the Fleet, those that are present.
    Fleet(Value),
    /// Each manager and field that the conflict names. The Fleet stays as it was.
    Conflict(Vec<(&'static str, &'static str)>),
}

fn apply(manager: &'static str, fields: Fields) -> Step {
    Step::new(manager, Request::Apply(Through::Object, fields))
}

fn apply_status(manager: &'static str, fields: Fields) -> Step {
    Step::new(manager, Request::Apply(Through::Status, fields))
}

fn force(manager: &'static str, fields: Fields) -> Step {
    Step::new(manager, Request::Force(fields))
}

fn patch(manager: &'static str, patch: Value) -> Step {
    Step::new(manager, Request::Patch(patch))
}

impl Step {
    fn new(manager: &'static str, request: Request) -> Self {
        Self {
            manager,
            request,
            result: Expected::Conflict(Vec::new()),
            owned: Vec::new(),
        }
    }

    fn leads_to(self, fleet: Value) -> Self {
        Self {
            result: Expected::Fleet(fleet),
            ..self
        }
    }

    fn conflicts<const N: usize>(self, with: [(&'static str, &'static str); N]) -> Self {
        Self {
            result: Expected::Conflict(with.into()),
            ..self
        }
    }

    fn leaves(mut self, manager: &'static str, through: Through, fields: Fields) -> Self {
        self.owned.push(((manager, through), fields));
        self
    }
}

fn spec() -> FleetSpecApply {
    FleetSpecApply::new()
}

fn status() -> FleetStatusApply {
    FleetStatusApply::new()
}

fn condition(type_: &str, message: &str) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status: "True".to_owned(),
        reason: "Tested".to_owned(),
        message: message.to_owned(),
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
        observed_generation: None,
    }
}

/// The Fleet of one scenario.
struct Checker {
    stage: Stage,
    /// The fields that each manager owns through each endpoint.
    owned: BTreeMap<(&'static str, Through), FleetApply>,
    /// The Fleet after the last step.
    fleet: Value,
}

async fn check(plane: &ControlPlane, steps: Vec<Step>) -> Outcome {
    let mut checker = Checker {
        stage: Stage::new(plane).await?,
        owned: BTreeMap::new(),
        fleet: Value::Null,
    };
    for (number, step) in steps.into_iter().enumerate() {
        checker.follow(number, step).await?;
        checker.extract_and_apply_all(number).await?;
    }
    Ok(())
}

impl Checker {
    fn config(&self, fields: Fields) -> FleetApply {
        fields(FleetApply::new("fleet", &*self.stage.namespace))
    }

    async fn follow(&mut self, number: usize, step: Step) -> Outcome {
        let answer = self.send(step.manager, &step.request).await;
        match step.result {
            Expected::Fleet(fleet) => {
                answer.map_err(|error| format!("step {number}: {error}"))?;
                self.fleet = fleet;
                match step.request {
                    Request::Apply(through, fields) => {
                        let owned = self.config(fields);
                        self.owned.insert((step.manager, through), owned);
                    }
                    Request::Force(fields) => {
                        let owned = self.config(fields);
                        self.owned.insert((step.manager, Through::Object), owned);
                    }
                    Request::Patch(_) => {}
                }
            }
            Expected::Conflict(expected) => {
                let error = answer.err().ok_or(format!("step {number}: no conflict"))?;
                assert_eq!(conflicts(&error)?, owned(&expected), "step {number}");
            }
        }
        for (who, fields) in step.owned {
            let owned = self.config(fields);
            self.owned.insert(who, owned);
        }
        let found = visible(&self.stage.raw("fleet").await?);
        assert_eq!(found, self.fleet, "step {number}");
        Ok(())
    }

    async fn send(&self, manager: &str, request: &Request) -> kube::Result<()> {
        let params = PatchParams::apply(manager);
        match request {
            Request::Apply(through, fields) => {
                self.apply(*through, &self.config(*fields), &params).await?;
            }
            Request::Force(fields) => {
                let config = self.config(*fields);
                self.apply(Through::Object, &config, &params.force())
                    .await?;
            }
            Request::Patch(patch) => {
                let fleets = &self.stage.fleets;
                fleets.patch("fleet", &Patch::Merge(patch), &params).await?;
            }
        }
        Ok(())
    }

    async fn apply(
        &self,
        through: Through,
        config: &FleetApply,
        params: &PatchParams,
    ) -> kube::Result<Option<String>> {
        let fleets = &self.stage.fleets;
        let applied = match through {
            Through::Object => fleets.apply_with(config, params).await?,
            Through::Status => fleets.apply_status_with(config, params).await?,
        };
        Ok(applied.resource_version())
    }

    /// Extracts the fields of every manager, and applies them.
    async fn extract_and_apply_all(&self, number: usize) -> Outcome {
        let fleet = self
            .stage
            .fleets
            .get("fleet", &GetParams::default())
            .await?;
        let dynamic: DynamicObject = serde_json::from_value(self.stage.raw("fleet").await?)?;
        for ((manager, through), owned) in &self.owned {
            let (from_type, subresource) = match through {
                Through::Object => (FleetApply::extract(&fleet, manager), ""),
                Through::Status => (FleetApply::extract_status(&fleet, manager), "status"),
            };
            let context = format!("step {number}: {manager} {through:?}");
            assert_eq!(from_type.as_ref(), Ok(owned), "{context}");
            let from_dynamic = extract(&dynamic, manager, subresource);
            assert_eq!(from_dynamic.as_ref(), Ok(owned), "{context}");
            let params = PatchParams::apply(manager);
            let version = self.apply(*through, &from_type?, &params).await?;
            assert_eq!(version, fleet.resource_version(), "{context}");
        }
        Ok(())
    }
}

/// Returns labels, finalizers, spec and status, those that are present.
fn visible(fleet: &Value) -> Value {
    let mut visible = json!({});
    for path in [
        "/metadata/labels",
        "/metadata/finalizers",
        "/spec",
        "/status",
    ] {
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(value) = fleet.pointer(path) {
            visible[name] = value.clone();
        }
    }
    visible
}

/// Returns each manager and field that a conflict names, in order.
fn conflicts(error: &Error) -> Result<Vec<(String, String)>, Failed> {
    let Error::Api(status) = error else {
        return Err(error.into());
    };
    assert!(status.is_conflict(), "{status:?}");
    let details = status.details.as_ref().ok_or("no details")?;
    let mut conflicts = Vec::new();
    for cause in &details.causes {
        assert_eq!(cause.reason, "FieldManagerConflict");
        let manager = cause.message.split('"').nth(1).ok_or("no manager")?;
        conflicts.push((manager.to_owned(), cause.field.clone()));
    }
    conflicts.sort();
    Ok(conflicts)
}

fn owned(conflicts: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = conflicts.iter();
    owned
        .map(|(manager, field)| ((*manager).to_owned(), (*field).to_owned()))
        .collect()
}

fn two_managers_share_an_object() -> Vec<Step> {
    vec![
        apply("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .leads_to(json!({ "spec": { "replicas": 3, "note": "a" } })),
        apply("b", |fleet| {
            let access = AccessApply::new().port(80);
            let texts = [("greeting", "hello")];
            fleet
                .labels([("tier", "front")])
                .spec(spec().texts(texts).access(access))
        })
        .leads_to(json!({
            "labels": { "tier": "front" },
            "spec": {
                "replicas": 3, "note": "a",
                "texts": { "greeting": "hello" }, "access": { "port": 80 },
            },
        })),
        apply("a", |fleet| {
            let access = AccessApply::new().host("example.com");
            let texts = [("farewell", "bye")];
            fleet
                .labels([("zone", "1")])
                .spec(spec().replicas(4).texts(texts).access(access))
        })
        .leads_to(json!({
            "labels": { "tier": "front", "zone": "1" },
            "spec": {
                "replicas": 4,
                "texts": { "farewell": "bye", "greeting": "hello" },
                "access": { "host": "example.com", "port": 80 },
            },
        })),
        // Both own a field on whose value they agree.
        apply("b", |fleet| fleet.spec(spec().replicas(4))).leads_to(json!({
            "labels": { "zone": "1" },
            "spec": {
                "replicas": 4,
                "texts": { "farewell": "bye" },
                "access": { "host": "example.com" },
            },
        })),
    ]
}

fn given_up_field_is_removed_or_kept_by_the_other() -> Vec<Step> {
    vec![
        apply("a", |fleet| {
            fleet.spec(spec().replicas(3).note("a").tier("front"))
        })
        .leads_to(json!({ "spec": { "replicas": 3, "note": "a", "tier": "front" } })),
        apply("b", |fleet| fleet.spec(spec().replicas(3)))
            .leads_to(json!({ "spec": { "replicas": 3, "note": "a", "tier": "front" } })),
        apply("a", |fleet| fleet.spec(spec().tier("front")))
            .leads_to(json!({ "spec": { "replicas": 3, "tier": "front" } })),
        apply("b", |fleet| fleet).leads_to(json!({ "spec": { "tier": "front" } })),
    ]
}

fn conflict_names_manager_and_field_then_force_takes_over() -> Vec<Step> {
    vec![
        apply("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .leads_to(json!({ "spec": { "replicas": 3, "note": "a" } })),
        apply("b", |fleet| {
            fleet.spec(spec().replicas(5).note("b").tier("front"))
        })
        .conflicts([("a", ".spec.note"), ("a", ".spec.replicas")]),
        force("b", |fleet| fleet.spec(spec().replicas(5)))
            .leads_to(json!({ "spec": { "replicas": 5, "note": "a" } }))
            .leaves("a", Through::Object, |fleet| fleet.spec(spec().note("a"))),
        apply("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .conflicts([("b", ".spec.replicas")]),
        // What was taken over is not given up by an apply that lacks it.
        apply("a", |fleet| fleet.spec(spec().note("c")))
            .leads_to(json!({ "spec": { "replicas": 5, "note": "c" } })),
        apply("a", |fleet| fleet.spec(spec().replicas(5).note("c")))
            .leads_to(json!({ "spec": { "replicas": 5, "note": "c" } })),
        apply("c", |fleet| fleet.spec(spec().replicas(6)))
            .conflicts([("a", ".spec.replicas"), ("b", ".spec.replicas")]),
    ]
}

fn field_of_an_update_is_a_conflict_too() -> Vec<Step> {
    vec![
        apply("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .leads_to(json!({ "spec": { "replicas": 3, "note": "a" } })),
        patch("editor", json!({ "spec": { "replicas": 4 } }))
            .leads_to(json!({ "spec": { "replicas": 4, "note": "a" } }))
            .leaves("a", Through::Object, |fleet| fleet.spec(spec().note("a"))),
        apply("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .conflicts([("editor", ".spec.replicas")]),
        force("a", |fleet| fleet.spec(spec().replicas(3).note("a")))
            .leads_to(json!({ "spec": { "replicas": 3, "note": "a" } })),
    ]
}

fn list_map_entry_is_removed_by_its_manager_only() -> Vec<Step> {
    let port =
        |name: &str, number: u16| json!({ "name": name, "number": number, "protocol": "TCP" });
    vec![
        apply("a", |fleet| {
            let ports = [
                PortApply::new("web").number(80),
                PortApply::new("metrics").number(90),
            ];
            fleet.spec(spec().ports(ports))
        })
        // The protocol is a default, which nobody owns.
        .leads_to(json!({ "spec": { "ports": [port("web", 80), port("metrics", 90)] } })),
        apply("b", |fleet| {
            let ports = [
                PortApply::new("admin").number(81),
                PortApply::new("metrics"),
            ];
            fleet.spec(spec().ports(ports))
        })
        .leads_to(json!({
            "spec": { "ports": [port("web", 80), port("admin", 81), port("metrics", 90)] },
        })),
        apply("c", |fleet| {
            fleet.spec(spec().ports([PortApply::new("admin").number(82)]))
        })
        .conflicts([("b", r#".spec.ports[name="admin"].number"#)]),
        apply("c", |fleet| {
            fleet.spec(spec().ports([PortApply::new("web").protocol("UDP")]))
        })
        .leads_to(json!({ "spec": { "ports": [
            { "name": "web", "number": 80, "protocol": "UDP" },
            port("admin", 81),
            port("metrics", 90),
        ] } })),
        // `b` keeps the entry, but not the number, which only `a` has applied.
        apply("a", |fleet| {
            fleet.spec(spec().ports([PortApply::new("web").number(80)]))
        })
        .leads_to(json!({ "spec": { "ports": [
            { "name": "web", "number": 80, "protocol": "UDP" },
            port("admin", 81),
            { "name": "metrics", "protocol": "TCP" },
        ] } })),
        apply("b", |fleet| fleet).leads_to(json!({ "spec": { "ports": [
            { "name": "web", "number": 80, "protocol": "UDP" },
        ] } })),
    ]
}

fn empty_list_is_owned() -> Vec<Step> {
    vec![
        apply("a", |fleet| {
            let args: [&str; 0] = [];
            fleet.spec(spec().args(args).ports([]))
        })
        .leads_to(json!({ "spec": { "args": [], "ports": [] } }))
        // Nobody owns a list map without entries.
        .leaves("a", Through::Object, |fleet| {
            let args: [&str; 0] = [];
            fleet.spec(spec().args(args))
        }),
        apply("b", |fleet| fleet.spec(spec().args(["--fast"]))).conflicts([("a", ".spec.args")]),
        apply("b", |fleet| {
            let port = PortApply::new("web").number(80);
            fleet.spec(spec().replicas(2).ports([port]))
        })
        .leads_to(json!({ "spec": {
            "replicas": 2,
            "args": [],
            "ports": [{ "name": "web", "number": 80, "protocol": "TCP" }],
        } })),
        force("b", |fleet| fleet.spec(spec().args(["--fast"])))
            .leads_to(json!({ "spec": { "args": ["--fast"] } }))
            .leaves("a", Through::Object, |fleet| fleet),
    ]
}

fn apply_status_leaves_spec() -> Vec<Step> {
    vec![
        // The status of an apply of the object is ignored.
        apply("a", |fleet| {
            fleet.spec(spec().replicas(2)).status(status().replicas(9))
        })
        .leads_to(json!({ "spec": { "replicas": 2 } }))
        .leaves("a", Through::Object, |fleet| fleet.spec(spec().replicas(2))),
        // So is the rest of an apply of the status.
        apply_status("a", |fleet| {
            fleet
                .labels([("tier", "front")])
                .spec(spec().replicas(9))
                .status(status().replicas(1))
        })
        .leads_to(json!({ "spec": { "replicas": 2 }, "status": { "replicas": 1 } }))
        .leaves("a", Through::Status, |fleet| {
            fleet.status(status().replicas(1))
        }),
        apply_status("b", |fleet| fleet.status(status().message("slow"))).leads_to(json!({
            "spec": { "replicas": 2 }, "status": { "replicas": 1, "message": "slow" },
        })),
        apply_status("b", |fleet| fleet.status(status().replicas(2)))
            .conflicts([("a", ".status.replicas")]),
        // An apply of the object does not give the status up, nor the other way round.
        apply("a", |fleet| fleet.spec(spec().note("a"))).leads_to(json!({
            "spec": { "note": "a" }, "status": { "replicas": 1, "message": "slow" },
        })),
        apply_status("a", |fleet| fleet).leads_to(json!({
            "spec": { "note": "a" }, "status": { "message": "slow" },
        })),
    ]
}

fn conditions_are_owned_by_their_type() -> Vec<Step> {
    let ready = json!(condition("Ready", "works"));
    let archived = json!(condition("Archived", "stored"));
    vec![
        apply("user", |fleet| fleet.spec(spec().replicas(2)))
            .leads_to(json!({ "spec": { "replicas": 2 } })),
        apply_status("a", |fleet| {
            let ready = condition("Ready", "works");
            fleet.status(status().conditions([ready]).replicas(2))
        })
        .leads_to(json!({
            "spec": { "replicas": 2 }, "status": { "replicas": 2, "conditions": [ready] },
        })),
        apply_status("b", |fleet| {
            fleet.status(status().conditions([condition("Archived", "stored")]))
        })
        .leads_to(json!({
            "spec": { "replicas": 2 }, "status": { "replicas": 2, "conditions": [ready, archived] },
        })),
        apply_status("b", |fleet| {
            fleet.status(status().conditions([condition("Ready", "no")]))
        })
        .conflicts([("a", r#".status.conditions[type="Ready"].message"#)]),
        apply_status("a", |fleet| fleet.status(status().replicas(2))).leads_to(json!({
            "spec": { "replicas": 2 }, "status": { "replicas": 2, "conditions": [archived] },
        })),
    ]
}

/// Source: controller-tools, pkg/applyconfiguration/testdata/cronjob/applyconfigs_test.go.
fn extracted_finalizers_are_the_managers_own() -> Vec<Step> {
    vec![
        apply("a", |fleet| {
            fleet.finalizers(["example.com/a"]).spec(spec().replicas(2))
        })
        .leads_to(json!({ "finalizers": ["example.com/a"], "spec": { "replicas": 2 } })),
        apply("b", |fleet| fleet.finalizers(["example.com/b"])).leads_to(json!({
            "finalizers": ["example.com/a", "example.com/b"], "spec": { "replicas": 2 },
        })),
        apply("a", |fleet| fleet.spec(spec().replicas(2))).leads_to(json!({
            "finalizers": ["example.com/b"], "spec": { "replicas": 2 },
        })),
        apply("b", |fleet| fleet).leads_to(json!({ "spec": { "replicas": 2 } })),
    ]
}

/// A Rust type that omits an empty map does not tell that its manager owns it.
async fn field_that_the_type_omits_is_extracted_from_a_dynamic_object(
    plane: &ControlPlane,
) -> Outcome {
    let stage = Stage::new(plane).await?;
    let params = PatchParams::apply("a");
    let texts: [(&str, &str); 0] = [];
    let config = FleetApply::new("fleet", &*stage.namespace).spec(spec().texts(texts));
    let applied = stage.fleets.apply_with(&config, &params).await?;
    let expected = ExtractError::Incomplete {
        object: "Fleet `fleet`".to_owned(),
        manager: "a".to_owned(),
        path: ".spec.texts".to_owned(),
        is_dynamic: false,
    };
    assert_eq!(FleetApply::extract(&applied, "a"), Err(expected));
    let dynamic: DynamicObject = serde_json::from_value(stage.raw("fleet").await?)?;
    let extracted: FleetApply = extract(&dynamic, "a", "")?;
    assert_eq!(extracted, config);
    let again = stage.fleets.apply_with(&extracted, &params).await?;
    assert_eq!(again.resource_version(), applied.resource_version());
    Ok(())
}

/// Fields of a Deployment, whose types are those of k8s-openapi.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DeploymentApply {
    #[serde(rename = "apiVersion")]
    api_version: ApiVersion<Deployment>,
    kind: KindName<Deployment>,
    metadata: ObjectMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<DeploymentSpecApply>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DeploymentSpecApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
}

impl Applicable for DeploymentApply {
    type Object = Deployment;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyConfiguration for DeploymentApply {}

/// A configuration that a program writes for a kind of Kubernetes, and a subresource besides the
/// status. The API server answers an apply of a custom resource's scale with an error.
async fn fields_applied_through_the_scale_are_extracted(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("verbs").await?;
    let deployments = TypedClient::<Deployment>::namespaced(plane.client(), &namespace);
    let web = json!({ "spec": {
        "selector": { "matchLabels": { "app": "web" } },
        "template": {
            "metadata": { "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "web", "image": "example.com/image" }] },
        },
    } });
    let user = PatchParams::apply("user");
    deployments.apply("web", &web, &user).await?;

    let params = PatchParams::apply("a");
    let config = |spec: DeploymentSpecApply| DeploymentApply {
        api_version: ApiVersion::default(),
        kind: KindName::default(),
        metadata: ObjectMeta {
            name: Some("web".to_owned()),
            namespace: Some(namespace.clone()),
            ..ObjectMeta::default()
        },
        spec: Some(spec),
    };
    let paused = config(DeploymentSpecApply {
        paused: Some(true),
        replicas: None,
    });
    deployments.apply_with(&paused, &params).await?;
    let scale = json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": { "name": "web", "namespace": namespace },
        "spec": { "replicas": 7 },
    });
    let scaled: Scale = deployments
        .apply_as("web", Some("scale"), &scale, &params.clone().force())
        .await?;
    assert_eq!(scaled.spec.and_then(|spec| spec.replicas), Some(7));

    let live = deployments.get("web", &GetParams::default()).await?;
    assert_eq!(extract(&live, "a", "").as_ref(), Ok(&paused));
    let expected = config(DeploymentSpecApply {
        paused: None,
        replicas: Some(7),
    });
    assert_eq!(extract(&live, "a", "scale"), Ok(expected));
    let again = deployments.apply_with(&paused, &params).await?;
    assert_eq!(again.resource_version(), live.resource_version());
    Ok(())
}

/// An apply without a uid would create the object again.
async fn uid_prevents_the_creation_of_a_deleted_object(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let params = PatchParams::apply("a");
    let bare = FleetApply::new("fleet", &*stage.namespace).spec(spec().replicas(2));
    let first = stage.fleets.apply_with(&bare, &params).await?;
    let mut config = bare.clone();
    config.metadata.uid = first.uid();
    let again = stage.fleets.apply_with(&config, &params).await?;
    assert_eq!(again.resource_version(), first.resource_version());

    let deletion = DeleteParams::default();
    stage.fleets.delete("fleet", &deletion).await?;
    let refused = stage.fleets.apply_with(&config, &params).await;
    assert_eq!(refusal(refused), Ok(409));
    let read = stage.fleets.get("fleet", &GetParams::default()).await;
    assert_eq!(refusal(read), Ok(404));

    stage.fleets.apply_with(&bare, &params).await?;
    let refused = stage.fleets.apply_with(&config, &params).await;
    assert_eq!(refusal(refused), Ok(422), "an object with another uid");
    Ok(())
}

/// The API server reports managed fields, and informers drop them.
async fn extract_of_a_cached_object_is_refused(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let config = FleetApply::new("fleet", &*stage.namespace).spec(spec().replicas(2));
    let params = PatchParams::apply("a");
    stage.fleets.apply_with(&config, &params).await?;
    let factory = SharedInformerFactory::builder(stage.clientset.clone())
        .namespace(&stage.namespace)
        .build();
    let lister = factory.fixture().v1().fleets().lister();
    factory.start();
    factory.wait_for_cache_sync().await?;
    let name = ObjectName::namespaced(&stage.namespace, "fleet");
    let cached = lister.get(&name).ok_or("it is cached")?;
    let extracted = FleetApply::extract(&cached, "a");
    factory.shutdown().await;
    assert!(
        matches!(extracted, Err(ExtractError::NoManagedFields { .. })),
        "{extracted:?}"
    );
    Ok(())
}
