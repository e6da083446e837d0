//! `genclient run`: on a cluster, with a local API server, and interrupted by signals. Cargo and
//! the API server are stand-ins; `tests/serve` uses the real ones.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::cluster::executable;
use super::deploy::{TABLE, deployed};
use super::package::{Package, Run};

/// A kubeconfig whose current context exists.
const KUBECONFIG: &str = "current-context: a\ncontexts: [{ name: a }]\n";

#[test]
fn run_is_cargo_run_with_the_flags_of_the_project() {
    let package = deployed();
    package.edit("Cargo.toml", TABLE, &format!("{TABLE}namespaced = true\n"));
    package.write("k", KUBECONFIG);
    let script = "#!/bin/sh\nbin=$(dirname \"$0\")\necho \"cargo $*\" >> \"$bin/calls\"\n\
                  [ ! -f \"$bin/fail-$1\" ]\n";
    executable(&package, "bin/cargo", script);
    let cargo = package.path("bin/cargo").display().to_string();
    let run = |arguments: &[&str]| {
        let arguments = [&["run", "--kubeconfig", "k"], arguments].concat();
        package.run_with("CARGO", &cargo, &arguments)
    };
    run(&["--", "--verbose"]).expect(0);
    let calls = package.read("bin/calls");
    let [build, started] = calls.lines().collect::<Vec<_>>()[..] else {
        panic!("{calls}");
    };
    assert!(build.starts_with("cargo build --manifest-path "), "{build}");
    assert!(build.ends_with(" --package tasks"), "{build}");
    let flags = "--package tasks -- --health-probe-bind-address=:8081 --namespace=tasks-system \
                 --kubeconfig k --verbose";
    assert!(
        started.starts_with("cargo run --manifest-path ") && started.ends_with(flags),
        "{started}"
    );
    package.write("bin/fail-run", "");
    run(&[]).expect(2).says(&[
        "error: the program failed: exit status: 1",
        "help: see its output above; `genclient run --in-process` needs no cluster",
    ]);
    package.write("bin/fail-build", "");
    run(&[]).expect(2).says(&[
        "error: the program was not built: exit status: 1",
        "help: see the output of cargo above",
    ]);
    package
        .run_with("CARGO", "/nowhere/cargo", &["run", "--kubeconfig", "k"])
        .expect(2)
        .says(&[
            "error: cannot run cargo: No such file",
            "help: install it (https://rustup.rs), or add its folder to PATH",
        ]);
}

const ANOTHER: &str = "help: pass another one with `--kubeconfig`, or run the program without a \
                       cluster: `genclient run --in-process`";
const CHOOSE: &str = "help: choose one: `kubectl --kubeconfig contexts config get-contexts` lists \
                      them, `kubectl --kubeconfig contexts config use-context NAME` sets one";
/// The beginning of `CHOOSE`, for any file.
const CHOOSE_PREFIX: &str = "help: choose one: `kubectl --kubeconfig ";
/// A variable without meaning.
const NO_VARIABLE: (&str, &str) = ("A", "");

/// A package whose folder has kubeconfigs.
fn with_kubeconfigs() -> Package {
    let package = with_programs();
    for (file, text) in [
        ("good", KUBECONFIG),
        ("contexts", "contexts: [{ name: a }]\n"),
        ("current", "current-context: a\n"),
        (
            "cluster",
            "current-context: a\ncontexts: [{ name: a, context: { cluster: b } }]\n",
        ),
        ("broken", "users:\n- user: { token: hunter2\n"),
        (".kube/config", KUBECONFIG),
    ] {
        package.write(file, text);
    }
    package
}

/// Runs `genclient run` with an environment variable, in a home folder without a kubeconfig.
fn run_with_variable(package: &Package, variable: (&str, &str), arguments: &[&str]) -> Run {
    let mut command = command(package, &[&["run"], arguments].concat());
    command.env_remove("KUBECONFIG");
    command.env("HOME", package.path("nowhere"));
    command.env(variable.0, variable.1);
    Package::finish(command)
}

