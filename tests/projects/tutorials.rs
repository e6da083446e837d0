//! kubebuilder's tutorials, from an empty folder to a controller on the real API server, with the
//! permissions of its own service account.
//!
//! Nothing routes traffic to Services here, so webhooks are registered by URL.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use e2e::{ControlPlane, eventually};
use serde_json::{Value, json};

use super::written::Written;

/// A project, defined by the commands of its tutorial after `genclient`.
pub struct Tutorial {
    pub name: &'static str,
    pub commands: &'static [&'static str],
    /// The kind, as kubectl accepts it.
    kind: &'static str,
    has_webhooks: bool,
}

pub const TUTORIALS: [Tutorial; 2] = [
    Tutorial {
        name: "guestbook",
        commands: &[
            "init --domain com --project-name guestbook --repo com/guestbook",
            // With what the pages of the book create.
            "create api --group webapp --version v1 --kind Guestbook --ssa",
            "create api --group webapp --version v1 --kind Guestbook --resource=false \
             --controller-name guestbook-archiver",
        ],
        kind: "guestbook",
        has_webhooks: false,
    },
    Tutorial {
        name: "application",
        commands: &[
            "init --domain example.io --project-name application",
            "create api --group apps --version v1alpha1 --kind Application",
            "create webhook --group apps --version v1alpha1 --kind Application \
             --programmatic-validation --defaulting",
        ],
        kind: "application",
        has_webhooks: true,
    },
];

/// Runs the program of a tutorial as in a deployment.
pub async fn run(tutorial: &Tutorial, project: &Written, programs: &Path) {
    let cluster = Cluster {
        plane: ControlPlane::start().await.unwrap(),
        namespace: format!("{}-system", tutorial.name),
    };
    let webhooks = free_address();
    let objects = deployed(project, &webhooks);
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
    cluster
        .kubectl(&["apply", "--server-side", "-f", "-"], &list.to_string())
        .unwrap();

    let account = format!("{}-controller-manager", tutorial.name);
    let kubeconfig = cluster.kubeconfig_of(&account);
    let mut program = Running::start(
        &programs.join(tutorial.name),
        arguments(&objects, &cluster.namespace, &webhooks, &kubeconfig),
    );
    let Tutorial { name, kind, .. } = tutorial;
    let sample = project.folder.join("config/samples");
    let sample = sample.to_str().unwrap();
    // The API server refuses objects until the program serves its webhooks.
    let applied = eventually("the sample", async || {
        cluster.kubectl(&["apply", "-f", sample], "")
    });
    applied.await.unwrap();
    let object = format!("{kind}/{name}-sample");
    cluster
        .kubectl(
            &["wait", "--for=condition=Ready", "--timeout=60s", &object],
            "",
        )
        .unwrap();
    let config_map = format!("configmap/{name}-sample");
    let message = ["get", &config_map, "-o=jsonpath={.data.message}"];
    assert_eq!(cluster.kubectl(&message, "").unwrap(), "hello");
    if tutorial.has_webhooks {
        let annotation = "-o=jsonpath={.metadata.annotations.example\\.io/created-by}";
        let creator = cluster.kubectl(&["get", &object, annotation], "").unwrap();
        assert_ne!(creator, "");
        let eve = [
            "annotate",
            "--overwrite",
            &object,
            "example.io/created-by=eve",
        ];
        let refused = cluster.kubectl(&eve, "").unwrap_err();
        assert!(refused.contains("field is immutable"), "{refused}");
    }
    program.stop();
}

/// The objects of the plain rendering, with URLs instead of Services.
fn deployed(project: &Written, webhooks: &str) -> Vec<Value> {
    let output = project.type_in("render plain --image example.com/program:v1");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    for object in &mut objects {
        let Some(entries) = object.get_mut("webhooks").and_then(Value::as_array_mut) else {
            continue;
        };
        for entry in entries {
            let path = entry["clientConfig"]["service"]["path"].as_str().unwrap();
            entry["clientConfig"] = json!({ "url": format!("https://{webhooks}{path}") });
        }
    }
    objects
}

/// The arguments of the container, with free local addresses.
fn arguments(objects: &[Value], namespace: &str, webhooks: &str, kubeconfig: &Path) -> Vec<String> {
    let deployment = objects
        .iter()
        .find(|it| it["kind"] == "Deployment")
        .unwrap();
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let arguments: Vec<String> = serde_json::from_value(container["args"].clone()).unwrap();
    let local = |argument: String| match argument.split_once("-bind-address=:") {
        Some((flag, _)) => format!("{flag}-bind-address=127.0.0.1:0"),
        // The downward API sets this variable in a Pod.
        None => argument.replace("$(POD_NAMESPACE)", namespace),
    };
    let mut arguments: Vec<_> = arguments.into_iter().map(local).collect();
    arguments.retain(|argument| !argument.starts_with("--webhook-bind-address"));
    arguments.extend([
        format!("--kubeconfig={}", kubeconfig.display()),
        format!("--webhook-bind-address={webhooks}"),
        format!("--webhook-url=https://{webhooks}"),
    ]);
    arguments
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// A control plane, with the namespace of the program.
struct Cluster {
    plane: ControlPlane,
    namespace: String,
}

impl Cluster {
    /// Runs kubectl. Returns its output or its error.
    fn kubectl(&self, arguments: &[&str], stdin: &str) -> Result<String, String> {
        let folder = std::env::var_os("KUBEBUILDER_ASSETS").unwrap();
        let mut kubectl = Command::new(PathBuf::from(folder).join("kubectl"))
            .arg("--kubeconfig")
            .arg(self.plane.kubeconfig())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = kubectl.stdin.take().unwrap();
        input.write_all(stdin.as_bytes()).unwrap();
        drop(input);
        let output = kubectl.wait_with_output().unwrap();
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).unwrap())
        } else {
            Err(String::from_utf8(output.stderr).unwrap())
        }
    }

    /// Writes a kubeconfig equivalent to that of a Pod: with the service account's token and
    /// namespace.
    fn kubeconfig_of(&self, account: &str) -> PathBuf {
        let token = ["create", "token", account, "-n", &self.namespace];
        let token = self.kubectl(&token, "").unwrap();
        let text = fs::read_to_string(self.plane.kubeconfig()).unwrap();
        let mut kubeconfig: Value = serde_saphyr::from_str(&text).unwrap();
        kubeconfig["users"][0]["user"] = json!({ "token": token.trim() });
        kubeconfig["contexts"][0]["context"]["namespace"] = self.namespace.clone().into();
        let path = self.plane.logs().join("account.kubeconfig");
        fs::write(&path, kubeconfig.to_string()).unwrap();
        path
    }
}

/// The running program.
struct Running(Child);

impl Running {
    fn start(program: &Path, arguments: Vec<String>) -> Self {
        Self(Command::new(program).args(arguments).spawn().unwrap())
    }

    /// Stops it as the kubelet does.
    fn stop(&mut self) {
        let id = self.0.id().to_string();
        let kill = Command::new("kill").args(["-TERM", &id]).status();
        assert!(kill.unwrap().success());
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
