//! Tests of `genclient migrate` and of the component `StorageMigration`.
//!
//! A Torch is converted by a webhook, which cannot convert one color. A Beacon has the same fields
//! in both versions.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use e2e::{ControlPlane, eventually};
use futures::{StreamExt, TryStreamExt};
use genclient::conversion::{Inconvertible, Spoke, Versions};
use genclient::scheme::Object;
use genclient_apiserver::User;
use genclient_controller::webhook::{Certificates, WebhookServer, Webhooks};
use genclient_controller::{Manager, StorageMigration};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, ResourceExt};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

const GROUP: &str = "migration.example.com";
const OBJECTS: usize = 5_000;

/// Both versions are served, and the first one is stored.
const OLD: [(&str, bool); 2] = [("v1beta1", true), ("v1", true)];
const NEW: [(&str, bool); 2] = [("v1", true), ("v1beta1", true)];

pub(crate) fn tests(suite: &mut Suite) {
    let minutes = Duration::from_secs(480);
    suite.own_for(minutes, "migration::five_thousand_objects", five_thousand);
    suite.own("migration::interrupted", interrupted);
    suite.both("migration::versions_are_removed", versions_are_removed);
    suite.shared("migration::refusals", refusals);
    suite.both("migration::component", component);
    suite.shared(
        "migration::component_with_its_role",
        component_with_its_role,
    );
}

mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "migration.example.com"]
    pub struct Torch {
        pub metadata: ObjectMeta,
        pub spec: TorchSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TorchSpec {
        pub color: String,
    }
}

mod v1beta1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "migration.example.com"]
    pub struct Torch {
        pub metadata: ObjectMeta,
        pub spec: TorchSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TorchSpec {
        pub colour: String,
    }
}

impl Spoke for v1beta1::Torch {
    type Hub = v1::Torch;

    fn to_hub(self) -> Result<v1::Torch, Inconvertible> {
        if self.spec.colour == "ultraviolet" {
            return Err("no such color".into());
        }
        Ok(v1::Torch {
            metadata: self.metadata,
            spec: v1::TorchSpec {
                color: self.spec.colour,
            },
        })
    }

    fn from_hub(hub: v1::Torch) -> Result<Self, Inconvertible> {
        Ok(Self {
            metadata: hub.metadata,
            spec: v1beta1::TorchSpec {
                colour: hub.spec.color,
            },
        })
    }
}

/// A kind in two versions.
#[derive(Clone, Copy)]
struct Kind {
    kind: &'static str,
    plural: &'static str,
    /// The name of the color in `v1beta1`.
    old_color: &'static str,
}

const TORCH: Kind = Kind {
    kind: "Torch",
    plural: "torches",
    old_color: "colour",
};

impl Kind {
    fn crd(self) -> String {
        format!("{}.{GROUP}", self.plural)
    }