/// Building takes minutes, so a kubeconfig that the program cannot use is refused before.
#[test]
fn the_kubeconfig_is_checked_before_the_build() {
    let package = with_kubeconfigs();
    let missing = package.path("missing").display().to_string();
    for (variable, file, error, help) in [
        (
            NO_VARIABLE,
            Some("missing"),
            "cannot read the kubeconfig missing: No such file",
            ANOTHER,
        ),
        (
            NO_VARIABLE,
            Some("broken"),
            "the kubeconfig broken is not YAML: see line ",
            ANOTHER,
        ),
        (
            NO_VARIABLE,
            Some("contexts"),
            "the kubeconfig contexts has no current context",
            CHOOSE,
        ),
        (
            NO_VARIABLE,
            Some("current"),
            "the kubeconfig current has no context `a`",
            CHOOSE_PREFIX,
        ),
        (
            NO_VARIABLE,
            Some("cluster"),
            "the kubeconfig cluster has no cluster `b`, which the context names",
            CHOOSE_PREFIX,
        ),
        (
            ("KUBECONFIG", &*missing),
            None,
            "cannot read the kubeconfig ",
            ANOTHER,
        ),
        (
            NO_VARIABLE,
            None,
            "nowhere/.kube/config: No such file",
            ANOTHER,
        ),
    ] {
        let stated = file.map(|file| ["--kubeconfig", file]);
        let refused = run_with_variable(&package, variable, stated.as_ref().map_or(&[], |it| it))
            .expect(2)
            .says(&["error: ", error, help]);
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
        assert!(!package.exists("bin/calls"), "{error}");
    }
}

#[test]
fn kubeconfigs_are_found_as_by_kubectl() {
    let package = with_kubeconfigs();
    let in_folder = |name: &str| package.path(name).display().to_string();
    // Only both together are complete: they are merged.
    let both = format!("{}:{}", in_folder("current"), in_folder("contexts"));
    for (variable, arguments) in [
        (NO_VARIABLE, &["--kubeconfig", "good"][..]),
        (("KUBECONFIG", &*both), &[]),
        (("HOME", &*in_folder("")), &[]),
        (("KUBERNETES_SERVICE_HOST", "10.0.0.1"), &[]),
        (NO_VARIABLE, &["--", "--master=http://127.0.0.1"]),
    ] {
        run_with_variable(&package, variable, arguments).expect(0);
    }
}

/// A stand-in for the API server. It stores the objects and records how it ends.
const SERVER: &str = r#"#!/bin/sh
bin=$(dirname "$0")
[ "$1" = --version ] && { [ ! -f "$bin/outdated" ]; exit; }
echo "server: $$" >> "$bin/calls"
[ "$1 $3" = "--manifests --kubeconfig" ] || exit 3
[ -f "$bin/fail" ] && exit 1
[ -f "$bin/mute" ] && exec >&-
[ -f "$bin/hang" ] && { trap '' TERM INT; while :; do sleep 0.05; done; }
cp "$2" "$bin/objects.yaml"
printf 'clusters:\n- cluster:\n    server: http://127.0.0.1:7\n' > "$4"
trap 'echo "server ended" >> "$bin/calls"; exit 0' TERM INT
echo "export KUBECONFIG=$4"
while :; do sleep 0.05; done
"#;

/// A stand-in for cargo and the program. It runs until a signal if the file `stay` exists.
const CARGO: &str = r#"#!/bin/sh
bin=$(dirname "$0")
[ "$1" = build ] && { echo "build" >> "$bin/calls"; exit 0; }
trap 'echo "program ended by INT" >> "$bin/calls"; exit 0' INT
trap 'echo "program ended by TERM" >> "$bin/calls"; exit 0' TERM
for flag; do
  [ "$before" = --kubeconfig ] && cp "$flag" "$bin/kubeconfig"
  before=$flag
done
echo "program $*" >> "$bin/calls"
[ -f "$bin/stay" ] || exit 0
# A shell would have it ignore SIGINT.
env --default-signal=INT sh -c 'echo "sleeper: $$" >> "$0/calls"; exec sleep 1000' "$bin" &
while :; do sleep 0.05; done
"#;

