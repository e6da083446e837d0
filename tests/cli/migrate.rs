//! `genclient migrate`. kubectl is a stand-in, and the API server behind its proxy answers from a
//! table.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::cluster::{executable, run};
use super::package::{Package, Run};

/// Answers by the begin of `METHOD PATH`; the first one counts.
type Answers = Vec<(&'static str, u16, Value)>;

/// kubectl whose `proxy` serves on a socket, once the test listens there.
const KUBECTL: &str = r#"#!/bin/sh
bin=$(dirname "$0")
echo "kubectl $*" >> "$bin/calls"
for argument in "$@"; do
    case "$argument" in
    --unix-socket=*)
        echo "${argument#--unix-socket=}" > "$bin/socket.new"
        mv "$bin/socket.new" "$bin/socket"
        while [ ! -f "$bin/ready" ]; do sleep 0.02; done
        echo "Starting to serve on a socket"
        exec sleep 600 ;;
    esac
done
"#;

/// The answers about a kind with two objects in the old version.
fn answers() -> Answers {
    let item = |name: &str| json!({"metadata": {"namespace": "default", "name": name, "uid": name, "resourceVersion": "1"}});
    vec![
        (
            "POST /apis/authorization.k8s.io",
            201,
            json!({"status": {"allowed": true}}),
        ),
        ("PATCH /apis/apiextensions.k8s.io", 200, json!({})),
        ("GET /apis/apiextensions.k8s.io", 200, definition()),
        (
            "GET /apis/tasks.example.com/v1/tasks",
            200,
            json!({"metadata": {}, "items": [item("a"), item("b")]}),
        ),
        (
            "GET /apis/tasks.example.com/v1",
            200,
            json!({"resources": [{"name": "tasks"}]}),
        ),
        (
            "PATCH /apis/tasks.example.com/v1",
            200,
            json!({"metadata": {"resourceVersion": "2"}}),
        ),
    ]
}

fn definition() -> Value {
    let condition = |name: &str| json!({"type": name, "status": "True"});
    json!({
        "metadata": {
            "name": "tasks.tasks.example.com", "generation": 1,
            "managedFields": [
                {"time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:spec": {"f:versions": {}}}},
            ],
        },
        "spec": {
            "group": "tasks.example.com", "scope": "Namespaced",
            "names": {"plural": "tasks", "kind": "Task"},
            "versions": [
                {"name": "v1", "served": true, "storage": true},
                {"name": "v1beta1", "served": true, "storage": false},
            ],
        },
        "status": {
            "storedVersions": ["v1beta1", "v1"],
            "conditions": [condition("NamesAccepted"), condition("Established")],
        },
    })
}

/// The definition with another value at a pointer.
fn definition_with(pointer: &str, value: Value) -> Value {
    let mut definition = definition();
    *definition.pointer_mut(pointer).unwrap() = value;
    definition
}

fn message(text: &str) -> Value {
    json!({ "message": text })
}

/// Runs the program with these answers before those of [`answers`].
fn migrate(changed: Answers, arguments: &[&str]) -> Run {
    migrate_in(&Package::new(), changed, arguments)
}

fn migrate_in(package: &Package, changed: Answers, arguments: &[&str]) -> Run {
    migrate_by(KUBECTL, package, changed, arguments)
}

/// Runs the program with a stand-in for kubectl.
fn migrate_by(kubectl: &str, package: &Package, mut changed: Answers, arguments: &[&str]) -> Run {
    executable(package, "bin/kubectl", kubectl);
    changed.extend(answers());
    let bin = package.path("bin");
    thread::spawn(move || serve(bin, changed));
    run(package, &[&["migrate"], arguments].concat())
}

