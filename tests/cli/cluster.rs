//! Commands that pass manifests to kubectl or run containers. The programs are stand-ins, which
//! record their calls.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::deploy::deployed;
use super::package::{Package, Run};

/// Adds a stand-in. It fails with the text of the file `bin/fail`, if that exists, and reports the
/// namespace in `bin/namespace`. It applies and deletes the objects in `bin/there`.
pub(super) fn add_stub(package: &Package, name: &str) {
    let script = format!(
        "#!/bin/sh\nbin=$(dirname \"$0\")\necho \"{name} $*\" >> \"$bin/calls\"\n\
         case \"$*\" in *'-f -') cat > \"$bin/input\";; *'get namespace'*)\n\
         [ -f \"$bin/namespace\" ] && cat \"$bin/namespace\";; esac\n\
         case \"$*\" in *' apply '*|*' delete '*) [ -f \"$bin/there\" ] && cat \"$bin/there\";; esac\n\
         if [ -f \"$bin/fail\" ]; then cat \"$bin/fail\" >&2; exit 1; fi\nexit 0\n"
    );
    executable(package, &format!("bin/{name}"), &script);
}

/// Writes an executable script.
pub(super) fn executable(package: &Package, file: &str, script: &str) {
    package.write(file, script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(package.path(file), executable).unwrap();
}

/// Runs the program with the stand-ins in its search path.
pub(super) fn run(package: &Package, arguments: &[&str]) -> Run {
    let bin = package.path("bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    package.run_with("PATH", &path, arguments)
}

/// Runs the program with a stand-in that is not executable.
fn cannot_run(package: &Package, program: &str, arguments: &[&str]) -> Run {
    let may_not = fs::Permissions::from_mode(0o644);
    let file = package.path("bin").join(program);
    fs::set_permissions(file, may_not).unwrap();
    let bin = package.path("bin").display().to_string();
    package.run_with("PATH", &bin, arguments)
}

/// What kubectl prints about a deleted CRD.
const DELETED: &str =
    "customresourcedefinition.apiextensions.k8s.io \"tasks.tasks.example.com\" deleted\n";

/// Each command, its call of kubectl, a kind that it sends, a kind that it does not send, and its
/// last line.
const COMMANDS: &[(&[&str], &str, &str, &str, &str)] = &[
    (
        &["install"],
        "kubectl --request-timeout=65s apply --server-side --field-manager=genclient -f -\n",
        "kind: CustomResourceDefinition",
        "kind: Deployment",
        "next: genclient run",
    ),
    (
        &["install", "--context", "test", "--kubeconfig", "k"],
        "kubectl --context test --kubeconfig k --request-timeout=65s apply --server-side --field-manager=genclient -f -\n",
        "kind: CustomResourceDefinition",
        "kind: Deployment",
        "next: kubectl --kubeconfig k config use-context test && genclient run --kubeconfig k",
    ),
    (
        &["uninstall", "--context", "test"],
        "kubectl --context test --request-timeout=65s delete --ignore-not-found --wait=false -f -\n\
         kubectl --context test --request-timeout=65s get --ignore-not-found -o json -f -\n",
        "kind: CustomResourceDefinition",
        "kind: Deployment",
        "warning: every object of tasks.tasks.example.com is deleted as well",
    ),
    (
        &[
            "deploy",
            "--image",
            "example.com/tasks:v1",
            "--kubeconfig",
            "k",
        ],
        "kubectl --kubeconfig k --request-timeout=65s get namespace tasks-system --ignore-not-found -o \
         jsonpath={.metadata.name}:{.metadata.labels.app\\.kubernetes\\.io/name}\n\
         kubectl --kubeconfig k --request-timeout=65s apply --server-side --field-manager=genclient -f -\n",
        "image: example.com/tasks:v1",
        "image: controller:latest",
        "next: kubectl --kubeconfig k rollout status deployment/tasks-controller-manager --namespace tasks-system",
    ),
    (
        &["undeploy"],
        "kubectl --request-timeout=65s get namespace tasks-system --ignore-not-found -o \
         jsonpath={.metadata.name}:{.metadata.labels.app\\.kubernetes\\.io/name}\n\
         kubectl --request-timeout=65s delete --ignore-not-found --wait=false -f -\n\
         kubectl --request-timeout=65s get --ignore-not-found -o json -f -\n",
        "kind: Namespace",
        "kind: CustomResourceDefinition",
        "",
    ),
];

#[test]
fn objects_are_piped_to_kubectl_without_writing_files() {
    for (arguments, call, sent, kept, last) in COMMANDS {
        let package = deployed();
        package.write("src/main.rs", "fn main() {}\n");
        add_stub(&package, "kubectl");
        package.write("bin/there", DELETED);
        let done = run(&package, arguments).expect(0);
        let line = done.stderr.trim_end().lines().last().unwrap_or_default();
        assert!(line.starts_with(last), "{}", done.stderr);
        let all = package.read("bin/calls");
        let (checks, calls): (Vec<_>, Vec<_>) = all.split_inclusive('\n').partition(|it| {
            it.contains(" config view --minify") || it.contains(" get --raw /version")
        });
        assert_eq!(calls.concat(), *call);
        assert_eq!(checks.len(), 2, "{all}");
        assert!(all.starts_with(&checks.concat()), "{all}");
        assert!(!package.exists("config"));
        let dry = [*arguments, &["--dry-run"]].concat();
        let dry = run(&package, &dry).expect(0);
        assert!(
            dry.stdout.contains(sent) && !dry.stdout.contains(kept),
            "{}",
            dry.stdout
        );
        assert!(!dry.stderr.contains("warning"), "{}", dry.stderr);
        assert_eq!(package.read("bin/calls"), all);
        assert_eq!(package.read("bin/input"), dry.stdout);
    }
}

/// `genclient run` needs a program and the settings of its deployment.
#[test]
fn install_suggests_run_only_where_it_works() {
    for (package, main, suggests) in [
        (deployed(), true, true),
        (deployed(), false, false),
        (Package::new(), true, false),
    ] {
        if main {
            package.write("src/main.rs", "fn main() {}\n");
        }
        add_stub(&package, "kubectl");
        let done = run(&package, &["install"]).expect(0);
        assert_eq!(done.stderr.contains("next: "), suggests, "{}", done.stderr);
    }
}

/// A foreign namespace contains unrelated Pods and permissions.
#[test]
fn foreign_namespaces_are_neither_changed_nor_deleted() {
    for (found, is_foreign) in [
        ("", false),
        ("tasks-system:tasks", false),
        ("tasks-system:", true),
        ("tasks-system:shops", true),
    ] {
        for command in ["deploy", "undeploy"] {
            let package = deployed();
            add_stub(&package, "kubectl");
            package.write("bin/namespace", found);
            let done = run(&package, &[command]).expect(0);
            let note = "the namespace tasks-system is left unchanged: it does not belong to this deployment\n";
            assert_eq!(done.stderr.contains(note), is_foreign, "{found}");
            let sent = package.read("bin/input");
            assert_eq!(!sent.contains("kind: Namespace\n"), is_foreign, "{found}");
        }
    }
}

#[test]
fn field_conflicts_suggest_force_conflicts() {
    let package = deployed();
    add_stub(&package, "kubectl");
    let conflict = "error: Apply failed with 1 conflict: conflict with \"hand\": .spec.replicas";
    for (arguments, help) in [
        (
            &["install"][..],
            "help: take over the fields: `genclient install --force-conflicts`",
        ),
        (
            &["deploy", "--context", "a b", "-p", "tasks"],
            "help: take over the fields: `genclient deploy --image controller:latest -p tasks \
             --context 'a b' --force-conflicts`",
        ),
    ] {
        package.write("bin/fail", conflict);
        run(&package, arguments).expect(2).says(&[
            "error: another field manager owns fields of an object: error: Apply failed",
            help,
        ]);
        fs::remove_file(package.path("bin/fail")).unwrap();
        let forced = [arguments, &["--force-conflicts"]].concat();
        run(&package, &forced).expect(0);
        let calls = package.read("bin/calls");
        let last = calls.lines().last().unwrap();
        let call = " apply --server-side --force-conflicts --field-manager=genclient -f -";
        assert!(last.ends_with(call), "{last}");
    }
}

#[test]
fn deploy_reports_the_default_image() {
    let package = deployed();
    add_stub(&package, "kubectl");
    let said = ["using the image controller:latest: pass `--image IMAGE` for another one\n"];
    run(&package, &["deploy"]).expect(0).says(&said);
}

#[test]
fn uninstall_warns_that_objects_are_deleted() {
    let package = deployed();
    add_stub(&package, "kubectl");
    let warning = "warning: every object of tasks.tasks.example.com is deleted as well";
    let nothing = "nothing to remove: the cluster has none of these objects";
    for command in ["uninstall", "undeploy"] {
        let none = run(&package, &[command]).expect(0);
        assert_eq!(none.stderr, format!("{nothing}\n"));
    }
    package.write("bin/there", DELETED);
    let done = run(&package, &["uninstall"]).expect(0).says(&[warning]);
    assert_eq!(done.stdout, DELETED);
    assert!(!done.stderr.contains(nothing), "{}", done.stderr);
    package.write("bin/fail", "error: You must be logged in to the server");
    let failed = run(&package, &["uninstall"]).expect(2);
    assert!(!failed.stderr.contains(warning), "{}", failed.stderr);
}

#[test]
fn quiet_commands_do_not_list_objects() {
    let package = deployed();
    add_stub(&package, "kubectl");
    package.write("bin/there", DELETED);
    for command in ["install", "uninstall", "deploy", "undeploy"] {
        let done = run(&package, &[command]).expect(0);
        assert_eq!(done.stdout, DELETED, "{command}");
        let quiet = run(&package, &[command, "--quiet"]).expect(0);
        assert_eq!((&*quiet.stdout, &*quiet.stderr), ("", ""), "{command}");
    }
}

/// A stand-in for kubectl that shows the objects of `bin/left` the first three times.
const SLOW_KUBECTL: &str = r#"#!/bin/sh
bin=$(dirname "$0")
cat > /dev/null
case "$*" in
*' delete '*) echo deleted ;;
*' -o json '*)
    echo look >> "$bin/looks"
    [ "$(wc -l < "$bin/looks")" -gt 3 ] && [ ! -f "$bin/stuck" ] || cat "$bin/left" ;;