fn with_programs() -> Package {
    let package = deployed();
    for (file, script) in [("genclient-apiserver", SERVER), ("cargo", CARGO)] {
        executable(&package, &format!("bin/{file}"), script);
    }
    package.write("bin/current", KUBECONFIG);
    package
}

/// A webhook of the kind, served by the Service of the deployment.
fn webhook(package: &Package) {
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
}

fn in_process(package: &Package) -> Run {
    Package::finish(command(package, &["run", "--in-process"]))
}

fn command(package: &Package, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    let path = format!("{}:/usr/bin:/bin", package.path("bin").display());
    command.args(arguments).current_dir(package.path(""));
    command
        .env("PATH", path)
        .env("CARGO", package.path("bin/cargo"))
        .env("KUBECONFIG", package.path("bin/current"));
    command
}

#[test]
fn the_in_process_api_server_ends_with_the_program() {
    let package = with_programs();
    webhook(&package);
    let said = in_process(&package).expect(0).stderr;
    let kubeconfig = said
        .strip_prefix("next, in another terminal: export KUBECONFIG=")
        .unwrap_or_else(|| panic!("{said}"))
        .trim_end();
    assert!(!fs::exists(kubeconfig).unwrap(), "{kubeconfig}");
    let calls = package.read("bin/calls");
    assert!(calls.starts_with("build\nserver: "), "{calls}");
    assert!(calls.ends_with("server ended\n"), "{calls}");

    // The program uses the service account of the deployment, in its namespace.
    let kubeconfig = package.read("bin/kubeconfig");
    assert_eq!(
        kubeconfig,
        "apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: http://127.0.0.1:7
users:
- name: local
  user:
    as: system:serviceaccount:tasks-system:tasks-controller-manager
contexts:
- name: local
  context:
    cluster: local
    namespace: tasks-system
    user: local
current-context: local
"
    );

    // The API server calls the webhooks at the address that the program listens on.
    let flag = |name: &str| {
        let mut words = calls.split_whitespace();
        let value = words.find_map(|word| word.strip_prefix(name)).unwrap();
        value.to_owned()
    };
    let (address, url) = (flag("--webhook-bind-address="), flag("--webhook-url="));
    assert_eq!(url, format!("https://{address}"));
    assert_eq!(flag("--webhook-secret="), "tasks-webhook-server-cert");
    let objects = package.read("bin/objects.yaml");
    let called = format!("url: {url}/validate-tasks-example-com-v1-task\n");
    assert!(objects.contains(&called), "{objects}");
    let mut kinds: Vec<_> = objects
        .lines()
        .filter_map(|line| line.strip_prefix("kind: "))
        .collect();
    kinds.dedup();
    assert_eq!(
        kinds,
        [
            "Namespace",
            "ServiceAccount",
            "ClusterRole",
            "Role",
            "ClusterRoleBinding",
            "RoleBinding",
            "CustomResourceDefinition",
            "ValidatingWebhookConfiguration",
        ]
    );
}

#[test]
fn explicit_webhook_flags_override_the_defaults() {
    let package = with_programs();
    webhook(&package);
    let run = |arguments: &[&str]| {
        let _ = fs::remove_file(package.path("bin/calls"));
        Package::finish(command(&package, arguments)).expect(0);
        package.read("bin/calls")
    };
    assert!(run(&["run"]).contains(" --webhook-bind-address=0\n"));
    let own = ["run", "--in-process", "--", "--webhook-bind-address=:1"];
    let calls = run(&own);
    assert_eq!(calls.matches("--webhook-").count(), 1, "{calls}");
    let calls = run(&["run", "--in-process", "--", "--leader-elect"]);
    let lease = " --leader-elect-resource-name=tasks-controller-manager ";
    assert!(calls.contains(lease), "{calls}");
}