/// Serves the socket that the stand-in names.
fn serve(bin: PathBuf, answers: Answers) {
    while !bin.join("socket").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let socket = fs::read_to_string(bin.join("socket")).unwrap();
    let listener = UnixListener::bind(socket.trim()).unwrap();
    fs::write(bin.join("ready"), "").unwrap();
    for connection in listener.incoming() {
        let answers = answers.clone();
        thread::spawn(move || answer_all(connection.unwrap(), &answers));
    }
}

/// Answers the requests of a connection.
fn answer_all(connection: UnixStream, answers: &Answers) {
    let mut reader = BufReader::new(connection);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            match line.trim() {
                "" => break,
                line => head.push(line.to_owned()),
            }
        }
        let length = head
            .iter()
            .find_map(|line| line.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        let (_, code, answer) = answers
            .iter()
            .find(|(begin, ..)| head[0].starts_with(begin))
            .unwrap();
        let text = answer.to_string();
        let response = format!(
            "HTTP/1.1 {code} X\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        reader.get_mut().write_all(response.as_bytes()).unwrap();
    }
}

/// Arguments, the answers that differ, the exit status, stdout and stderr.
type Case = (
    &'static [&'static str],
    Answers,
    i32,
    &'static str,
    &'static str,
);

const PATCH_A: &str = "PATCH /apis/tasks.example.com/v1/namespaces/default/tasks/a?";
const PATCH_ALL: &str = "PATCH /apis/tasks.example.com";
const DEFINITION: &str = "GET /apis/apiextensions.k8s.io";
const LIST: &str = "GET /apis/tasks.example.com/v1/tasks";

/// The messages without the margin of their help.
fn without_margins(stderr: &str) -> String {
    stderr
        .replace("\n |\n = help: ", "\nhelp: ")
        .replace("\n\n", "\n")
}

fn check(cases: Vec<Case>) {
    for (arguments, changed, code, stdout, stderr) in cases {
        let done = migrate(changed, arguments).expect(code);
        assert_eq!(
            (&*done.stdout, &*without_margins(&done.stderr)),
            (stdout, stderr),
            "{arguments:?}"
        );
    }
}

#[test]
fn migrations_are_reported_in_one_line() {
    let migrated = "tasks.tasks.example.com: 2 objects stored as v1 (2 rewritten); status.storedVersions: v1\n";
    let no_dry_run = "admission webhook \"v.lab\" does not support dry run";
    check(vec![
        (&[], vec![], 0, migrated, ""),
        (&["Task"], vec![], 0, migrated, ""),
        (&["tasks", "task"], vec![], 0, migrated, ""),
        (&["tasks.tasks.example.com"], vec![], 0, migrated, ""),
        (&["-q"], vec![], 0, "", ""),
        (
            &[],
            vec![(PATCH_A, 404, message("not found"))],
            0,
            "tasks.tasks.example.com: 1 objects stored as v1 (1 rewritten, 1 deleted meanwhile); \
             status.storedVersions: v1\n",
            "",
        ),
        (
            &[],
            vec![(
                DEFINITION,
                200,
                definition_with("/status/storedVersions", json!(["v1"])),
            )],
            0,
            "tasks.tasks.example.com: every object is stored as v1\n",
            "",
        ),
        (
            &["--dry-run"],
            vec![],
            0,
            "tasks.tasks.example.com: 2 objects can be rewritten as v1\n",
            "next: the same command without --dry-run\n",
        ),
        (
            &["--dry-run"],
            vec![(PATCH_A, 400, message(no_dry_run))],
            0,
            "tasks.tasks.example.com: 1 objects can be rewritten as v1; 1 are not checked, since an \
             admission webhook does not support dry runs\n",
            "next: the same command without --dry-run\n",
        ),
    ]);
}