esac
"#;

/// One object has a finalizer, one was created again after the deletion, one has no finalizers.
const LEFT: &str = r#"{"kind": "List", "items": [
  {"kind": "Namespace", "metadata": {"name": "tasks-system", "deletionTimestamp": "2026-01-01T00:00:00Z"},
   "spec": {"finalizers": ["kubernetes"]},
   "status": {"conditions": [
     {"type": "NamespaceContentRemaining", "status": "True", "message": "pods. has 1 resource instances"},
     {"type": "NamespaceDeletionContentFailure", "status": "False", "message": "deleted"}]}},
  {"kind": "ServiceAccount", "metadata": {"name": "again", "namespace": "tasks-system"}},
  {"kind": "Role", "metadata": {"name": "a", "namespace": "b", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
]}"#;

#[test]
fn deletions_wait_until_the_objects_are_gone() {
    let package = deployed();
    executable(&package, "bin/kubectl", SLOW_KUBECTL);
    let left = "Namespace tasks-system (finalizers: kubernetes): pods. has 1 resource instances, \
                Role b/a";
    package.write("bin/left", LEFT);
    let waiting = format!("waiting until these are gone: {left}\n");
    let done = run(&package, &["undeploy"]).expect(0);
    assert_eq!(done.stderr, waiting);
    assert_eq!(package.read("bin/looks"), "look\n".repeat(4));

    // A single object is not in a list.
    let single = r#"{"kind": "CustomResourceDefinition", "metadata": {"name": "tasks.example.com",
        "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.example.com/b"]}}"#;
    package.write("bin/left", single);
    package.write("bin/stuck", "");
    run(&package, &["uninstall", "--timeout=3s"])
        .expect(2)
        .says(&[
            "waiting until these are gone: CustomResourceDefinition tasks.example.com (finalizers: a.example.com/b)\n",
            "error: these are not gone after 3s: CustomResourceDefinition tasks.example.com (finalizers: ",
            "help: a finalizer stays until the program that added it runs and removes it; wait longer \
             with `--timeout=6s`, or not at all with `--wait=false`",
        ]);
    fs::remove_file(package.path("bin/looks")).unwrap();
    run(&package, &["uninstall", "--wait=false"]).expect(0);
    assert!(!package.exists("bin/looks"));
    run(&package, &["undeploy", "--timeout=-1s"])
        .expect(2)
        .says(&["must not be negative"]);
}