/// A cluster cannot reach this machine through a Service.
#[test]
fn runs_warn_of_conversions_through_a_service() {
    let package = with_programs();
    let warning = "warning: the API server calls a Service to convert `Task`, and the Service does \
                   not reach the program on this machine: unless the program is also deployed, only \
                   objects in the stored version can be read and written";
    let help = "= help: use `genclient run --in-process` or `genclient deploy`, or a URL in place \
                of the Service: docs/webhooks.md#outside-of-the-cluster";
    let run = |arguments: &[&str]| Package::finish(command(&package, arguments)).expect(0);
    assert!(!run(&["run"]).stderr.contains("calls a Service"));
    let kind = "pub struct Task {";
    let service = "#[crd(conversion(webhook))]\n    pub struct Task {";
    package.edit("pkg/apis/mod.rs", kind, service);
    run(&["run"]).says(&[warning, help]);
    for arguments in [
        &["run", "--in-process"][..],
        &["run", "--", "--webhook-bind-address=:9443"],
    ] {
        let stderr = run(arguments).stderr;
        assert!(!stderr.contains("calls a Service"), "{stderr}");
    }
}

/// A package whose conversion and webhook have URLs of this machine.
fn with_local_urls() -> Package {
    let package = with_programs();
    let conversion = "#[crd(conversion(webhook(url = \"https://127.0.0.1:9443/convert\")))]\n    \
                      pub struct Task {";
    package.edit("pkg/apis/mod.rs", "pub struct Task {", conversion);
    webhook(&package);
    let url = "#[webhook(url = \"https://127.0.0.1:9443/check\")]";
    package.edit("pkg/webhook.rs", "#[webhook]", url);
    package
}

const WEBHOOK_FLAGS: [&str; 4] = [
    "--webhook-bind-address",
    "127.0.0.1:9443",
    "--webhook-url",
    "https://127.0.0.1:9443",
];

/// Outside of a cluster, a program serves webhooks only if its flags ask for that.
#[test]
fn runs_warn_of_local_urls_without_flags() {
    let package = with_local_urls();
    let run = |arguments: &[&str]| Package::finish(command(&package, arguments)).expect(0);
    let selected = ["run", "-p", "tasks", "--kubeconfig", "bin/current"];
    let said = run(&[&selected[..], &["--", "--verbose"]].concat()).says(&[
        "warning: the API server calls webhooks at https://127.0.0.1:9443, and the program serves \
         none without flags for them: requests that need these webhooks fail",
        "help: serve them: `genclient run -p tasks --kubeconfig bin/current -- --verbose \
         --webhook-bind-address 127.0.0.1:9443 --webhook-url https://127.0.0.1:9443`",
    ]);
    assert_eq!(said.stderr.matches("calls webhooks at").count(), 1);
    let warns = |arguments: &[&str]| run(arguments).stderr.contains("calls webhooks at");
    assert!(!warns(&[&["run", "--"][..], &WEBHOOK_FLAGS].concat()));
    assert!(!warns(&["run", "--in-process"]));
    // Another machine may serve the webhooks.
    package.edit("pkg/apis/mod.rs", "127.0.0.1", "converter.example.com");
    package.edit("pkg/webhook.rs", "127.0.0.1", "10.0.0.1");
    assert!(!warns(&["run"]));
}

/// The local API server calls the address that the program gets, and the program may store its
/// certificate.
#[test]
fn local_urls_are_served_in_the_process() {
    let package = with_local_urls();
    let run = |flags: &[&str]| {
        let _ = fs::remove_file(package.path("bin/calls"));
        let arguments = [&["run", "--in-process", "--"], flags].concat();
        Package::finish(command(&package, &arguments)).expect(0);
        (package.read("bin/calls"), package.read("bin/objects.yaml"))
    };
    let (calls, objects) = run(&[]);
    let mut words = calls.split_whitespace();
    let url = words
        .find_map(|word| word.strip_prefix("--webhook-url="))
        .unwrap();
    assert_ne!(url, "https://127.0.0.1:9443");
    for line in [
        &format!("url: {url}/convert\n"),
        &format!("url: {url}/check\n"),
        "  - tasks-webhook-server-cert\n",
        "  - customresourcedefinitions\n",
    ] {
        assert!(objects.contains(line), "{line}{objects}");
    }
    let slash = ["--webhook-url=https://127.0.0.1:9443/"];
    for stated in [&WEBHOOK_FLAGS[..], &slash] {
        let (calls, objects) = run(stated);
        let called = "url: https://127.0.0.1:9443/check\n";
        assert!(objects.contains(called), "{objects}");
        let secret = " --webhook-secret=tasks-webhook-server-cert ";
        assert!(calls.contains(secret), "{calls}");
    }
    let own = [
        "--webhook-url=https://127.0.0.1:9443",
        "--webhook-secret=mine",
    ];
    let (calls, _) = run(&own);
    assert_eq!(calls.matches("--webhook-secret").count(), 1, "{calls}");
    package.edit("pkg/webhook.rs", "127.0.0.1", "10.0.0.1");
    let (_, objects) = run(&[]);
    let elsewhere = "url: https://10.0.0.1:9443/check\n";
    assert!(objects.contains(elsewhere), "{objects}");
}

