//! Manifests of a deployment: generated files and renderings.

use std::fmt::Write as _;
use std::fs;

use super::package::{DEPENDENCIES, Package};

pub(super) const TABLE: &str = "[package.metadata.genclient.deploy]\n";

/// A package with the `deploy` table.
pub(super) fn deployed() -> Package {
    let package = Package::new();
    let manifest = package.read("Cargo.toml");
    package.write("Cargo.toml", format!("{manifest}\n{TABLE}"));
    package
}

#[test]
fn deploy_table_adds_and_removes_the_manifests() {
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
    // Without webhooks, no file concerns certificates.
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
fn manifests_are_up_to_date_for_each_artefact_alone() {
    let package = deployed();
    package.run(&["update"]).expect(0);
    for artefact in ["crd", "rbac", "webhook", "deploy"] {
        package.run(&["verify", "--only", artefact]).expect(0);
    }
    package.run(&["update", "--only", "crd"]).expect(0);
    assert!(package.exists("config/crd/kustomization.yaml"));
}

#[test]
fn hand_written_manifests_are_not_overwritten() {
    let package = deployed();
    package.write("config/manager/manager.yaml", "kind: Deployment\n");
    package.refuses(&["config/manager/manager.yaml", "it is not generated"]);
}

#[test]
fn commands_require_the_deploy_table() {
    let package = Package::new();
    for arguments in [&["run"][..], &["render", "plain"], &["image", "build"]] {
        package.run(arguments).expect(2).says(&[
            "error: no package has settings for its deployment",
            "help: add the line `[package.metadata.genclient.deploy]` to Cargo.toml",
        ]);
    }
}

#[test]
fn crds_are_installed_as_update_writes_them() {
    let file = "config/crd/tasks.example.com_tasks.yaml";
    for package in [Package::new(), deployed()] {
        package.edit(
            "pkg/apis/mod.rs",
            "pub struct Task {",
            "#[crd(conversion(webhook(service = \"tasks-system/tasks-webhook-service\")))]\n    pub struct Task {",
        );
        package.run(&["update"]).expect(0);
        let written = package.read(file);
        let (_, written) = written.split_once('\n').unwrap();
        for command in ["install", "uninstall"] {
            let dry = package.run(&[command, "--dry-run"]).expect(0);
            assert_eq!(dry.stdout, written);
        }
    }
}

#[test]
fn crds_of_all_selected_packages_are_installed() {
    let package = Package::empty();
    package.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for (name, table) in [("a", ""), ("b", TABLE)] {
        let manifest = format!("[package]\nname = \"{name}\"\n{DEPENDENCIES}{table}");
        package.write(&format!("{name}/Cargo.toml"), manifest);
        package.write(&format!("{name}/src/lib.rs"), "pub mod apis;\n");
        let kind = super::package::kind(&format!("{name}.example.com"), "Task", "image");
        package.write(&format!("{name}/src/apis.rs"), kind);
    }
    package.run(&["install", "--dry-run"]).expect(0).says(&[
        "name: tasks.a.example.com\n",
        "name: tasks.b.example.com\n",
        "next: the same command without --dry-run\n",
    ]);
    let one = package
        .run(&["uninstall", "--dry-run", "-p", "a"])
        .expect(0)
        .stdout;
    assert!(!one.contains("b.example.com"), "{one}");
    package.write("a/src/apis.rs", "#[genclient]\nstruct A;\n");
    package.write("b/src/apis.rs", "#[genclient]\nstruct B;\n");
    let faulty = ["--> a/src/apis.rs:", "--> b/src/apis.rs:"];
    package.run(&["install"]).expect(2).says(&faulty);
    for name in ["a", "b"] {
        let kind = super::package::kind(&format!("{name}.example.com"), "Task", "image")
            .replace("#[genclient]", "#[genclient(skip_crd)]");
        package.write(&format!("{name}/src/apis.rs"), kind);
    }
    let none = ["error: `a`, `b` define no kinds\n"];
    package.run(&["install"]).expect(2).says(&none);
    package.run(&["install", "-p", "a"]).expect(2).says(&[
        "error: `a` defines no kinds\n",
        "help: apply CRDs of other projects with `kubectl apply --server-side -f FILE`\n",
    ]);
}

#[test]
fn one_of_several_deployments_is_chosen() {
    let package = Package::empty();
    package.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for name in ["a", "b"] {
        let manifest = format!("[package]\nname = \"{name}\"\n{DEPENDENCIES}{TABLE}");
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

/// The Pods renew Leases with random names. The loss of one moves objects.
#[test]
fn sharding_sets_the_flag_the_role_and_the_placement() {
    let package = deployed();
    let manifest = package.read("Cargo.toml");
    let setting = "shard-by = \"name\"\nreplicas = 3\n";
    package.write("Cargo.toml", format!("{manifest}{setting}"));
    package.run(&["update"]).expect(0);
    let manager = package.read("config/manager/manager.yaml");
    assert!(manager.contains("- \"--shard-by=name\"\n"), "{manager}");
    assert!(!manager.contains("- \"--leader-elect\"\n"), "{manager}");
    let role = package.read("config/rbac/leader_election_role.yaml");
    let rules = role.split_once("rules:\n").unwrap().1;
    let expected = "- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - create
  - delete
  - get
  - list
  - update
  - watch
";
    assert_eq!(rules, expected);
    let spread = "      topologySpreadConstraints:\n      - labelSelector:\n";
    assert!(manager.contains(spread), "{manager}");
    let budget = package.read("config/manager/pod_disruption_budget.yaml");
    assert!(budget.contains("  maxUnavailable: 1\n"), "{budget}");
    let plain = package.run(&["render", "plain"]).expect(0).stdout;
    assert!(plain.contains("kind: PodDisruptionBudget\n"), "{plain}");
}

#[test]
fn plain_rendering_is_in_installation_order() {
    let package = deployed();
    let plain = package.run(&["render", "plain"]).expect(0).stdout;
    let mut kinds: Vec<_> = plain
        .lines()
        .filter_map(|line| line.strip_prefix("kind: "))
        .collect();
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
fn installing_a_package_without_kinds_is_an_error() {
    let package = deployed();
    package.write("pkg/apis/mod.rs", "");
    package.write("pkg/webhook.rs", "");
    for command in ["install", "uninstall"] {
        package.run(&[command]).expect(2).says(&[
            "error: `tasks` defines no kinds",
            "help: deploy the program with `genclient deploy`",
        ]);
    }
}

#[test]
fn renderings_are_written_to_the_output_folder() {
    let package = deployed();
    let kustomize = ["render", "kustomize", "--output", "base"];
    let next = ["next: kubectl apply --server-side -k base/default"];
    package.run(&kustomize).expect(0).says(&next);
    let next = ["next: helm install tasks dist/chart --namespace tasks-system --create-namespace"];
    package.run(&["render", "helm"]).expect(0).says(&next);
    assert!(package.exists("base/crd/tasks.example.com_tasks.yaml"));
    assert!(package.exists("dist/chart/templates/manager/manager.yaml"));
    assert!(!package.exists("config"));
    // `update` does not mistake the renderings for stale files of an earlier run.
    let updated = package.run(&["update"]).expect(0);
    assert!(!updated.stderr.contains("warning"), "{}", updated.stderr);
    package
        .run(&["render", "kustomize"])
        .expect(0)
        .says(&["0 written, 0 removed"]);
}

/// A Role cannot grant access to cluster-scoped resources.
#[test]
fn namespaced_programs_get_their_rules_in_a_role() {
    let package = deployed();
    package.edit(
        "Cargo.toml",
        TABLE,
        &format!("{TABLE}namespaced = true\nnamespace = \"work\"\n"),
    );
    let scope = "#[crd(scope = \"Cluster\")]\n    pub struct Pool";
    let pool = super::package::kind("tasks.example.com", "Pool", "size")
        .replace("pub struct Pool ", &format!("{scope} "));
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

#[test]
fn role_and_binding_names_are_unique() {
    let package = deployed();
    let with_role = |role: &str| {
        let rule = "group = \"\", resources = [\"pods\"], verbs = [\"get\"]";
        let rules = ["x", "x-role", role].map(|role| format!("#[rbac({rule}, role = \"{role}\")]"));
        let code = format!("use genclient::rbac;\n{}\nstruct Keep;\n", rules.join("\n"));
        package.write("pkg/controller.rs", code);
        package.run(&["render", "plain"])
    };
    let plain = with_role("x-rolebinding").expect(0).stdout;
    let mut names: Vec<_> = plain
        .split("---\n")
        .filter_map(|object| {
            let line = |key: &str| object.lines().find(|line| line.starts_with(key));
            Some((line("kind: ")?, line("  name: ")?))
        })
        .collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "{names:#?}");
    for role in [
        "tasks-leader-election-role",
        "tasks-metrics-reader",
        "tasks-task-viewer-role",
    ] {
        with_role(role).expect(2).says(&[
            &format!("error: duplicate role name `{role}`: the deployment already has this role\n"),
            "--> pkg/controller.rs:4:",
            &format!("help: name another role: `role = \"{role}-2\"`"),
        ]);
    }
}

/// Compares with a file of `cli/deploy/`, or rewrites it.
#[track_caller]
fn is_recorded(file: &str, found: &str) {
    let path = format!("{}/../cli/deploy/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, found).unwrap();
    } else {
        assert_eq!(fs::read_to_string(path).unwrap(), found, "{file}");
    }
}

/// Every possible object, as one file and as chart templates.
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
