//! `genclient run --in-process` with the real program `genclient-apiserver`. kubectl stands in for
//! cargo and the project's program.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use e2e::suite::{Outcome, Suite};
use tokio::process::Command;
use tokio::time::timeout;

/// The maximum duration of a run.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn tests(suite: &mut Suite) {
    suite.alone("serve::run_in_process", runs);
}

/// Commands with the program's kubeconfig and with the administrator's, each followed by its
/// output.
const TRANSCRIPT: &str = "\
$ kubectl config view --minify --output jsonpath={..namespace}
tasks-system
$ kubectl auth whoami --output jsonpath={.status.userInfo.username}
system:serviceaccount:tasks-system:tasks-controller-manager
$ kubectl get tasks
No resources found in tasks-system namespace.
$ kubectl delete task train
Error from server (Forbidden): tasks.tasks.example.com \"train\" is forbidden: User \
\"system:serviceaccount:tasks-system:tasks-controller-manager\" cannot delete resource \"tasks\" \
in API group \"tasks.example.com\" in the namespace \"tasks-system\"
$ kubectl get secrets --namespace vault
No resources found in vault namespace.
$ kubectl --kubeconfig $ADMIN auth whoami --output jsonpath={.status.userInfo.groups}
[\"system:masters\",\"system:authenticated\"]
$ kubectl --kubeconfig $ADMIN get deployments --all-namespaces
No resources found
$ echo '{apiVersion: tasks.example.com/v1, kind: Task, metadata: {name: a}, spec: {image: b}}' | \
kubectl --kubeconfig $ADMIN create --filename - 2>&1 | cut --delimiter / --fields 1
Error from server (InternalError): error when creating \"STDIN\": Internal error occurred: failed \
calling webhook \"validation.task.tasks.example.com\": failed to call webhook: Post \"https:
";

/// The package: a kind, RBAC rules and a webhook.
const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"tasks\"\n[package.metadata.genclient.deploy]\n",
    ),
    (
        "src/lib.rs",
        "pub mod apis;\npub mod controller;\npub mod webhook;\n",
    ),
    (
        "src/apis.rs",
        "pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = \"tasks.example.com\"]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub image: String,
    }
}
",
    ),
    (
        "src/controller.rs",
        "use genclient::rbac;

#[rbac(group = \"tasks.example.com\", resources = [\"tasks\"], verbs = [\"get\", \"list\"])]
#[rbac(group = \"\", resources = [\"secrets\"], namespace = \"vault\", verbs = [\"list\"])]
struct Keep;
",
    ),
    (
        "src/webhook.rs",
        "use crate::apis::v1::Task;
use genclient::webhook;

#[webhook]
impl Validator for Quota {
    type Object = Task;
}
",
    ),
];

async fn runs() -> Outcome {
    let folder = tempfile::tempdir()?;
    package(folder.path())?;
    let assets = env::var("KUBEBUILDER_ASSETS").map_err(|_| "KUBEBUILDER_ASSETS is not set")?;
    let path = env::var("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    command.args(["run", "--in-process"]);
    command
        .current_dir(folder.path())
        .env("CARGO", folder.path().join("cargo"))
        .env("HOME", folder.path())
        .env(
            "PATH",
            format!("{}:{assets}:{path}", folder.path().display()),
        )
        .kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await??;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8(output.stdout)?, TRANSCRIPT, "{said}");
    Ok(())
}

/// Creates the package and the programs.
fn package(folder: &Path) -> std::io::Result<()> {
    let commands = TRANSCRIPT
        .lines()
        .filter_map(|line| line.strip_prefix("$ "));
    let script: String = commands
        .map(|command| format!("cat <<'END'\n$ {command}\nEND\n{{ {command}; }} 2>&1\necho\n"))
        .collect();
    let flags = "[ \"$1\" = build ] && exit 0\nfor flag; do\n[ \"$before\" = --kubeconfig ] && export KUBECONFIG=$flag\n\
                 before=$flag\ndone\nADMIN=$(dirname \"$KUBECONFIG\")/kubeconfig\n";
    fs::create_dir(folder.join("src"))?;
    for (file, text) in FILES {
        fs::write(folder.join(file), text)?;
    }
    let cargo = folder.join("cargo");
    fs::write(
        &cargo,
        format!("#!/bin/sh\n{flags}({script}) | sed '/^$/d'\n"),
    )?;
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755))?;
    let server = env!("CARGO_BIN_EXE_apiserver-under-test");
    symlink(server, folder.join("genclient-apiserver"))
}