    /// The definition with these versions, the first of them stored.
    fn definition(self, versions: &[(&str, bool)], conversion: &Value) -> Value {
        let version = |(index, (name, served)): (usize, &(&str, bool))| {
            let color = if *name == "v1" {
                "color"
            } else {
                self.old_color
            };
            json!({
                "name": name, "served": served, "storage": index == 0,
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": { "type": "object", "properties": {
                        color: { "type": "string" }, "size": { "type": "integer" },
                    } },
                } } },
            })
        };
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": self.crd() },
            "spec": {
                "group": GROUP, "scope": "Namespaced", "conversion": conversion,
                "names": { "kind": self.kind, "plural": self.plural },
                "versions": versions.iter().enumerate().map(version).collect::<Value>(),
            },
        })
    }

    fn resource(self, version: &str) -> ApiResource {
        let kind = GroupVersionKind::gvk(GROUP, version, self.kind);
        ApiResource::from_gvk_with_plural(&kind, self.plural)
    }

    fn objects(self, client: &Client, namespace: &str, version: &str) -> Api<DynamicObject> {
        Api::namespaced_with(client.clone(), namespace, &self.resource(version))
    }

    /// Applies the definition with these versions.
    async fn define(
        self,
        client: &Client,
        versions: &[(&str, bool)],
        conversion: &Value,
    ) -> Outcome {
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let definition = Patch::Apply(self.definition(versions, conversion));
        let params = PatchParams::apply("e2e").force();
        definitions.patch(&self.crd(), &params, &definition).await?;
        Ok(())
    }

    async fn stored_versions(self, client: &Client) -> Result<Vec<String>, Failed> {
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let status = definitions.get(&self.crd()).await?.status;
        Ok(status.and_then(|it| it.stored_versions).unwrap_or_default())
    }

    /// Creates a red object in `v1beta1`.
    async fn create_object(self, objects: &Api<DynamicObject>, name: &str) -> kube::Result<()> {
        let object = serde_json::from_value(json!({
            "apiVersion": format!("{GROUP}/v1beta1"), "kind": self.kind,
            "metadata": { "name": name }, "spec": { self.old_color: "red" },
        }));
        let object = object.map_err(kube::Error::SerdeError)?;
        objects.create(&PostParams::default(), &object).await?;
        Ok(())
    }

    /// Creates the object `first`, once the API server serves the kind, and then the others.
    async fn create(
        self,
        client: &Client,
        namespace: &str,
        others: impl Iterator<Item = String>,
    ) -> Outcome {
        let objects = &self.objects(client, namespace, "v1beta1");
        eventually("the kind is served", async || {
            self.create_object(objects, "first").await
        })
        .await?;
        futures::stream::iter(others)
            .map(|name| async move { self.create_object(objects, &name).await })
            .buffer_unordered(16)
            .try_collect::<Vec<_>>()
            .await?;
        Ok(())
    }
}

/// Starts `genclient migrate` with kubectl in its search path.
fn start(kubeconfig: &Path, arguments: &[&str]) -> Result<Child, Failed> {
    let folder = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
    let folders = folder
        .into_iter()
        .chain(std::env::split_paths("/usr/local/bin:/usr/bin:/bin"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    command
        .arg("migrate")
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .args(arguments);
    command.env("PATH", std::env::join_paths(folders)?);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.kill_on_drop(true).spawn()?)
}

/// Runs `genclient migrate`. Returns its exit code, stdout and stderr.
async fn migrate(
    kubeconfig: &Path,
    arguments: &[&str],
) -> Result<(Option<i32>, String, String), Failed> {
    let output = start(kubeconfig, arguments)?.wait_with_output().await?;
    Ok((
        output.status.code(),
        String::from_utf8(output.stdout)?,
        String::from_utf8(output.stderr)?,
    ))
}

/// The conversion webhook of Torches, with the part of the definition that names it.
async fn serve_conversions(client: &Client) -> Result<(Value, CancellationToken), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("https://{}", listener.local_addr()?);
    let versions = Versions::<v1::Torch>::hub().spoke::<v1beta1::Torch>();
    let certificates = Certificates::own("migration")
        .namespace("default")
        .url(&url);
    let server = WebhookServer::new(Webhooks::new().conversion(versions), certificates);
    let mut manager = Manager::builder("migration")
        .client(client.clone())
        .build()
        .await?;
    manager.add(server.listener(listener))?;
    let stop = CancellationToken::new();
    tokio::spawn(manager.run(stop.clone()));
    let conversion = json!({ "strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": { "url": format!("{url}/convert") },
    } });
    Ok((conversion, stop))
}

/// Counts the objects that etcd has in a version.
async fn count_stored(plane: &ControlPlane, kind: Kind, version: &str) -> Result<usize, Failed> {
    let etcd = Client::try_from(kube::Config::new(plane.etcd_url().ok_or("no etcd")?))?;
    let prefix = format!("/registry/{GROUP}/{}/", kind.plural);
    let end = format!("/registry/{GROUP}/{}0", kind.plural);
    let encode = |text: &str| k8s_openapi::ByteString(text.as_bytes().to_vec());
    let body = json!({ "key": encode(&prefix), "range_end": encode(&end) });
    let request = http::Request::post("/v3/kv/range").body(body.to_string().into_bytes())?;
    let read: Value = etcd.request(request).await?;
    let pairs = read["kvs"].as_array().into_iter().flatten();
    let begin = format!("{{\"apiVersion\":\"{GROUP}/{version}\"");
    let values = pairs.map(|pair| serde_json::from_value(pair["value"].clone()));
    let values: Vec<k8s_openapi::ByteString> = values.collect::<Result<_, _>>()?;
    Ok(values
        .iter()
        .filter(|value| value.0.starts_with(begin.as_bytes()))
        .count())
}