/// What kubectl says, the error of `genclient install`, and its help.
const FAILURES: &[(&str, &str, &str)] = &[
    (
        "The connection to the server localhost:8080 was refused",
        "error: cannot reach a cluster: The connection",
        "start a cluster, or choose one with `--context` or `--kubeconfig`: `kubectl config get-contexts` lists them",
    ),
    (
        "E1125 10:00:00.1 7 memcache.go:265] couldn't get current server API group list\n\
             The connection to the server localhost:8080 was refused",
        "error: cannot reach a cluster: The connection",
        "start a cluster, or choose one with",
    ),
    (
        "Error from server (Forbidden): crds is forbidden: User \"a\" cannot patch",
        "error: the cluster denies access: Error from server",
        "choose one with `--context` or `--kubeconfig` whose user has the permission; `kubectl auth whoami` shows the current user",
    ),
    (
        "error: error validating \"STDIN\": error validating data: failed to download openapi: \
             the server has asked for the client to provide credentials; if you choose to ignore \
             these errors, turn validation off with --validate=false",
        "openapi: the server has asked for the client to provide credentials\n",
        "renew the credentials, or choose one with `--context` or `--kubeconfig`: `kubectl config view --minify` shows the user",
    ),
    (
        "error: You must be logged in to the server (Unauthorized)",
        "error: the cluster does not accept the credentials: error: You must",
        "renew the credentials, or choose one with",
    ),
    (
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate \
             signed by unknown authority",
        "error: the certificate of the API server is not trusted: Unable to connect",
        "if the cluster was created again, export its kubeconfig again, or choose one with \
             `--context` or `--kubeconfig`: `kubectl config view --minify` shows the cluster",
    ),
    (
        "Unable to connect to the server: getting credentials: exec: executable get-token not found",
        "error: no credentials for the cluster: Unable to connect",
        "install or fix the credential plugin, or choose one with `--context` or `--kubeconfig`: \
             `kubectl config view --minify` shows the user",
    ),
    (
        "error: error loading config file \"k\": yaml: line 1: did not find expected node content",
        "error: the kubeconfig is not valid: error: error loading config file \"k\"",
        "fix it, or choose another one with `--kubeconfig`",
    ),
    (
        "error: unable to read certificate-authority /ca.crt for a due to open /ca.crt: no such file",
        "error: the kubeconfig is not valid: error: unable to read",
        "fix it, or choose another one with `--kubeconfig`",
    ),
    (
        "error: unable to load root certificates: unable to parse bytes as PEM block",
        "error: the kubeconfig is not valid: error: unable to load",
        "fix it, or choose another one with `--kubeconfig`",
    ),
    (
        "Error in configuration: \n* unable to read client-cert /c.crt for admin",
        "error: the kubeconfig is not valid: Error in configuration",
        "fix it, or choose another one with `--kubeconfig`",
    ),
    (
        "Error from server (InternalError): failed calling webhook \"a\": x509: certificate \
             signed by unknown authority",
        "error: the cluster refuses an object: Error from server",
        "print the input of kubectl: `genclient install --dry-run`",
    ),
    (
        "Error from server (InternalError): failed calling webhook \"a\": connection refused",
        "error: the cluster refuses an object: Error from server",
        "print the input of kubectl: `genclient install --dry-run`",
    ),
    (
        "The CustomResourceDefinition \"tasks.tasks.example.com\" is invalid: status.storedVersions[0]: \
             Invalid value: \"v1\": missing from spec.versions",
        "error: the cluster refuses a CRD: The CustomResourceDefinition",
        "objects may be stored in a version that it lacks: `genclient migrate \
             tasks.tasks.example.com`, then run the same command again",
    ),
    (
        "The CustomResourceDefinition \"tasks.tasks.example.com\" is invalid: \n\
             * spec.conversion.strategy: Required value\n\
             * spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is \
             not set to Webhook",
        "error: the cluster refuses a CRD: The CustomResourceDefinition",
        "another field manager, such as the program, owns a part of the conversion: `kubectl patch crd \
             tasks.tasks.example.com --type merge -p '{\"spec\":{\"conversion\":{\"strategy\":\"None\",\"webhook\":null}}}'`, then run the same \
             command again",
    ),
    (
        "The CustomResourceDefinition \"tasks.tasks.example.com\" is invalid: spec.scope: Forbidden: no",
        "error: the cluster refuses a CRD: The CustomResourceDefinition",
        "print the input of kubectl: `genclient install --dry-run`",
    ),
    (
        "error: unknown flag: --server-side",
        "error: kubectl failed: error: unknown flag",
        "print the input of kubectl: `genclient install --dry-run`",
    ),
];

