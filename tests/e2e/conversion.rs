//! Tests of server-side apply by managers that use different versions of a kind.
//!
//! A Lamp is converted by a webhook, with a field that has another name in each version and fields
//! that its types require. A Beacon has the same fields in both versions and needs no conversion.
//! Every request has the same result for both, down to the owners of fields.

use std::net::TcpListener;

use application::apis::apps::v1beta1::EnvironmentVariable;
use application::client::applyconfiguration::apps::{
    v1alpha1 as apply_v1alpha1, v1beta1 as apply_v1beta1,
};
use application::client::clientset::{Clientset, apps};
use e2e::{ControlPlane, eventually};
use genclient::applyconfiguration::ExtractError;
use genclient::conversion::{Inconvertible, Spoke, Versions};
use genclient_controller::webhook::{Certificates, WebhookServer, Webhooks};
use genclient_controller::{Manager, RunError};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, GetParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Error, ResourceExt};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "conversion::partial_objects_are_converted",
        partial_objects_are_converted,
    );
    suite.both(
        "conversion::apply_configurations_keep_their_version",
        apply_configurations_keep_their_version,
    );
}

const GROUP: &str = "lab.example.com";
const APPLICATIONS: &str =
    include_str!("../../examples/application/config/crd/apps.example.io_applications.yaml");

mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "lab.example.com"]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<LampStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct LampSpec {
        pub size: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub color: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub rooms: Vec<Room>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Room {
        pub name: String,
        pub floor: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct LampStatus {
        pub lit: bool,
    }
}

mod v1beta1 {
    use genclient::prelude::*;

    use super::v1::{LampStatus, Room};

    #[genclient]
    #[group = "lab.example.com"]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<LampStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct LampSpec {
        pub size: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub colour: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub rooms: Vec<Room>,
    }
}

impl Spoke for v1beta1::Lamp {
    type Hub = v1::Lamp;

    fn to_hub(self) -> Result<v1::Lamp, Inconvertible> {
        if self.spec.colour.as_deref() == Some("none") {
            return Err("a lamp has a colour".into());
        }
        Ok(v1::Lamp {
            metadata: self.metadata,
            spec: v1::LampSpec {
                size: self.spec.size,
                color: self.spec.colour,
                rooms: self.spec.rooms,
            },
            status: self.status,
        })
    }

    fn from_hub(hub: v1::Lamp) -> Result<Self, Inconvertible> {
        if hub.spec.color.as_deref() == Some("infrared") {
            return Err("the color is not visible".into());
        }
        Ok(Self {
            metadata: hub.metadata,
            spec: v1beta1::LampSpec {
                size: hub.spec.size,
                colour: hub.spec.color,
                rooms: hub.spec.rooms,
            },
            status: hub.status,
        })
    }
}

/// Returns the name of the color in a version of a kind.
fn color(kind: &str, version: &str) -> &'static str {
    match (kind, version) {
        ("Lamp", "v1beta1") => "colour",
        _ => "color",
    }
}

fn definition(
    kind: &str,
    conversion: Value,
) -> Result<CustomResourceDefinition, serde_json::Error> {
    let version = |name: &str| {
        json!({
            "name": name,
            "served": true,
            "storage": name == "v1",
            "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": {
                "type": "object",
                "properties": {
                    "spec": { "type": "object", "required": ["size"], "properties": {
                        "size": { "type": "integer", "format": "int32" },
                        color(kind, name): { "type": "string" },
                        "rooms": {
                            "type": "array",
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["name"],
                            "items": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": { "type": "string" },
                                    "floor": { "type": "integer", "format": "int32" },
                                },
                            },
                        },
                    } },
                    "status": { "type": "object", "required": ["lit"], "properties": {
                        "lit": { "type": "boolean" },
                    } },
                },
            } },
        })
    };
    let plural = format!("{}s", kind.to_lowercase());
    serde_json::from_value(json!({
        "metadata": { "name": format!("{plural}.{GROUP}") },
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": { "kind": kind, "plural": plural, "listKind": format!("{kind}List") },
            "conversion": conversion,
            "versions": [version("v1"), version("v1beta1")],
        },
    }))
}

/// A request of a manager.
struct Request {
    manager: &'static str,
    version: &'static str,
    /// Whether the manager writes the status, rather than applying fields.
    is_status: bool,
    fields: Value,
}

fn apply(manager: &'static str, version: &'static str, fields: Value) -> Request {
    Request {
        manager,
        version,
        is_status: false,
        fields,
    }
}