async fn resource_versions(
    objects: &Api<DynamicObject>,
) -> Result<Vec<(String, Option<String>)>, Failed> {
    // A page comes from etcd, also while the API server fills the watch cache of a new definition.
    let page = ListParams::default().limit(10_000);
    let list = objects.list_metadata(&page).await?;
    let version =
        |object: &kube::core::PartialObjectMeta<_>| (object.name_any(), object.resource_version());
    Ok(list.iter().map(version).collect())
}

/// One of 5,000 objects cannot be converted: it is named, and everything else is rewritten. After
/// it is fixed, the next run rewrites this object alone.
async fn five_thousand(plane: &ControlPlane) -> Outcome {
    let client = plane.client();
    let kubeconfig = plane.kubeconfig();
    let namespace = plane.create_namespace("migration").await?;
    let (conversion, stop) = serve_conversions(&client).await?;
    TORCH.define(&client, &OLD, &conversion).await?;
    let names = (1..OBJECTS).map(|number| format!("a{number:04}"));
    TORCH.create(&client, &namespace, names).await?;
    let old = TORCH.objects(&client, &namespace, "v1beta1");
    let paint = async |color: &str| {
        let patch = Patch::Merge(json!({ "spec": { "colour": color } }));
        old.patch("a3210", &PatchParams::default(), &patch).await
    };
    paint("ultraviolet").await?;
    TORCH.define(&client, &NEW, &conversion).await?;

    let (code, stdout, stderr) = migrate(&kubeconfig, &[&TORCH.crd()]).await?;
    assert_eq!((code, &*stdout), (Some(2), ""), "{stderr}");
    let expected = format!(
        "error: {namespace}/a3210 of torches.{GROUP} cannot be converted to v1: conversion webhook \
         for {GROUP}/v1beta1, Kind=Torch failed: "
    );
    assert!(
        stderr.contains(&expected) && stderr.contains("no such color"),
        "{stderr}"
    );
    let help =
        format!("get torches.v1beta1.{GROUP} a3210 -n {namespace} -o yaml` shows the object\n");
    assert!(stderr.contains(&help), "{stderr}");
    let last = "4999 of 5000 objects are stored as v1; status.storedVersions stays v1beta1, v1\n";
    assert!(stderr.ends_with(last), "{stderr}");
    assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
    assert_eq!(TORCH.stored_versions(&client).await?, ["v1beta1", "v1"]);
    assert_eq!(count_stored(plane, TORCH, "v1").await?, OBJECTS - 1);

    // The API server can write the object while it stores the old version.
    assert!(paint("violet").await.is_err());
    TORCH.define(&client, &OLD, &conversion).await?;
    eventually("the old version is stored", async || paint("violet").await).await?;
    TORCH.define(&client, &NEW, &conversion).await?;
    let new = TORCH.objects(&client, &namespace, "v1");
    let before = resource_versions(&new).await?;
    let (code, stdout, stderr) = migrate(&kubeconfig, &[&TORCH.crd()]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    let expected = format!(
        "torches.{GROUP}: 5000 objects stored as v1 (1 rewritten); status.storedVersions: v1\n"
    );
    assert_eq!(stdout, expected);
    let after = resource_versions(&new).await?;
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after);
    let changed: Vec<_> = changed.map(|(_, (name, _))| &**name).collect();
    assert_eq!(changed, ["a3210"]);
    assert_eq!(TORCH.stored_versions(&client).await?, ["v1"]);
    assert_eq!(count_stored(plane, TORCH, "v1beta1").await?, 0);
    stop.cancel();
    Ok(())
}

