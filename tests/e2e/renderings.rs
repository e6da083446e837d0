//! Tests of the three renderings of a deployment: kubectl and helm create the same objects from the
//! base and the chart as `genclient render plain` prints, with any settings.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::ControlPlane;
use libtest_mimic::Failed;
use serde_json::Value;

use crate::suite::{Outcome, Suite};

/// Settings of a deployment, and the helm values that set the same in the chart of the first row.
const ROWS: &[(&str, &[&str])] = &[
    ("", &[]),
    (
        "certificates = \"cert-manager\"",
        &["certManager.enabled=true"],
    ),
    ("metrics = false", &["metrics.enabled=false"]),
    (
        "metrics = false\ncertificates = \"cert-manager\"\nnetwork-policy = true",
        &[
            "metrics.enabled=false",
            "certManager.enabled=true",
            "networkPolicy.enabled=true",
        ],
    ),
    ("prometheus = true", &["prometheus.enabled=true"]),
    (
        "prometheus = true\ncertificates = \"cert-manager\"",
        &["prometheus.enabled=true", "certManager.enabled=true"],
    ),
    ("network-policy = true", &["networkPolicy.enabled=true"]),
    ("replicas = 3", &["replicas=3"]),
];

/// Common settings of all rows, and whether there are webhooks.
const PACKAGES: &[(&str, bool)] = &[
    ("", true),
    ("", false),
    (
        "namespaced = true\nname = \"gpu\"\nnamespace = \"gpus\"",
        true,
    ),
    ("namespaced = true", false),
];

const APIS: &str = r#"
pub mod v1alpha1 {
    use genclient::prelude::*;

    /// A task, which `{{ .Release.Name }}` does not change.
    #[genclient]
    #[group = "tasks.example.com"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }
}

pub mod v1 {
    use genclient::prelude::*;

    /// A task.
    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage, CONVERSION)]
    pub struct Task {
        pub metadata: ObjectMeta,
    }

    /// A pool of tasks.
    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(scope = "Cluster", annotation("example.com/owner", "team"))]
    pub struct Pool {
        pub metadata: ObjectMeta,
    }
}
"#;

const WEBHOOK: &str = r#"
use crate::apis::v1::Task;
use genclient::webhook;

#[webhook(operations = ["create", "update"])]
impl Validator for Check {
    type Object = Task;
}
"#;

const CONTROLLER: &str = r#"
use crate::apis::v1::{Pool, Task};
use genclient::rbac;

#[rbac(resource = Task, verbs = ["get", "list", "watch"])]
#[rbac(urls = ["/version"], verbs = ["get"])]
#[rbac(group = "", resources = ["secrets"], namespace = "vault", role = "reader", verbs = ["get"])]
impl Reconciler for Keep {}
"#;

pub(crate) fn tests(suite: &mut Suite) {
    suite.shared("renderings::are_the_same_objects", are_the_same_objects);
}

/// Objects by kind, namespace and name.
type Objects = BTreeMap<String, Value>;

async fn are_the_same_objects(_: &ControlPlane) -> Outcome {
    for (common, with_webhooks) in PACKAGES {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let mut first_chart = None;
        for (number, (settings, values)) in ROWS.iter().enumerate() {
            let settings = format!("{common}\n{settings}");
            write(folder, &settings, *with_webhooks)?;
            let plain = objects(&genclient(folder, &["render", "plain"])?)?;
            let namespace = namespace(&plain)?;

            genclient(folder, &["render", "kustomize", "--output", "base"])?;
            let built = run(
                program("kubectl")?.args(["kustomize", "base/default"]),
                folder,
            )?;
            same(&plain, &objects(&built)?, &settings)?;

            let chart = format!("chart-{number}");
            genclient(folder, &["render", "helm", "--output", &chart])?;
            let without = without_namespace(&plain);
            same(&without, &helm(folder, &chart, &namespace, &[])?, &settings)?;
            let first = first_chart.get_or_insert(chart);
            same(
                &without,
                &helm(folder, first, &namespace, values)?,
                &settings,
            )?;
        }
    }
    Ok(())
}

fn write(folder: &Path, settings: &str, with_webhooks: bool) -> Outcome {
    let manifest =
        format!("[package]\nname = \"tasks\"\n[package.metadata.genclient.deploy]\n{settings}\n");
    let conversion = if with_webhooks {
        "conversion(webhook)"
    } else {
        ""
    };
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(
        folder.join("src/lib.rs"),
        "pub mod apis;\npub mod client;\n",
    )?;
    fs::write(
        folder.join("src/apis.rs"),
        APIS.replace("CONVERSION", conversion),
    )?;
    fs::write(folder.join("src/controller.rs"), CONTROLLER)?;
    if with_webhooks {
        fs::write(folder.join("src/webhook.rs"), WEBHOOK)?;
    }
    Ok(())
}

fn genclient(folder: &Path, arguments: &[&str]) -> Result<String, Failed> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    run(program.args(arguments), folder)
}

/// Returns the objects of a chart. Definitions that are kept have an annotation for helm.
fn helm(folder: &Path, chart: &str, namespace: &str, values: &[&str]) -> Result<Objects, Failed> {
    let mut helm = program("helm")?;
    helm.args(["template", "release", chart, "--namespace", namespace]);
    for value in values.iter().chain(&["crd.keep=false"]) {
        helm.args(["--set", value]);
    }
    objects(&run(&mut helm, folder)?)
}

fn run(command: &mut Command, folder: &Path) -> Result<String, Failed> {
    let output = command.current_dir(folder).output()?;
    let said = String::from_utf8(output.stderr)?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(format!("{command:?}: {said}").into())
    }
}

/// Returns a command in the folder of the control plane's programs.
fn program(name: &str) -> Result<Command, Failed> {
    let folder = env::var_os("KUBEBUILDER_ASSETS").ok_or("no KUBEBUILDER_ASSETS")?;
    let program = PathBuf::from(folder).join(name);
    if program.is_file() {
        Ok(Command::new(program))
    } else {
        Err(format!("no {name}: run hack/control-plane.sh").into())
    }
}

fn objects(text: &str) -> Result<Objects, Failed> {
    let documents = serde_saphyr::from_multiple::<Value>(text)?.into_iter();
    let mut objects = Objects::new();
    for document in documents.filter(|it| !it.is_null()) {
        let metadata = &document["metadata"];
        let key = [&document["kind"], &metadata["namespace"], &metadata["name"]];
        let key = key.map(|it| it.as_str().unwrap_or("-")).join(" ");
        assert!(
            objects.insert(key.clone(), document).is_none(),
            "{key} twice"
        );
    }
    assert!(objects.len() > 10, "{text}");
    Ok(objects)
}

fn namespace(objects: &Objects) -> Result<String, Failed> {
    let namespace = objects.values().find(|it| it["kind"] == "Namespace");
    let name = namespace.and_then(|it| it["metadata"]["name"].as_str());
    Ok(name.ok_or("no Namespace")?.to_owned())
}

/// Removes the namespace, which `helm install --create-namespace` creates.
fn without_namespace(objects: &Objects) -> Objects {
    let others = objects.iter().filter(|(_, it)| it["kind"] != "Namespace");
    others.map(|(key, it)| (key.clone(), it.clone())).collect()
}

fn same(expected: &Objects, found: &Objects, settings: &str) -> Outcome {
    let names = |objects: &Objects| objects.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(expected), names(found), "{settings}");
    for (key, object) in expected {
        assert_eq!(*object, found[key], "{settings}: {key}");
    }
    Ok(())
}