/// The requests for each object, in order.
fn requests() -> [(&'static str, Vec<Request>); 3] {
    let old = |spec: Value| apply("gitops", "v1beta1", json!({ "spec": spec }));
    let new = |spec: Value| apply("scaler", "v1", json!({ "spec": spec }));
    let status = |lit: bool| Request {
        manager: "controller",
        version: "v1",
        is_status: true,
        fields: json!({ "status": { "lit": lit } }),
    };
    [
        (
            "taken-over",
            vec![
                old(json!({ "size": 1, "color": "red" })),
                status(true),
                old(json!({ "size": 1, "color": "red" })),
                old(json!({ "size": 2 })),
                new(json!({ "size": 9 })),
                old(json!({ "color": "blue" })),
                // Leaves everything.
                apply(
                    "gitops",
                    "v1beta1",
                    json!({ "metadata": { "labels": { "a": "b" } } }),
                ),
                // Leaves the only claim to a required field.
                apply("scaler", "v1", json!({})),
                status(false),
            ],
        ),
        (
            "handed-over",
            vec![
                old(json!({ "size": 2, "color": "red" })),
                new(json!({ "size": 2 })),
                old(json!({ "color": "red" })),
                new(json!({ "size": 0, "color": "red" })),
                apply("gitops", "v1beta1", json!({})),
            ],
        ),
        (
            "lists",
            vec![
                old(json!({ "size": 1, "rooms": [{ "name": "a", "floor": 1 }, { "name": "b" }] })),
                new(json!({ "size": 1, "rooms": [{ "name": "a", "floor": 2 }] })),
                old(json!({ "rooms": [{ "name": "a" }, { "name": "c", "floor": 0 }] })),
                old(json!({ "rooms": [{ "name": "c" }] })),
                new(json!({ "size": 1 })),
            ],
        ),
    ]
}

/// Sends a request. Returns the object, or the code of the error, with the field names of Beacons.
async fn send(api: &Api<DynamicObject>, name: &str, request: &Request) -> Result<Value, Error> {
    let Request {
        manager,
        version,
        is_status,
        fields,
    } = request;
    let kind = if api.resource_url().ends_with("/lamps") {
        "Lamp"
    } else {
        "Beacon"
    };
    let mut object = fields.clone();
    object["apiVersion"] = format!("{GROUP}/{version}").into();
    object["kind"] = kind.into();
    object["metadata"]["name"] = name.into();
    let object = renamed(&object, "color", color(kind, version))?;
    let answer = if *is_status {
        let params = PatchParams {
            field_manager: Some((*manager).to_owned()),
            ..PatchParams::default()
        };
        api.patch_status(name, &params, &Patch::Merge(object)).await
    } else {
        let params = PatchParams::apply(manager).force();
        api.patch(name, &params, &Patch::Apply(object)).await
    };
    match answer {
        Ok(object) => comparable(object),
        Err(Error::Api(status)) if status.code == 422 => Ok(json!(status.code)),
        Err(error) => Err(error),
    }
}

/// Returns an object without what differs by time and kind, in the field names of Beacons.
fn comparable(object: DynamicObject) -> Result<Value, Error> {
    let mut object = serde_json::to_value(object).map_err(Error::SerdeError)?;
    object["kind"].take();
    for field in ["uid", "resourceVersion", "creationTimestamp"] {
        object["metadata"][field].take();
    }
    if let Some(entries) = object["metadata"]["managedFields"].as_array_mut() {
        for entry in entries.iter_mut() {
            entry["time"].take();
        }
        // The API server sorts them by their times, which are whole seconds.
        entries.sort_by_key(|entry| entry["manager"].to_string());
    }
    renamed(&object, "colour", "color")
}

fn renamed(object: &Value, from: &str, to: &str) -> Result<Value, Error> {
    let mut text = object.to_string();
    for prefix in ["\"", "\"f:"] {
        text = text.replace(&format!("{prefix}{from}\""), &format!("{prefix}{to}\""));
    }
    serde_json::from_str(&text).map_err(Error::SerdeError)
}

fn objects(client: &Client, namespace: &str, kind: &str, version: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk(GROUP, version, kind);
    let plural = format!("{}s", kind.kind.to_lowercase());
    let resource = ApiResource::from_gvk_with_plural(&kind, &plural);
    Api::namespaced_with(client.clone(), namespace, &resource)
}

/// A running webhook server.
struct Converter {
    /// The conversion of a CRD by this server.
    conversion: Value,
    stop: CancellationToken,
    run: JoinHandle<Result<(), RunError>>,
}

impl Converter {
    async fn start(
        plane: &ControlPlane,
        namespace: &str,
        webhooks: Webhooks,
    ) -> Result<Self, Failed> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("https://{}", listener.local_addr()?);
        let certificates = Certificates::own("conversion")
            .namespace(namespace)
            .url(&url);
        let mut manager = Manager::builder("conversion")
            .client(plane.client())
            .build()
            .await?;
        manager.add(WebhookServer::new(webhooks, certificates).listener(listener))?;
        let stop = CancellationToken::new();
        Ok(Self {
            conversion: json!({ "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": { "url": format!("{url}/convert") },
            } }),
            run: tokio::spawn(manager.run(stop.clone())),
            stop,
        })
    }

    async fn stop(self) -> Outcome {
        self.stop.cancel();
        Ok(self.run.await??)
    }
}