/// Ctrl-C ends a run between two requests; the next run does the rest. Others write meanwhile.
async fn interrupted(plane: &ControlPlane) -> Outcome {
    const BEACON: Kind = Kind {
        kind: "Beacon",
        plural: "beacons",
        old_color: "color",
    };
    let client = plane.client();
    let kubeconfig = plane.kubeconfig();
    let namespace = plane.create_namespace("migration").await?;
    let none = json!({ "strategy": "None" });
    BEACON.define(&client, &OLD, &none).await?;
    let names = (1..OBJECTS).map(|number| format!("a{number:04}"));
    BEACON.create(&client, &namespace, names).await?;
    BEACON.define(&client, &NEW, &none).await?;

    let objects = BEACON.objects(&client, &namespace, "v1");
    let writer = tokio::spawn(async move {
        for number in 1..OBJECTS {
            let patch = Patch::Merge(json!({ "spec": { "size": number } }));
            let name = format!("a{:04}", number * 7 % (OBJECTS - 1) + 1);
            objects
                .patch(&name, &PatchParams::default(), &patch)
                .await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok::<_, kube::Error>(())
    });
    let mut running = start(&kubeconfig, &[&BEACON.crd()])?;
    let mut lines = BufReader::new(running.stderr.take().ok_or("no stderr")?).lines();
    let waiting = lines.next_line().await?.ok_or("no progress")?;
    assert_eq!(
        waiting,
        format!(
            "beacons.{GROUP}: waiting until every API server has noticed the change of its versions"
        )
    );
    let progress = lines.next_line().await?.ok_or("no progress")?;
    assert!(
        progress.starts_with(&format!("beacons.{GROUP}: ")),
        "{progress}"
    );
    assert!(progress.ends_with(" of about 5000"), "{progress}");
    let process = running.id().ok_or("it has ended")?.to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &process])
            .status()
            .await?
            .success()
    );
    let mut last = String::new();
    while let Some(line) = lines.next_line().await? {
        last = line;
    }
    let number = last.split(' ').nth(2).unwrap_or_default();
    let expected = format!(
        "interrupted after {number} of about 5000 objects: run the same command again: it continues \
         where this one has ended"
    );
    assert_eq!(last, expected);
    assert_eq!(running.wait().await?.code(), Some(130));
    assert_eq!(BEACON.stored_versions(&client).await?, ["v1beta1", "v1"]);
    let left = count_stored(plane, BEACON, "v1beta1").await?;
    assert!(0 < left && left < OBJECTS, "{left}");

    let (code, stdout, stderr) = migrate(&kubeconfig, &[&BEACON.crd()]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stdout.starts_with(&format!("beacons.{GROUP}: 5000 objects stored as v1 (")),
        "{stdout}"
    );
    assert_eq!(BEACON.stored_versions(&client).await?, ["v1"]);
    assert_eq!(count_stored(plane, BEACON, "v1beta1").await?, 0);
    writer.abort();
    Ok(())
}