#[test]
fn kubectl_failures_come_with_help() {
    let package = deployed();
    package
        .run_with("PATH", "/nowhere", &["install"])
        .expect(2)
        .says(&[
            "error: kubectl is not installed",
            "help: install it (https://kubernetes.io/docs/tasks/tools), or add its folder to PATH",
        ]);
    add_stub(&package, "kubectl");
    for (failure, error, help) in FAILURES {
        package.write("bin/fail", failure);
        run(&package, &["install"]).expect(2).says(&[error, help]);
    }
}

/// Without a context, kubectl would call http://localhost:8080. The messages are those of kubectl
/// 1.36.
#[test]
fn kubeconfigs_are_checked_before_the_cluster() {
    let package = deployed();
    add_stub(&package, "kubectl");
    package.write("k", "contexts: []\n");
    let choose = "help: choose one with `--context NAME`: `kubectl --kubeconfig k config \
                  get-contexts` lists them";
    let no_context = "error: current-context must exist in order to minify";
    for (said, error) in [
        (no_context, "error: the kubeconfig k has no current context"),
        (
            "error: cannot locate context nope",
            "error: the kubeconfig k has no context `nope`",
        ),
        (
            "error: cannot locate user ghost",
            "error: the kubeconfig k has no user `ghost`, which the context names",
        ),
        (
            "error: cannot locate cluster ghost",
            "error: the kubeconfig k has no cluster `ghost`, which the context names",
        ),
    ] {
        package.write("bin/fail", said);
        for command in ["install", "uninstall", "deploy", "undeploy", "migrate"] {
            let refused = run(&package, &[command, "--kubeconfig", "k"]).expect(2);
            refused.says(&[error, choose]);
        }
    }
    let calls = package.read("bin/calls");
    assert!(
        calls
            .lines()
            .all(|call| call.ends_with(" config view --minify"))
    );
    package.write("bin/fail", no_context);
    let missing = ["install", "--kubeconfig", "missing"];
    run(&package, &missing).expect(2).says(&[
        "error: cannot read the kubeconfig missing: No such file",
        "help: start a cluster, or choose a kubeconfig with `--kubeconfig`",
    ]);
}

