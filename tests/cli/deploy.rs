//! Manifests of a deployment, and the commands that give them to other programs. Those are
//! stand-ins that write down how they were called.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::package::{Package, Run};

const TABLE: &str = "[package.metadata.genclient.deploy]\n";

/// A package with the table, and the folder `bin` of stand-ins.
fn deployed() -> Package {
    let package = Package::new();
    let manifest = package.read("Cargo.toml");
    package.write("Cargo.toml", format!("{manifest}\n{TABLE}"));
    package
}

/// Adds a stand-in. It fails with the text of the file `bin/fail`, if there is one.
fn stand_in(package: &Package, name: &str) {
    let script = format!(
        "#!/bin/sh\nbin=$(dirname \"$0\")\necho \"{name} $*\" >> \"$bin/calls\"\n\
         [ \"$1\" = apply ] || [ \"$1\" = delete ] && cat > \"$bin/input\"\n\
         if [ -f \"$bin/fail\" ]; then cat \"$bin/fail\" >&2; exit 1; fi\nexit 0\n"
    );
    let file = format!("bin/{name}");
    package.write(&file, script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(package.path(&file), executable).unwrap();
}

/// Runs the program, which finds the stand-ins.
fn run(package: &Package, arguments: &[&str]) -> Run {
    let bin = package.path("bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    package.run_with("PATH", &path, arguments)
}

#[test]
fn the_table_switches_the_manifests_on_and_off() {
    let package = deployed();
    package.run(&["update"]).expect(0);
    for file in [
        "config/crd/kustomization.yaml",
        "config/default/kustomization.yaml",
        "config/manager/manager.yaml",
        "config/rbac/leader_election_role.yaml",
        "config/rbac/task_viewer_role.yaml",
    ] {
        assert!(package.exists(file), "{file}");
    }
    // There are no webhooks, so that nothing is about certificates.
    for file in ["config/webhook", "config/certmanager", "config/prometheus"] {
        assert!(!package.exists(file), "{file}");
    }
    package.run(&["verify"]).expect(0);
    package.edit("config/manager/manager.yaml", "replicas: 1", "replicas: 2");
    let drift = ["-  replicas: 2\n+  replicas: 1\n"];
    package.run(&["verify"]).expect(1).says(&drift);

    package.write("config/manager/by_hand.yaml", "kind: ConfigMap\n");
    package.edit("Cargo.toml", TABLE, "");
    package.run(&["verify"]).expect(1);
    package.run(&["update"]).expect(0);
    for file in [
        "config/default",
        "config/rbac",
        "config/manager/manager.yaml",
    ] {
        assert!(!package.exists(file), "{file}");
    }
    assert!(package.exists("config/crd/tasks.example.com_tasks.yaml"));
    assert!(package.exists("config/manager/by_hand.yaml"));
}

#[test]
fn stale_roles_of_kinds_are_removed() {
    let package = deployed();
    package.run(&["update", "--only", "deploy"]).expect(0);
    assert!(package.exists("config/rbac/task_admin_role.yaml"));
    assert!(!package.exists("pkg/client"));
    package.edit("pkg/apis/mod.rs", "Task", "Job");
    package.run(&["update", "--only", "crd"]).expect(0);
    assert!(package.exists("config/rbac/task_admin_role.yaml"));
    package.run(&["update", "--only", "deploy"]).expect(0);
    assert!(!package.exists("config/rbac/task_admin_role.yaml"));
    assert!(package.exists("config/rbac/job_admin_role.yaml"));
}

#[test]
fn files_of_others_are_left_alone() {
    let package = deployed();
    package.write("config/manager/manager.yaml", "kind: Deployment\n");
    package.refuses(&["config/manager/manager.yaml", "it is not generated"]);
}

/// Each command, what it runs, a kind that it sends and one that it does not, and what it says
/// last.
const COMMANDS: &[(&[&str], &str, &str, &str, &str)] = &[
    (
        &["install"],
        "kubectl apply --server-side --field-manager=genclient -f -\n",
        "kind: CustomResourceDefinition",
        "kind: Deployment",
        "next: genclient run\n",
    ),
    (
        &["uninstall", "--context", "test"],
        "kubectl --context test delete --ignore-not-found -f -\n",
        "kind: CustomResourceDefinition",
        "kind: Deployment",
        "next: genclient install\n",
    ),
    (
        &[
            "deploy",
            "--image",
            "example.com/tasks:v1",
            "--kubeconfig",
            "k",
        ],
        "kubectl --kubeconfig k apply --server-side --field-manager=genclient -f -\n",
        "image: example.com/tasks:v1",
        "image: controller:latest",
        "next: kubectl rollout status deployment/tasks-controller-manager --namespace tasks-system\n",
    ),
    (
        &["undeploy"],
        "kubectl delete --ignore-not-found -f -\n",
        "kind: Namespace",
        "kind: CustomResourceDefinition",
        "next: genclient uninstall\n",
    ),
];

#[test]
fn kubectl_gets_the_objects_and_the_tree_stays_clean() {
    for (arguments, call, sent, kept, last) in COMMANDS {
        let package = deployed();
        stand_in(&package, "kubectl");
        let done = run(&package, arguments).expect(0);
        assert!(done.stderr.ends_with(last), "{}", done.stderr);
        // Of flags that stand in front, the stand-in reads no input.
        assert_eq!(package.read("bin/calls"), *call);
        assert!(!package.exists("config"));
        let dry = [*arguments, &["--dry-run"]].concat();
        let dry = run(&package, &dry).expect(0);
        assert!(
            dry.stdout.contains(sent) && !dry.stdout.contains(kept),
            "{}",
            dry.stdout
        );
        assert_eq!(package.read("bin/calls"), *call);
        if package.exists("bin/input") {
            assert_eq!(package.read("bin/input"), dry.stdout);
        }
    }
}

#[test]
fn uninstall_warns_of_the_objects() {
    let package = deployed();
    stand_in(&package, "kubectl");
    let said = ["warning: every object of tasks is deleted, too"];
    run(&package, &["uninstall"]).expect(0).says(&said);
}

#[test]
fn failures_of_kubectl_say_what_to_type() {
    let package = deployed();
    package
        .run_with("PATH", "/nowhere", &["install"])
        .expect(2)
        .says(&[
            "error: kubectl is not installed",
            "help: install it (https://kubernetes.io/docs/tasks/tools), or add its folder to PATH",
        ]);
    stand_in(&package, "kubectl");
    for (failure, error, help) in [
        (
            "The connection to the server localhost:8080 was refused",
            "error: no cluster is reachable: The connection",
            "start a cluster, or choose one by `--context` or `--kubeconfig`: `kubectl config get-contexts` lists them",
        ),
        (
            "Error from server (Forbidden): crds is forbidden: User \"a\" cannot patch",
            "error: the cluster refuses it: Error from server",
            "choose one by `--context` or `--kubeconfig` whose user may do this; `kubectl auth whoami` says who you are",
        ),
        (
            "error: Apply failed with 1 conflict: conflict with \"hand\": .spec.replicas",
            "error: another manager owns fields of an object: error: Apply failed",
            "take the fields over by `genclient render plain | kubectl apply --server-side --force-conflicts -f -`",
        ),
        (
            "error: unknown flag: --server-side",
            "error: kubectl failed: error: unknown flag",
            "`--dry-run` prints what kubectl is given",
        ),
    ] {
        package.write("bin/fail", failure);
        run(&package, &["install"]).expect(2).says(&[error, help]);
    }
    for unreachable in [
        "dial tcp 127.0.0.1:6443: connect: connection refused",
        "Unable to connect to the server: dial tcp: lookup test: no such host",
        "dial tcp 10.0.0.1:6443: connect: no route to host",
        "dial tcp 10.0.0.1:6443: i/o timeout",
        "Get \"https://10.0.0.1\": context deadline exceeded",
        "error: invalid configuration: no configuration has been provided",
    ] {
        package.write("bin/fail", unreachable);
        let error = ["error: no cluster is reachable"];
        run(&package, &["deploy"]).expect(2).says(&error);
    }
    package.write("bin/fail", "error: context \"x\" does not exist");
    let other = ["start a cluster, or choose another by `--context` or `--kubeconfig`"];
    run(&package, &["install", "--context", "x"])
        .expect(2)
        .says(&other);
}

#[test]
fn commands_need_the_table() {
    let package = Package::new();
    for arguments in [
        &["install"][..],
        &["run"],
        &["render", "plain"],
        &["image", "build"],
    ] {
        package.run(arguments).expect(2).says(&[
            "error: no package says how it is deployed",
            "help: add the line `[package.metadata.genclient.deploy]` to Cargo.toml",
        ]);
    }
}

#[test]
fn images_are_built_by_the_first_tool_or_a_named_one() {
    let package = deployed();
    let build = ["image", "build", "--image", "tasks:v1"];
    let no_file = [
        "error: there is no Dockerfile beside Cargo.toml",
        "help: write one; `genclient init` does for new projects",
    ];
    run(&package, &build).expect(2).says(&no_file);
    package.write("Dockerfile", "FROM scratch\n");
    package
        .run_with("PATH", "/nowhere", &build)
        .expect(2)
        .says(&[
            "error: docker or podman is not installed",
            "help: install it, or name another program by `--container-tool`",
        ]);
    for tool in ["docker", "nerdctl"] {
        stand_in(&package, tool);
    }
    let next = ["next: genclient image push --image tasks:v1"];
    run(&package, &build).expect(0).says(&next);
    let push = [
        "image",
        "push",
        "--image",
        "tasks:v1",
        "--container-tool",
        "nerdctl",
    ];
    let next = ["next: genclient deploy --image tasks:v1"];
    run(&package, &push).expect(0).says(&next);
    let folder = package.path("").canonicalize().unwrap();
    let folder = folder.display().to_string();
    let folder = folder.trim_end_matches('/');
    let calls = package.read("bin/calls");
    let expected = format!("docker build --tag tasks:v1 {folder}\nnerdctl push tasks:v1\n");
    assert_eq!(calls, expected);
    package.write("bin/fail", "no space left");
    run(&package, &build).expect(2).says(&[
        "error: docker failed: exit status: 1",
        "what it printed above says why",
    ]);
}

#[test]
fn run_is_cargo_run_with_the_flags_of_the_project() {
    let package = deployed();
    package.edit("Cargo.toml", TABLE, &format!("{TABLE}namespaced = true\n"));
    stand_in(&package, "cargo");
    let cargo = package.path("bin/cargo").display().to_string();
    let arguments = ["run", "--kubeconfig", "k", "--", "--verbose"];
    package.run_with("CARGO", &cargo, &arguments).expect(0);
    let calls = package.read("bin/calls");
    let flags = "--package tasks -- --health-probe-bind-address=:8081 --kubeconfig k \
                 --namespace=tasks-system --verbose\n";
    assert!(
        calls.starts_with("cargo run --manifest-path ") && calls.ends_with(flags),
        "{calls}"
    );
    package.write("bin/fail", "no such cluster");
    let failed = ["error: the program failed: exit status: 1"];
    package
        .run_with("CARGO", &cargo, &["run"])
        .expect(2)
        .says(&failed);
}

#[test]
fn one_of_several_deployments_is_chosen() {
    let package = Package::empty();
    package.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for name in ["a", "b"] {
        let manifest = format!("[package]\nname = \"{name}\"\n{TABLE}");
        package.write(&format!("{name}/Cargo.toml"), manifest);
        package.write(&format!("{name}/src/lib.rs"), "pub mod apis;\n");
        let kind = super::package::kind(&format!("{name}.example.com"), "Task", "image");
        package.write(&format!("{name}/src/apis.rs"), kind);
    }
    package.run(&["render", "plain"]).expect(2).says(&[
        "error: several packages have a deployment",
        "help: choose one: `-p a`, `-p b`",
    ]);
    package
        .run(&["render", "plain", "-p", "b"])
        .expect(0)
        .says(&["name: b-system"]);
}

#[test]
fn plain_is_in_the_order_of_installation() {
    let package = deployed();
    let plain = package.run(&["render", "plain"]).expect(0).stdout;
    let kinds = plain.lines().filter_map(|line| line.strip_prefix("kind: "));
    let mut kinds: Vec<_> = kinds.collect();
    kinds.dedup();
    let expected = [
        "Namespace",
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "Role",
        "ClusterRoleBinding",
        "RoleBinding",
        "Service",
        "Deployment",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn packages_without_kinds_have_nothing_to_install() {
    let package = deployed();
    package.write("pkg/apis/mod.rs", "");
    package.write("pkg/webhook.rs", "");
    for command in ["install", "uninstall"] {
        package.run(&[command]).expect(2).says(&[
            "error: `tasks` defines no kinds",
            "help: install its program by `genclient deploy`",
        ]);
    }
}

#[test]
fn renderings_are_written_where_they_are_wanted() {
    let package = deployed();
    let kustomize = ["render", "kustomize", "--output", "base"];
    let next = ["next: kubectl apply --server-side -k base/default"];
    package.run(&kustomize).expect(0).says(&next);
    let next = ["next: helm install tasks dist/chart --namespace tasks-system --create-namespace"];
    package.run(&["render", "helm"]).expect(0).says(&next);
    assert!(package.exists("base/crd/tasks.example.com_tasks.yaml"));
    assert!(package.exists("dist/chart/templates/manager/manager.yaml"));
    assert!(!package.exists("config"));
    // Neither is taken for output of an earlier run.
    let updated = package.run(&["update"]).expect(0);
    assert!(!updated.stderr.contains("warning"), "{}", updated.stderr);
    package
        .run(&["render", "kustomize"])
        .expect(0)
        .says(&["0 written, 0 removed"]);
}

/// A Role grants nothing that is in no namespace.
#[test]
fn rules_of_a_program_of_one_namespace_are_in_a_role_there() {
    let package = deployed();
    package.edit(
        "Cargo.toml",
        TABLE,
        &format!("{TABLE}namespaced = true\nnamespace = \"work\"\n"),
    );
    let scope = "#[crd(scope = \"Cluster\")]\n    pub struct Pool";
    let pool = super::package::kind("tasks.example.com", "Pool", "size");
    let pool = pool.replace("pub struct Pool ", &format!("{scope} "));
    package.write("pkg/apis/pools.rs", pool);
    let apis = package.read("pkg/apis/mod.rs");
    package.write("pkg/apis/mod.rs", format!("pub mod pools;\n{apis}"));
    package.write(
        "pkg/controller.rs",
        "use genclient::rbac;
#[rbac(group = \"tasks.example.com\", resources = [\"pools\", \"tasks\", \"pools/status\"], verbs = [\"get\"])]
#[rbac(urls = [\"/version\"], verbs = [\"get\"])]
#[rbac(group = \"\", resources = [\"secrets\"], namespace = \"vault\", verbs = [\"get\"])]
struct Keep;
",
    );
    package.run(&["update"]).expect(0);
    let roles = package.read("config/rbac/role.yaml");
    let expected = [
        ("ClusterRole", "", "  - pools\n  - pools/status\n"),
        ("Role", "  namespace: vault\n", "  - secrets\n"),
        ("Role", "  namespace: work\n", "  - tasks\n"),
    ];
    let documents: Vec<_> = roles.split("---\n").skip(1).collect();
    assert_eq!(documents.len(), expected.len(), "{roles}");
    for (document, (kind, namespace, resources)) in documents.into_iter().zip(expected) {
        for part in [&format!("kind: {kind}\n"), namespace, resources] {
            assert!(document.contains(part), "{part} is not in:\n{document}");
        }
    }
    let deployment = package.read("config/manager/manager.yaml");
    for part in [
        "--namespace=$(POD_NAMESPACE)",
        "fieldPath: metadata.namespace",
    ] {
        assert!(deployment.contains(part), "{deployment}");
    }
}

/// Compares with a file of `cli/deploy/`, or writes it.
#[track_caller]
fn is_recorded(file: &str, found: &str) {
    let path = format!("{}/cli/deploy/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, found).unwrap();
    } else {
        assert_eq!(fs::read_to_string(path).unwrap(), found, "{file}");
    }
}

/// Every object that there is, as one file and as the templates of a chart.
#[test]
fn every_setting_is_recorded() {
    let package = deployed();
    let settings = "namespaced = true\nreplicas = 2\nprometheus = true\nnetwork-policy = true\n";
    package.edit("Cargo.toml", TABLE, &format!("{TABLE}{settings}"));
    package.write(
        "pkg/webhook.rs",
        "use crate::apis::v1::Task;
use genclient::webhook;

#[webhook]
impl Validator for Quota {
    type Object = Task;
}
",
    );
    let plain = package.run(&["render", "plain"]).expect(0).stdout;
    is_recorded("own_certificates.yaml", &plain);
    package.edit(
        "Cargo.toml",
        TABLE,
        &format!("{TABLE}certificates = \"cert-manager\"\n"),
    );
    let plain = package.run(&["render", "plain"]).expect(0).stdout;
    is_recorded("cert_manager.yaml", &plain);
    package
        .run(&["render", "helm", "--output", "chart"])
        .expect(0);
    let mut chart = String::new();
    for (path, content) in package.files() {
        if let Ok(file) = path.strip_prefix(package.path("chart")) {
            let text = String::from_utf8(content).unwrap();
            writeln!(chart, "-- {} --\n{text}", file.display()).unwrap();
        }
    }
    is_recorded("chart.txt", &chart);
}