/// A version is removed by the commands of the book. Without `migrate` in between, server-side
/// apply fails for every manager (kubernetes/kubernetes#111937).
async fn versions_are_removed(plane: &ControlPlane) -> Outcome {
    let client = plane.client();
    let kubeconfig = plane.kubeconfig();
    let namespace = plane.create_namespace("migration").await?;
    let none = json!({ "strategy": "None" });
    for (kind, plural, is_cleaned) in [("Flare", "flares", true), ("Flame", "flames", false)] {
        let kind = Kind {
            kind,
            plural,
            old_color: "color",
        };
        kind.define(&client, &OLD, &none).await?;
        kind.create(&client, &namespace, std::iter::empty()).await?;
        let apply = async |version: &str, manager: &str, spec: Value| {
            let object = json!({
                "apiVersion": format!("{GROUP}/{version}"), "kind": kind.kind, "spec": spec,
            });
            let objects = kind.objects(&client, &namespace, version);
            objects
                .patch(
                    "first",
                    &PatchParams::apply(manager).force(),
                    &Patch::Apply(object),
                )
                .await
        };
        apply("v1beta1", "old", json!({ "color": "blue", "size": 1 })).await?;
        let rewrite = async || migrate(&kubeconfig, &[&kind.crd()]).await;

        kind.define(&client, &NEW, &none).await?;
        let (code, stdout, stderr) = rewrite().await?;
        let expected = format!(
            "{}: 1 objects stored as v1 (1 rewritten); status.storedVersions: v1\n",
            kind.crd()
        );
        assert_eq!((code, stdout), (Some(0), expected), "{stderr}");
        assert_eq!(kind.stored_versions(&client).await?, ["v1"]);

        kind.define(&client, &[("v1", true), ("v1beta1", false)], &none)
            .await?;
        if is_cleaned {
            let (code, stdout, stderr) = rewrite().await?;
            assert_eq!(code, Some(0), "{stderr}");
            assert!(
                stdout.contains("1 objects stored as v1 (1 rewritten)"),
                "{stdout}"
            );
            let (code, stdout, stderr) = rewrite().await?;
            assert_eq!(code, Some(0), "{stderr}");
            assert_eq!(
                stdout,
                format!("{}: every object is stored as v1\n", kind.crd())
            );
        }
        kind.define(&client, &[("v1", true)], &none).await?;
        if is_cleaned {
            // The manager gives `size` up, as its ownership is kept.
            let applied = eventually("the version is removed", async || {
                apply("v1", "old", json!({ "color": "green" })).await
            })
            .await?;
            assert_eq!(applied.data["spec"], json!({ "color": "green" }));
            let applied = apply("v1", "new", json!({ "size": 2 })).await?;
            assert_eq!(applied.data["spec"], json!({ "color": "green", "size": 2 }));
        } else {
            eventually("the version is removed", async || {
                match apply("v1", "new", json!({ "size": 2 })).await {
                    Err(kube::Error::Api(status))
                        if status.message.contains("invalid group/version") =>
                    {
                        Ok(())
                    }
                    other => Err(format!("{other:?}")),
                }
            })
            .await?;
            // It is not too late.
            let (code, _, stderr) = rewrite().await?;
            assert_eq!(code, Some(0), "{stderr}");
            apply("v1", "new", json!({ "size": 2 })).await?;
        }
    }
    Ok(())
}

/// Nothing is written without permissions, and for a kind that is not installed.
async fn refusals(plane: &ControlPlane) -> Outcome {
    let client = plane.client();
    let namespace = plane.create_namespace("migration").await?;
    let kind = Kind {
        kind: "Lantern",
        plural: "lanterns",
        old_color: "color",
    };
    let crd = kind.crd();
    let (code, _, stderr) = migrate(&plane.kubeconfig(), &[&crd]).await?;
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with(&format!("error: {crd} is not installed in the cluster\n")),
        "{stderr}"
    );

    let none = json!({ "strategy": "None" });
    kind.define(&client, &OLD, &none).await?;
    kind.create(&client, &namespace, std::iter::empty()).await?;
    kind.define(&client, &NEW, &none).await?;
    let objects = kind.objects(&client, &namespace, "v1");
    let before = resource_versions(&objects).await?;
    let user = plane.user(User::new("viewer")).await?;
    let (code, _, stderr) = migrate(user.kubeconfig(), &[&crd]).await?;
    assert_eq!(code, Some(2));
    let denied = format!(
        "error: the user may not get customresourcedefinitions.apiextensions.k8s.io {crd}\n"
    );
    assert!(stderr.starts_with(&denied), "{stderr}");
    let (code, stdout, stderr) = migrate(&plane.kubeconfig(), &[&crd, "--dry-run"]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stdout, format!("{crd}: 1 objects can be rewritten as v1\n"));
    assert_eq!(resource_versions(&objects).await?, before);
    assert_eq!(kind.stored_versions(&client).await?, ["v1beta1", "v1"]);
    Ok(())
}

async fn component(plane: &ControlPlane) -> Outcome {
    let kind = Kind {
        kind: "Lampion",
        plural: "lampions",
        old_color: "color",
    };
    let migration = StorageMigration::<DynamicObject>::of(kind.resource("v1"));
    follow_changes(plane, kind, plane.client(), migration).await
}