/// The program has no flag for a context.
#[test]
fn runs_in_another_context_have_help() {
    let package = with_programs();
    for (arguments, help) in [
        (
            &["run", "--context", "b"][..],
            "help: switch to it: `kubectl config use-context b && genclient run`",
        ),
        (
            &["run", "--context", "b", "--kubeconfig", "k"],
            "help: switch to it: `kubectl --kubeconfig k config use-context b && genclient run \
             --kubeconfig k`",
        ),
    ] {
        Package::finish(command(&package, arguments))
            .expect(2)
            .says(&["error: the program runs in the current context only", help]);
    }
    assert!(!package.exists("bin/calls"));
}

/// Building takes minutes, so a missing API server is reported before.
#[test]
fn missing_api_server_program_has_install_help() {
    let package = with_programs();
    fs::remove_file(package.path("bin/genclient-apiserver")).unwrap();
    in_process(&package).expect(2).says(&[
        "error: genclient-apiserver is not installed",
        "help: install it: `cargo install --locked --features cli genclient-apiserver --version 0.1.0`",
    ]);
    // The path of a member may be that of its workspace.
    let manifest = package.read("Cargo.toml");
    for dependencies in [
        "[dev-dependencies]\ngenclient-apiserver = { path = \"../genclient/a b\" }\n",
        "[dev-dependencies]\ngenclient-apiserver.workspace = true\n[workspace.dependencies]\n\
         genclient-apiserver = { path = \"../genclient/a b\" }\n",
    ] {
        package.write("Cargo.toml", format!("{dependencies}{manifest}"));
        in_process(&package).expect(2).says(&[
            "cargo install --locked --features cli --path '",
            "/genclient/a b'`",
        ]);
    }
    package.write("bin/genclient-apiserver", "");
    in_process(&package).expect(2).says(&[
        "error: cannot run genclient-apiserver: Permission denied",
        "help: run `genclient-apiserver --version` to see why",
    ]);
    executable(&package, "bin/genclient-apiserver", SERVER);
    package.write("bin/outdated", "");
    in_process(&package).expect(2).says(&[
        "error: cannot run genclient-apiserver: exit status: 1",
        "help: run `genclient-apiserver --version` to see why",
    ]);
    assert!(!package.exists("bin/calls"));
}

#[test]
fn failures_of_the_api_server_are_errors() {
    let package = with_programs();
    let mut elsewhere = command(&package, &["run", "--in-process"]);
    elsewhere.env("TMPDIR", "/nowhere");
    Package::finish(elsewhere).expect(2).says(&[
        "error: cannot write to a temporary folder: No such file",
        "help: set another one in the environment variable `TMPDIR`",
    ]);
    package.write("bin/fail", "");
    in_process(&package).expect(2).says(&[
        "error: the API server did not start",
        "help: see its output above",
    ]);
    for file in ["bin/fail", "bin/calls"] {
        fs::remove_file(package.path(file)).unwrap();
    }
    // A server that does not start may ignore SIGTERM as well.
    package.write("bin/mute", "");
    package.write("bin/hang", "");
    let start = Instant::now();
    in_process(&package)
        .expect(2)
        .says(&["error: the API server did not start"]);
    assert!(start.elapsed() < Duration::from_secs(30));
    for file in ["bin/mute", "bin/hang", "bin/calls"] {
        fs::remove_file(package.path(file)).unwrap();
    }
    package.write("bin/stay", "");
    let run = Started::new(&package, &["run", "--in-process"]);
    let server = run.wait_for("server: ");
    run.wait_for("sleeper: ");
    signal("-KILL", &server);
    let done = run.end();
    done.expect(2)
        .says(&["error: the API server failed: signal: 9 (SIGKILL)"]);
    let calls = package.read("bin/calls");
    assert!(calls.contains("program ended by TERM\n"), "{calls}");
}