#[test]
fn kinds_that_cannot_be_migrated_are_refused() {
    let condition = |status: &str| json!({"type": "NamesAccepted", "status": status, "message": "the plural is in conflict"});
    let unserved = json!([{"name": "v1", "served": false, "storage": true}]);
    let stored_as = json!([{"name": "v1beta1", "served": true, "storage": true}]);
    let mut deleted = definition();
    deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    check(vec![
        (
            &["--context", "test"],
            vec![(DEFINITION, 404, message("not found"))],
            2,
            "",
            "error: tasks.tasks.example.com is not installed in the cluster\n\
             help: install the CRDs of a package: `genclient install --context test`\n",
        ),
        (
            &[],
            vec![(DEFINITION, 200, deleted)],
            2,
            "",
            "error: tasks.tasks.example.com is being deleted, and every object of it\n\
             help: to keep the kind, wait until it is gone, then `genclient install`\n",
        ),
        (
            &[],
            vec![(
                DEFINITION,
                200,
                definition_with("/status/conditions/0", condition("False")),
            )],
            2,
            "",
            "error: the API server does not serve tasks.tasks.example.com: the plural is in conflict\n\
             help: see its conditions: `kubectl describe crd tasks.tasks.example.com`\n",
        ),
        (
            &[],
            vec![(DEFINITION, 200, definition_with("/spec/versions", unserved))],
            2,
            "",
            "error: no version of tasks.tasks.example.com is served\n\
             help: remove `unserved` from the attributes of a version, then `genclient install`\n",
        ),
        (
            &[],
            vec![(
                DEFINITION,
                200,
                definition_with("/spec/versions", stored_as),
            )],
            2,
            "",
            "error: the cluster stores tasks.tasks.example.com as v1beta1, but the types of the \
             package as v1\nhelp: install the CRDs first: `genclient install`\n",
        ),
    ]);
}

#[test]
fn missing_permissions_are_named_with_their_rules() {
    check(vec![(
        &[],
        vec![("POST", 201, json!({"status": {"allowed": false}}))],
        2,
        "",
        "error: the user may not get tasks.tasks.example.com in all namespaces\n\
             help: allow it by a rule of a ClusterRole: `- {apiGroups: [tasks.example.com], \
             resources: [tasks], verbs: [get]}`; `kubectl auth whoami` shows the user\n\
             error: the user may not list tasks.tasks.example.com in all namespaces\n\
             help: allow it by a rule of a ClusterRole: `- {apiGroups: [tasks.example.com], \
             resources: [tasks], verbs: [list]}`; `kubectl auth whoami` shows the user\n\
             error: the user may not patch tasks.tasks.example.com in all namespaces\n\
             help: allow it by a rule of a ClusterRole: `- {apiGroups: [tasks.example.com], \
             resources: [tasks], verbs: [patch]}`; `kubectl auth whoami` shows the user\n\
             error: the user may not patch customresourcedefinitions.apiextensions.k8s.io/status \
             tasks.tasks.example.com\n\
             help: allow it by a rule of a ClusterRole: `- {apiGroups: [apiextensions.k8s.io], \
             resources: [customresourcedefinitions/status], verbs: [patch]}`; `kubectl auth whoami` \
             shows the user\n",
    )]);
}

/// Nothing is rewritten by a dry run, and an object that it does not check may be stored in any
/// version.
#[test]
fn dry_runs_claim_only_what_they_have_checked() {
    let no_dry_run = message("admission webhook \"v.lab\" does not support dry run");
    check(vec![
        (
            &["--dry-run"],
            vec![(PATCH_ALL, 400, no_dry_run.clone())],
            0,
            "tasks.tasks.example.com: 0 objects can be rewritten as v1; 2 are not checked, since an \
             admission webhook does not support dry runs\n",
            "next: the same command without --dry-run\n",
        ),
        (
            &["--dry-run"],
            vec![
                (PATCH_A, 405, message("not allowed")),
                (PATCH_ALL, 400, no_dry_run),
            ],
            2,
            "",
            "error: default/a of tasks.tasks.example.com cannot be rewritten: not allowed\n\
             help: run the same command again\n\
             1 of 2 objects cannot be rewritten as v1; 1 are not checked, since an admission webhook \
             does not support dry runs\n",
        ),
        (
            &["--dry-run"],
            vec![(LIST, 400, message("broken"))],
            2,
            "",
            "error: the migration of tasks.tasks.example.com has stopped after 0 objects: broken\n\
             help: run the same command again\n",
        ),
    ]);
}