/// The permissions are those that `genclient update` infers.
async fn component_with_its_role(plane: &ControlPlane) -> Outcome {
    // Without a conversion, the fields have the same names.
    let kind = Kind {
        old_color: "color",
        ..TORCH
    };
    grant(&plane.client(), "migrator").await?;
    let user = plane.user(User::new("migrator")).await?;
    let migration = StorageMigration::<v1::Torch>::new();
    follow_changes(plane, kind, user.client(), migration).await
}

/// A manager rewrites the objects after each change of the definition.
async fn follow_changes<K: Object>(
    plane: &ControlPlane,
    kind: Kind,
    migrator: Client,
    migration: StorageMigration<K>,
) -> Outcome {
    let client = plane.client();
    let namespace = plane.create_namespace("migration").await?;
    let none = json!({ "strategy": "None" });
    kind.define(&client, &OLD, &none).await?;
    let names = (0..20).map(|number| format!("a{number}"));
    kind.create(&client, &namespace, names).await?;
    let mut manager = Manager::builder("migrator")
        .client(migrator)
        .build()
        .await?;
    manager.add(migration)?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));

    let objects = kind.objects(&client, &namespace, "v1");
    let before = resource_versions(&objects).await?;
    kind.define(&client, &NEW, &none).await?;
    eventually("the old version is not stored", async || {
        match kind.stored_versions(&client).await {
            Ok(versions) if versions == ["v1"] => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    let after = resource_versions(&objects).await?;
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| before != after),
        "{after:?}"
    );

    kind.define(&client, &[("v1", true), ("v1beta1", false)], &none)
        .await?;
    eventually("no field is owned in the old version", async || {
        let list = objects
            .list_metadata(&ListParams::default())
            .await
            .map_err(|error| error.to_string())?;
        let entries = list.iter().flat_map(ResourceExt::managed_fields);
        let mut versions = entries.filter_map(|entry| entry.api_version.clone());
        match versions.find(|version| version.ends_with("/v1beta1")) {
            None => Ok(()),
            Some(version) => Err(version),
        }
    })
    .await?;
    stop.cancel();
    run.await??;
    Ok(())
}

/// A package that migrates Torches, by paths.
const PACKAGE: [(&str, &str); 4] = [
    (
        "Cargo.toml",
        "[package]\nname = \"lamps\"\n\n[dependencies]\ngenclient = \"0.1\"\nserde = \"1\"\n\n\
         [package.metadata.genclient.deploy]\n",
    ),
    (
        "src/lib.rs",
        "pub mod apis;\npub mod client;\npub mod controller;\n",
    ),
    (
        "src/apis.rs",
        r#"pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "migration.example.com"]
    pub struct Torch {
        pub metadata: ObjectMeta,
    }
}
"#,
    ),
    (
        "src/controller.rs",
        "use genclient_controller::{Manager, SetupError, StorageMigration};

use crate::apis::v1::Torch;

pub fn add(manager: &mut Manager) -> Result<(), SetupError> {
    manager.add(StorageMigration::<Torch>::new())?;
    Ok(())
}
",
    ),
];

/// Grants a user the role that `genclient update` writes for [`PACKAGE`].
async fn grant(client: &Client, user: &str) -> Outcome {
    let folder = tempfile::tempdir()?;
    fs::create_dir(folder.path().join("src"))?;
    for (path, text) in PACKAGE {
        fs::write(folder.path().join(path), text)?;
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    program.arg("update").current_dir(folder.path());
    let output = program.output().await?;
    assert!(output.status.success(), "{output:?}");
    let role = fs::read_to_string(folder.path().join("config/rbac/role.yaml"))?;
    let mut role: ClusterRole = serde_saphyr::from_str(&role)?;
    role.metadata.name = Some(user.to_owned());
    let binding: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": { "name": user },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
    }))?;
    let params = PostParams::default();
    Api::all(client.clone()).create(&params, &role).await?;
    Api::all(client.clone()).create(&params, &binding).await?;
    Ok(())
}