async fn partial_objects_are_converted(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("conversion").await?;
    let client = plane.client();
    let versions = Versions::<v1::Lamp>::hub().spoke::<v1beta1::Lamp>();
    let webhooks = Webhooks::new().conversion(versions);
    let converter = Converter::start(plane, &namespace, webhooks).await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in [
        definition("Lamp", converter.conversion.clone())?,
        definition("Beacon", json!({ "strategy": "None" }))?,
    ] {
        definitions.create(&Default::default(), &definition).await?;
    }
    let request = apply("first", "v1beta1", json!({ "spec": { "size": 1 } }));
    for kind in ["Lamp", "Beacon"] {
        let api = objects(&client, &namespace, kind, "v1beta1");
        eventually("the kind is served", async || {
            send(&api, "first", &request).await
        })
        .await?;
    }
    let mut differences = Vec::new();
    for (name, requests) in requests() {
        for (number, request) in requests.iter().enumerate() {
            let mut answers = Vec::new();
            for kind in ["Lamp", "Beacon"] {
                let api = objects(&client, &namespace, kind, request.version);
                answers.push(
                    send(&api, name, request)
                        .await
                        .map_err(|error| error.to_string()),
                );
            }
            if answers[0] != answers[1] || answers[0].is_err() {
                differences.push(format!("{name} {number}: {answers:#?}"));
            }
        }
    }
    check_refusals(&client, &namespace).await?;
    converter.stop().await?;
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

/// Checks that a request fails with code 500 if the webhook refuses a conversion that it needs.
async fn check_refusals(client: &Client, namespace: &str) -> Outcome {
    let [old, new] = ["v1beta1", "v1"].map(|version| objects(client, namespace, "Lamp", version));
    let (merging, applying) = (PatchParams::default(), PatchParams::apply("tester").force());
    let applied = |version: &str, name: &str, spec: &Value| {
        let api_version = format!("{GROUP}/{version}");
        Patch::Apply(json!({
            "apiVersion": api_version, "kind": "Lamp", "metadata": { "name": name }, "spec": spec,
        }))
    };
    for color in ["red", "infrared"] {
        let lamp = applied("v1", color, &json!({ "size": 1, "color": color }));
        new.patch(color, &applying, &lamp).await?;
    }
    let colorless = json!({ "size": 1, "colour": "none" });
    let larger = json!({ "size": 2 });
    let lit = Patch::Merge(json!({ "status": { "lit": true } }));
    let merged = |spec: &Value| Patch::Merge(json!({ "spec": spec }));
    for answer in [
        old.patch("red", &merging, &merged(&colorless)).await,
        old.patch("red", &applying, &applied("v1beta1", "red", &colorless))
            .await,
        old.patch("new", &applying, &applied("v1beta1", "new", &colorless))
            .await,
        old.get("infrared").await,
        old.patch("infrared", &merging, &merged(&larger)).await,
        old.patch(
            "infrared",
            &applying,
            &applied("v1beta1", "infrared", &larger),
        )
        .await,
        old.patch_status("infrared", &merging, &lit).await,
    ] {
        match answer {
            Err(Error::Api(status)) => assert_eq!(status.code, 500, "{status:?}"),
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}

/// Each manager extracts what it has applied in its own version, whatever the version is in which
/// others apply.
async fn apply_configurations_keep_their_version(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("conversion").await?;
    let webhooks = Webhooks::new().conversion(application::client::conversion::applications());
    let converter = Converter::start(plane, &namespace, webhooks).await?;
    let mut manifest: Value = serde_saphyr::from_str(APPLICATIONS)?;
    manifest["spec"]["conversion"] = converter.conversion.clone();
    let definition: CustomResourceDefinition = serde_json::from_value(manifest)?;
    let definitions: Api<CustomResourceDefinition> = Api::all(plane.client());
    definitions.create(&Default::default(), &definition).await?;

    let clientset = Clientset::from(plane.client());
    let applications = TwoVersions {
        old: clientset.apps_v1alpha1().applications(&namespace),
        new: clientset.apps_v1beta1().applications(&namespace),
        namespace,
    };
    applications.are_extracted_in_their_version().await?;
    applications.give_up_fields_in_their_version().await?;
    applications.move_to_the_new_version().await?;
    converter.stop().await
}

/// The Application `web`. The manager `gitops` applies it in the old version, `scaler` in the new.
struct TwoVersions {
    old: apps::v1alpha1::Applications,
    new: apps::v1beta1::Applications,
    namespace: String,
}

impl TwoVersions {
    fn of_gitops<const N: usize>(&self, env: [&str; N]) -> apply_v1alpha1::ApplicationApply {
        let spec = apply_v1alpha1::ApplicationSpecApply::new()
            .image("nginx")
            .port(80)
            .env(env.map(variable));
        apply_v1alpha1::ApplicationApply::new("web", &*self.namespace).spec(spec)
    }

    fn of_scaler(&self) -> apply_v1beta1::ApplicationApply {
        let container = apply_v1beta1::ContainerSpecApply::new().env([variable("C")]);
        let spec = apply_v1beta1::ApplicationSpecApply::new()
            .replicas(3)
            .container(container);
        apply_v1beta1::ApplicationApply::new("web", &*self.namespace).spec(spec)
    }

    async fn are_extracted_in_their_version(&self) -> Outcome {
        let (gitops, scaler) = (PatchParams::apply("gitops"), PatchParams::apply("scaler"));
        let of_gitops = self.of_gitops(["A", "B"]);
        eventually("the kind is served", async || {
            self.old.apply_with(&of_gitops, &gitops).await
        })
        .await?;
        self.new.apply_with(&self.of_scaler(), &scaler).await?;

        let old = self.old.get("web", &GetParams::default()).await?;
        let new = self.new.get("web", &GetParams::default()).await?;
        assert_eq!(names(&new.spec.container.env), ["A", "B", "C"]);
        let extracted = apply_v1alpha1::ApplicationApply::extract(&old, "gitops")?;
        assert_eq!(extracted, of_gitops);
        let again = self.old.apply_with(&extracted, &gitops).await?;
        assert_eq!(again.resource_version(), old.resource_version());
        let extracted = apply_v1beta1::ApplicationApply::extract(&new, "scaler")?;
        assert_eq!(extracted, self.of_scaler());
        let again = self.new.apply_with(&extracted, &scaler).await?;
        assert_eq!(again.resource_version(), old.resource_version());

        // The fields have other names in the other version, so they would be given up.
        let refused = apply_v1beta1::ApplicationApply::extract(&new, "gitops");
        let expected = ExtractError::OtherVersion {
            object: "Application `web`".to_owned(),
            manager: "gitops".to_owned(),
            applied: "apps.example.io/v1alpha1".to_owned(),
            read: "apps.example.io/v1beta1".to_owned(),
        };
        assert_eq!(refused, Err(expected));
        Ok(())
    }

    async fn give_up_fields_in_their_version(&self) -> Outcome {
        let gitops = PatchParams::apply("gitops");
        let applied = self.old.apply_with(&self.of_gitops(["A"]), &gitops).await?;
        assert_eq!(names(&applied.spec.env), ["A", "C"]);
        Ok(())
    }

    /// As the error says: an apply of all fields in the new version, once.
    async fn move_to_the_new_version(&self) -> Outcome {
        let gitops = PatchParams::apply("gitops");
        let container = apply_v1beta1::ContainerSpecApply::new()
            .image("nginx")
            .port(80)
            .env([variable("A")]);
        let spec = apply_v1beta1::ApplicationSpecApply::new().container(container);
        let config = apply_v1beta1::ApplicationApply::new("web", &*self.namespace).spec(spec);
        let moved = self.new.apply_with(&config, &gitops).await?;
        let extracted = apply_v1beta1::ApplicationApply::extract(&moved, "gitops")?;
        assert_eq!(extracted, config);
        let again = self.new.apply_with(&extracted, &gitops).await?;
        assert_eq!(again.resource_version(), moved.resource_version());
        Ok(())
    }
}

fn variable(name: &str) -> apply_v1beta1::EnvironmentVariableApply {
    apply_v1beta1::EnvironmentVariableApply::new(name).value("1")
}

fn names(env: &[EnvironmentVariable]) -> Vec<&str> {
    env.iter().map(|variable| &*variable.name).collect()
}