/// In a Pod, kubectl uses the service account.
#[test]
fn pods_need_no_kubeconfig() {
    let package = deployed();
    let no_context = "error: current-context must exist in order to minify";
    executable(
        &package,
        "bin/kubectl",
        &format!("#!/bin/sh\ncase \"$*\" in *view*) echo '{no_context}' >&2; exit 1;; esac\n"),
    );
    let mut in_pod = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    in_pod.arg("install").current_dir(package.path(""));
    let path = format!("{}:/usr/bin:/bin", package.path("bin").display());
    in_pod.env("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    in_pod.env("PATH", path);
    Package::finish(in_pod).expect(0);
}

/// kubectl asks for a user name on stdout, and reads it from stdin.
#[test]
fn users_without_credentials_are_not_prompted() {
    let package = deployed();
    let prompt = "#!/bin/sh\ncase \"$*\" in *version) printf 'Please enter Username: '; \
                  echo 'error: EOF' >&2; exit 1;; esac\n";
    executable(&package, "bin/kubectl", prompt);
    let asked = run(&package, &["install", "--context", "a"]).expect(2);
    assert_eq!(asked.stdout, "");
    asked.says(&[
        "error: the kubeconfig has no credentials for the user",
        "help: add a token or a client certificate to the user, or choose another one with \
         `--context` or `--kubeconfig`: `kubectl --context a config view --minify` shows the user",
    ]);
}

/// kubectl takes an empty context for the current one, which may be another cluster.
#[test]
fn empty_contexts_are_refused() {
    let package = deployed();
    for command in [
        "install",
        "uninstall",
        "deploy",
        "undeploy",
        "run",
        "migrate",
    ] {
        let value = ["a value is required for '--context <NAME>'"];
        package
            .run(&[command, "--context", ""])
            .expect(2)
            .says(&value);
    }
}

/// A user may install CRDs, but not read the version of the API server.
#[test]
fn answers_to_the_check_are_ignored() {
    let package = deployed();
    let forbidden = "#!/bin/sh\ncase \"$*\" in *version) echo 'Error from server (Forbidden): forbidden' \
                     >&2; exit 1;; esac\n";
    executable(&package, "bin/kubectl", forbidden);
    run(&package, &["install"]).expect(0);
}

#[test]
fn unreachable_clusters_are_recognized() {
    let package = deployed();
    add_stub(&package, "kubectl");
    for unreachable in [
        "dial tcp 127.0.0.1:6443: connect: connection refused",
        "Unable to connect to the server: dial tcp: lookup test: no such host",
        "dial tcp 10.0.0.1:6443: connect: no route to host",
        "dial tcp 10.0.0.1:6443: i/o timeout",
        "Get \"https://10.0.0.1\": net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
        "Get \"https://10.0.0.1\": context deadline exceeded",
        "error: invalid configuration: no configuration has been provided",
        "Unable to connect to the server: net/http: TLS handshake timeout",
        "error: failed to download openapi: Get \"https://10.0.0.1\": net/http: TLS handshake timeout",
        "dial tcp 10.0.0.1:6443: connect: network is unreachable",
        "read tcp 10.0.0.1:6443: read: connection reset by peer",
        "http: server gave HTTP response to HTTPS client",
    ] {
        package.write("bin/fail", unreachable);
        let error = ["error: cannot reach a cluster"];
        run(&package, &["deploy"]).expect(2).says(&error);
    }
    let denied = cannot_run(&package, "kubectl", &["install"]);
    denied.expect(2).says(&[
        "error: cannot run kubectl: Permission denied",
        "help: run `kubectl version` to see why",
    ]);
    add_stub(&package, "kubectl");
    package.write("bin/fail", "Unable to connect to the server: EOF");
    let other = [
        "start a cluster, or choose another one with `--context` or `--kubeconfig`: `kubectl \
         --kubeconfig k config get-contexts` lists them",
    ];
    let elsewhere = ["install", "--context", "x", "--kubeconfig", "k"];
    run(&package, &elsewhere).expect(2).says(&other);
    package.write(
        "bin/fail",
        "Error from server (Forbidden): nothing is allowed",
    );
    let who = [
        "choose another",
        "`kubectl --context x auth whoami` shows the current user",
    ];
    run(&package, &["undeploy", "--context", "x"])
        .expect(2)
        .says(&who);
}

#[test]
fn images_are_built_with_the_first_or_the_named_tool() {
    let package = deployed();
    let build = ["image", "build", "--image", "tasks:v1"];
    let no_file = [
        "error: no Dockerfile beside Cargo.toml",
        "help: write one; `genclient init` writes one for new projects",
    ];
    run(&package, &build).expect(2).says(&no_file);
    package.write("Dockerfile", "FROM scratch\n");
    package
        .run_with("PATH", "/nowhere", &build)
        .expect(2)
        .says(&[
            "error: neither docker nor podman is installed",
            "help: install it, or choose another tool with `--container-tool`",
        ]);
    executable(&package, "only/podman", "#!/bin/sh\necho \"podman $*\"\n");
    let only = package.path("only").display().to_string();
    let podman = package.run_with("PATH", &only, &build).expect(0);
    assert!(podman.stdout.starts_with("podman build --tag tasks:v1 "));
    for tool in ["docker", "nerdctl"] {
        add_stub(&package, tool);
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
    let calls = package.read("bin/calls");
    let expected = format!(
        "docker build --tag tasks:v1 {}\nnerdctl push tasks:v1\n",
        folder.display()
    );
    assert_eq!(calls, expected);
    package.write("bin/fail", "no space left");
    run(&package, &build).expect(2).says(&[
        "error: docker failed: exit status: 1",
        "see its output above",
    ]);
    let denied = cannot_run(&package, "docker", &build);
    denied.expect(2).says(&[
        "error: cannot run docker: Permission denied",
        "help: run `docker version` to see why",
    ]);
}