const INCOMPLETE: &str =
    "1 of 2 objects are stored as v1; status.storedVersions stays v1beta1, v1\n";

#[test]
fn objects_that_are_refused_are_named() {
    for (code, text, help) in [
        (
            403,
            "admission webhook \"v.lab\" denied the request: no",
            "change the object or what refuses it, then run the same command again: `kubectl get \
             tasks.v1.tasks.example.com a -n default -o yaml` shows the object",
        ),
        (
            422,
            "spec.image: Invalid value",
            "fix it: `kubectl edit tasks.v1.tasks.example.com a -n default`, then run the same \
             command again",
        ),
    ] {
        let done = migrate(vec![(PATCH_A, code, message(text))], &[]).expect(2);
        assert_eq!(
            without_margins(&done.stderr),
            format!(
                "error: default/a of tasks.tasks.example.com is refused: {text}\n\
                 help: {help}\n{INCOMPLETE}"
            )
        );
    }
    check(vec![
        (
            &[],
            vec![(PATCH_A, 405, message("not allowed"))],
            2,
            "",
            "error: default/a of tasks.tasks.example.com is not rewritten: not allowed\n\
             help: run the same command again\n\
             1 of 2 objects are stored as v1; status.storedVersions stays v1beta1, v1\n",
        ),
        (
            &["-q"],
            vec![(
                PATCH_A,
                500,
                message("failed calling webhook \"v.lab\": refused"),
            )],
            2,
            "",
            "error: default/a of tasks.tasks.example.com is not rewritten: failed calling webhook \
             \"v.lab\": refused\n\
             help: fix the webhook, then run the same command again: `kubectl get \
             mutatingwebhookconfigurations,validatingwebhookconfigurations` lists the \
             configurations that name it\n\
             1 of 2 objects are stored as v1; status.storedVersions stays v1beta1, v1\n",
        ),
    ]);
}

/// The stand-in for kubectl ends the program while that waits.
#[test]
fn wait_for_the_api_servers_is_reported() {
    let changed = definition_with(
        "/metadata/managedFields/0/time",
        json!("2100-01-01T00:00:00Z"),
    );
    let ended = KUBECTL.replace(
        "exec sleep 600",
        "sleep 4; kill -TERM $PPID; exec sleep 600",
    );
    let done = migrate_by(
        &ended,
        &Package::new(),
        vec![(DEFINITION, 200, changed)],
        &[],
    );
    assert_eq!(
        done.expect(143).stderr,
        "tasks.tasks.example.com: waiting until every API server has noticed the change of its \
         versions\n\
         interrupted before the first object: run the same command again: it continues where this \
         one has ended\n"
    );
}

#[test]
fn objects_that_cannot_be_converted_are_named() {
    let text = "conversion webhook for tasks.example.com/v1beta1, Kind=Task failed: no";
    // Retries take longer than the first report of the progress.
    check(vec![(
        &["-q"],
        vec![(PATCH_A, 500, message(text))],
        2,
        "",
        "error: default/a of tasks.tasks.example.com cannot be converted to v1: conversion webhook \
         for tasks.example.com/v1beta1, Kind=Task failed: no\n\
         help: fix the conversion webhook, then run the same command again: `kubectl get \
         tasks.v1beta1.tasks.example.com a -n default -o yaml` shows the object\n\
         1 of 2 objects are stored as v1; status.storedVersions stays v1beta1, v1\n",
    )]);
}