#[test]
fn signals_are_forwarded_to_the_program() {
    for (name, code, arguments, by_server) in [
        ("INT", 130, &["run"][..], ""),
        ("TERM", 143, &["run"], ""),
        ("HUP", 129, &["run"], ""),
        ("INT", 130, &["run", "--in-process"], "server ended\n"),
    ] {
        let package = with_programs();
        package.write("bin/stay", "");
        let run = Started::new(&package, arguments);
        let sleeper = run.wait_for("sleeper: ");
        run.signal(&format!("-{name}"));
        run.end().expect(code);
        let calls = package.read("bin/calls");
        let passed = if name == "INT" { "INT" } else { "TERM" };
        let end = format!("program ended by {passed}\n{by_server}");
        assert!(calls.ends_with(&end), "{calls}");
        // Children of the program receive the signal, too.
        assert!(!is_there(&sleeper));
    }
}

#[test]
fn a_signal_ends_an_api_server_that_starts() {
    let package = with_programs();
    package.write("bin/hang", "");
    let run = Started::new(&package, &["run", "--in-process"]);
    let server = run.wait_for("server: ");
    let start = Instant::now();
    run.signal("-INT");
    run.end().expect(130);
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(!is_there(&server));
    assert!(!package.read("bin/calls").contains("program"));
}

#[test]
fn signals_are_forwarded_to_kubectl() {
    let package = deployed();
    let kubectl = "#!/bin/sh\nbin=$(dirname \"$0\")\n\
                   trap 'echo ended >> \"$bin/calls\"; exit 1' INT\n\
                   echo \"kubectl: $$\" >> \"$bin/calls\"\nwhile :; do sleep 0.05; done\n";
    executable(&package, "bin/kubectl", kubectl);
    let run = Started::new(&package, &["deploy"]);
    run.wait_for("kubectl: ");
    run.signal("-INT");
    run.end().expect(130);
    assert!(package.read("bin/calls").ends_with("ended\n"));
}

/// A running command. Dropping it, as a failing test does, ends it.
pub(super) struct Started<'a> {
    package: &'a Package,
    child: Option<Child>,
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            signal("-TERM", &child.id().to_string());
            let _ = child.wait();
        }
    }
}

impl<'a> Started<'a> {
    pub(super) fn new(package: &'a Package, arguments: &[&str]) -> Self {
        let mut command = command(package, arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        Self {
            package,
            child: Some(child),
        }
    }

    pub(super) fn signal(&self, name: &str) {
        let child = self.child.as_ref().unwrap();
        signal(name, &child.id().to_string());
    }

    /// Waits for a line with this prefix from the stand-ins, and returns the rest of it.
    pub(super) fn wait_for(&self, beginning: &str) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            if self.package.exists("bin/calls") {
                let calls = self.package.read("bin/calls");
                let mut lines = calls
                    .split_inclusive('\n')
                    .filter(|line| line.ends_with('\n'));
                if let Some(rest) = lines.find_map(|line| line.strip_prefix(beginning)) {
                    return rest.trim_end().to_owned();
                }
            }
            assert!(Instant::now() < end, "no line {beginning:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn end(mut self) -> Run {
        let child = self.child.take().unwrap();
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(super) fn signal(signal: &str, pid: &str) {
    let status = Command::new("kill").args([signal, pid]).status();
    assert!(status.unwrap().success());
}

/// True if the process still runs after a grace period.
pub(super) fn is_there(pid: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    let mut is_there = true;
    while is_there && Instant::now() < end {
        let found = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
        let state = String::from_utf8(found.unwrap().stdout).unwrap();
        is_there = !state.is_empty() && !state.starts_with('Z');
        thread::sleep(Duration::from_millis(10));
    }
    is_there
}