#[test]
fn objects_that_cannot_be_read_are_placed() {
    let text = "conversion webhook for tasks.example.com/v1beta1, Kind=Task failed: no";
    let first = json!({
        "metadata": {"continue": "next"},
        "items": [{"metadata": {"namespace": "default", "name": "b", "uid": "b", "resourceVersion": "1"}}],
    });
    for (read, place) in [
        (None, "the first object of tasks.tasks.example.com"),
        (
            Some(first),
            "the object of tasks.tasks.example.com after default/b",
        ),
    ] {
        let mut changed = Vec::new();
        if let Some(first) = read {
            changed.push((
                "GET /apis/tasks.example.com/v1/tasks?limit=500 ",
                200,
                first,
            ));
        }
        changed.push(("GET /apis/tasks.example.com/v1/tasks", 500, message(text)));
        changed.push((
            "GET /apis/tasks.example.com/v1beta1/tasks",
            500,
            message(text),
        ));
        migrate(changed, &[]).expect(2).says(&[
            &format!("error: {place} cannot be read in any version: {text}\n"),
            "help: fix the conversion webhook, whose log may name the object, then run the same \
             command again: the objects after it are not rewritten\n",
        ]);
    }
}

#[test]
fn many_failures_are_counted() {
    let items = (0..25).map(|number| {
        json!({"metadata": {"name": format!("a{number:02}"), "uid": "1", "resourceVersion": "1"}})
    });
    let list = json!({"metadata": {}, "items": items.collect::<Value>()});
    let done = migrate(
        vec![
            (LIST, 200, list),
            (
                "PATCH /apis/tasks.example.com",
                422,
                message("Invalid value"),
            ),
        ],
        &["-q"],
    )
    .expect(2)
    .says(&[
        "error: a19 of tasks.tasks.example.com is refused: Invalid value\n",
        "`kubectl edit tasks.v1.tasks.example.com a19`",
        "error: 5 other objects of tasks.tasks.example.com are not rewritten\n",
        "help: fix the objects above, then run the same command again\n",
    ]);
    assert_eq!(done.stderr.matches("error: ").count(), 21);
}

#[test]
fn other_ends_say_what_to_type() {
    check(vec![(
        &[],
        vec![(LIST, 400, message("the token is invalid"))],
        2,
        "",
        "error: the migration of tasks.tasks.example.com has stopped after 0 objects: the token is \
         invalid\nhelp: run the same command again: it continues where this one has ended\n",
    )]);
    let package = Package::new();
    let unknown = migrate_in(&package, vec![], &["Tusk"]).expect(2);
    assert_eq!(
        without_margins(&unknown.stderr),
        "error: unknown kind `Tusk`\nhelp: did you mean `Task`?\n"
    );
    let unknown = migrate_in(&package, vec![], &["Lamp"]).expect(2);
    assert_eq!(
        without_margins(&unknown.stderr),
        "error: unknown kind `Lamp`\nhelp: the package defines Task; write a kind of another one as \
         the name of its CRD\n"
    );
    assert!(!package.exists("bin/calls"));
}

#[test]
fn definitions_that_change_meanwhile_are_migrated_again() {
    let package = Package::new();
    let conflict = ("PATCH /apis/apiextensions.k8s.io", 409, message("modified"));
    let done = migrate_in(&package, vec![conflict], &[]).expect(2);
    assert_eq!(
        without_margins(&done.stderr),
        "error: tasks.tasks.example.com was changed during the migration\n\
         help: run the same command again\n"
    );
}

/// Failures of kubectl itself have the words of the other commands.
#[test]
fn kubectl_that_does_not_serve_is_reported() {
    let package = Package::new();
    let script =
        "#!/bin/sh\ncase \"$*\" in *proxy*) echo \"error: bind: too long\" >&2; exit 1;; esac\n";
    executable(&package, "bin/kubectl", script);
    let done = run(&package, &["migrate"]).expect(2);
    assert_eq!(
        without_margins(&done.stderr),
        "error: `kubectl proxy` does not listen: error: bind: too long\n\
         help: set another folder for its socket in the environment variable `TMPDIR`\n"
    );
}
