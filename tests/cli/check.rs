//! `genclient check`: messages of cargo, and those of the generator beside them. cargo is a
//! stand-in that prints given lines; `tests/projects/check.rs` uses the real one.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::cluster::executable;
use super::package::{Package, Run};
use super::run::{Started, is_there};

/// A stand-in for cargo, except for `cargo metadata`. It prints the file `messages` and exits with
/// the number in the file `code`. If the file `stay` exists, it starts a process and waits.
const CARGO: &str = r#"#!/bin/sh
bin=$(dirname "$0")
[ "$1" = metadata ] && exec "REAL" "$@"
echo "cargo $*" >> "$bin/calls"
cat "$bin/messages"
[ -f "$bin/stay" ] && { sleep 1000 & echo "sleeper: $!" >> "$bin/calls"; wait; }
exit "$(cat "$bin/code")"
"#;

const FINISHED: &str = "{\"reason\":\"build-finished\",\"success\":true}";
const FAILED: &str = "{\"reason\":\"build-finished\",\"success\":false}";

/// The package of [`Package::new`] with a stand-in for cargo, after `update`.
fn checked() -> Package {
    let package = Package::generated();
    let script = CARGO.replace("REAL", env!("CARGO"));
    executable(&package, "bin/cargo", &script);
    cargo_prints(&package, &[FINISHED.to_owned()], 0);
    package
}

fn cargo_prints(package: &Package, lines: &[String], code: i32) {
    package.write("bin/messages", lines.join("\n") + "\n");
    package.write("bin/code", code.to_string());
}

fn check(package: &Package, arguments: &[&str]) -> Run {
    Package::finish(command(package, arguments))
}

fn command(package: &Package, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    command.arg("check").args(arguments);
    command.current_dir(package.path(""));
    command.env("CARGO", package.path("bin/cargo"));
    command
}

/// An error of rustc at the first occurrence of `token` in a file.
fn error(package: &Package, code: Option<&str>, message: &str, file: &str, token: &str) -> String {
    let start = package.read(file).find(token).unwrap();
    json!({
        "reason": "compiler-message",
        "package_id": "recorded",
        "message": {
            "message": message,
            "code": code.map(|code| json!({ "code": code, "explanation": null })),
            "level": "error",
            "spans": [{
                "file_name": file, "byte_start": start, "byte_end": start + token.len(),
                "is_primary": true,
            }],
            "children": [],
            "rendered": format!("error: {message}\n --> {file}\n\n"),
        },
    })
    .to_string()
}

/// The lines on stdout: those of the generator as code, message, place and level, others as they
/// are.
fn lines(run: &Run) -> Vec<String> {
    let shown = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let message = &value["message"];
        let Some(code) = message["code"]["code"].as_str() else {
            return line.to_owned();
        };
        let Some(code) = code.strip_prefix("genclient::") else {
            return line.to_owned();
        };
        let span = &message["spans"][0];
        format!(
            "{} {code}: {} at {}:{}:{}; {}",
            message["level"].as_str().unwrap(),
            message["message"].as_str().unwrap(),
            span["file_name"].as_str().unwrap(),
            span["line_start"],
            span["column_start"],
            message["children"][0]["message"].as_str().unwrap(),
        )
    };
    run.stdout.lines().map(shown).collect()
}

const JSON: [&str; 2] = ["--message-format", "json"];

#[test]
fn cargo_gets_packages_and_arguments() {
    let package = checked();
    for (arguments, expected) in [
        (
            &[][..],
            "check --message-format json-diagnostic-rendered-ansi --workspace --all-targets",
        ),
        (
            &JSON,
            "check --message-format json --workspace --all-targets",
        ),
        (
            &["--cargo-command", "clippy", "-p", "tasks", "-q"],
            "clippy --message-format json-diagnostic-rendered-ansi --quiet --package tasks \
             --all-targets",
        ),
        (
            &[
                "--manifest-path",
                "Cargo.toml",
                "--",
                "--tests",
                "--features",
                "a",
            ],
            "check --message-format json-diagnostic-rendered-ansi --manifest-path Cargo.toml \
             --tests --features a",
        ),
    ] {
        package.write("bin/calls", "");
        check(&package, arguments).expect(0);
        assert_eq!(package.read("bin/calls"), format!("cargo {expected}\n"));
    }
}

/// cargo's names of files belong to the workspace of the manifest.
#[test]
fn repetitions_are_left_out_in_another_folder() {
    let package = checked();
    package.edit("pkg/apis/mod.rs", "#[genclient]", "#[genclient(readonli)]");
    package.write(
        "sibling/Cargo.toml",
        "[package]\nname = \"sibling\"\n[workspace]\n",
    );
    package.write("sibling/src/lib.rs", "");
    let unknown = "unknown key `readonli` in `#[genclient(..)]`";
    let repeated = error(&package, None, unknown, "pkg/apis/mod.rs", "readonli");
    cargo_prints(&package, &[repeated, FAILED.to_owned()], 101);
    let mut outside = command(&package, &JSON);
    outside.args(["--manifest-path", "../Cargo.toml"]);
    outside.current_dir(package.path("sibling"));
    let printed = lines(&Package::finish(outside).expect(2));
    assert_eq!(printed.len(), 2, "{printed:?}");
    assert!(
        printed[0].starts_with("error attribute: unknown key"),
        "{printed:?}"
    );
}

#[test]
fn cargo_follows_the_generator() {
    let package = checked();
    package.edit("pkg/apis/mod.rs", "#[genclient]", "#[genclient(readonli)]");
    let other = error(
        &package,
        Some("E0425"),
        "cannot find `a`",
        "pkg/apis/mod.rs",
        "image",
    );
    // Macros repeat the finding of the generator, but only at its place.
    let unknown = "unknown key `readonli` in `#[genclient(..)]`";
    let help = format!("{unknown}\nhelp: did you mean `readonly`?");
    let repeated = error(&package, None, &help, "pkg/apis/mod.rs", "readonli");
    let without_help = error(&package, None, unknown, "pkg/apis/mod.rs", "readonli");
    let elsewhere = error(&package, None, unknown, "pkg/apis/mod.rs", "image");
    let of_derive = error(&package, None, "unknown", "pkg/apis/mod.rs", "readonli");
    let coded = error(
        &package,
        Some("E0001"),
        unknown,
        "pkg/apis/mod.rs",
        "readonli",
    );
    let artifact = "{\"reason\":\"compiler-artifact\",  \"fresh\":false}".to_owned();
    let plain = "warning: not JSON at all".to_owned();
    let passed = [artifact, plain, other, elsewhere, coded];
    let dropped = [repeated, without_help, of_derive, FAILED.to_owned()];
    cargo_prints(&package, &[&passed[..], &dropped].concat(), 101);
    let run = check(&package, &JSON).expect(2);
    let mut found = run.stdout.lines();
    let own: Value = serde_json::from_str(found.next().unwrap()).unwrap();
    assert_eq!(own["message"]["message"], unknown);
    assert_eq!(own["message"]["code"]["code"], "genclient::attribute");
    assert_eq!(
        own["target"]["src_path"],
        package.path("pkg/lib.rs").display().to_string()
    );
    let expected = passed.iter().map(String::as_str).chain([FAILED]);
    assert!(found.eq(expected), "{}", run.stdout);

    // Errors of the generator alone fail the run, too.
    cargo_prints(&package, &[FINISHED.to_owned()], 0);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(run.stdout.lines().last(), Some(FAILED));

    // For people, rustc's messages come first, and finding and repetition are one message.
    let repeated = error(&package, None, &help, "pkg/apis/mod.rs", "readonli");
    let other = error(
        &package,
        Some("E0425"),
        "cannot find `a`",
        "pkg/apis/mod.rs",
        "image",
    );
    let count = json!({
        "reason": "compiler-message",
        "message": {
            "message": "aborting due to 2 previous errors", "level": "error", "code": null,
            "spans": [], "children": [], "rendered": "error: aborting due to 2 previous errors\n\n",
        },
    });
    // The library and its tests have the same error.
    let twice = [other.clone(), other];
    let printed = [
        &twice[..],
        &[repeated, count.to_string(), FAILED.to_owned()],
    ]
    .concat();
    cargo_prints(&package, &printed, 101);
    let run = check(&package, &[]).expect(2);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        "error: cannot find `a`\n --> pkg/apis/mod.rs\n\n\
         error: unknown key `readonli` in `#[genclient(..)]`\n \
         --> pkg/apis/mod.rs:4:17\n  |\n4 |     #[genclient(readonli)]\n  |                 ^^^^^^^^\n  |\n  \
         = help: did you mean `readonly`?\n\n"
    );
}

/// Puts the span of an error into the expansion of a macro.
fn expanded(error: &str, name: &str) -> String {
    let mut line: Value = serde_json::from_str(error).unwrap();
    line["message"]["spans"][0]["expansion"] = json!({ "macro_decl_name": name });
    line.to_string()
}

/// What is left out follows from an error in the attributes of the same kind.
#[test]
fn only_errors_that_follow_are_left_out() {
    let in_kind = [
        // The text and the macro of an error, its place, and whether it follows.
        ("an error", "#[genclient]", "pub metadata", true),
        ("an error", "#[genclient::genclient]", "pub metadata", true),
        ("an error", "#[my_genclient]", "pub metadata", false),
        ("an error", "#[derive(CrdSchema)]", "pub metadata", false),
        (
            "cannot find attribute `group` in this scope",
            "",
            "group",
            true,
        ),
    ];
    let elsewhere = [
        ("an error", "#[genclient]", "pub image", false),
        (
            "cannot find attribute `crd` in this scope",
            "",
            "image",
            false,
        ),
        ("a macro refuses it", "", "#[genclient(readonli)]", false),
    ];
    for (from, to, errors) in [
        (
            "#[genclient]",
            "#[genclient(readonli)]",
            [&in_kind[..], &elsewhere].concat(),
        ),
        (
            "image: String",
            "image: (String, i32)",
            in_kind
                .map(|(text, name, token, _)| (text, name, token, false))
                .to_vec(),
        ),
        (
            "pub struct Task ",
            "#[crd(validation(rule = \"self.spec.imag == 'a'\"))] pub struct Task ",
            in_kind
                .map(|(text, name, token, _)| (text, name, token, false))
                .to_vec(),
        ),
    ] {
        let package = checked();
        package.edit("pkg/apis/mod.rs", from, to);
        for (text, name, token, follows) in errors {
            let line = expanded(&error(&package, None, text, "pkg/apis/mod.rs", token), name);
            cargo_prints(&package, &[line.clone(), FAILED.to_owned()], 101);
            let run = check(&package, &JSON).expect(2);
            let is_left_out = !run.stdout.lines().any(|printed| printed == line);
            assert_eq!(is_left_out, follows, "{to}: {line}");
        }
    }
}

#[test]
fn syntax_errors_are_left_to_rustc() {
    let package = checked();
    package.edit("pkg/apis/mod.rs", "pub image: String", "pub image String");
    let of_rustc = error(&package, None, "expected `:`", "pkg/apis/mod.rs", "String");
    cargo_prints(&package, &[of_rustc.clone(), FAILED.to_owned()], 101);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(run.stdout, format!("{of_rustc}\n{FAILED}\n"));
    // rustc does not read the file, for example because of a `cfg`.
    cargo_prints(&package, &[FINISHED.to_owned()], 0);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(
        lines(&run),
        [
            "error syntax: expected `:` at pkg/apis/mod.rs:13:19; fix the syntax error: `cargo \
             check` shows it with more context",
            FAILED,
        ]
    );
}

#[test]
fn a_stale_client_is_one_message() {
    let package = checked();
    package.edit("pkg/apis/mod.rs", "Task ", "Job ");
    let in_client = |file: &str| {
        let message = "unresolved import `crate::apis::v1::Task`";
        error(&package, Some("E0432"), message, file, "Task")
    };
    package.write("pkg/user.rs", "use crate::apis::v1::Task;\n");
    let stale = [
        "pkg/client/scheme.rs",
        "pkg/client/clientset/tasks/v1/task.rs",
    ]
    .map(in_client);
    let of_user = in_client("pkg/user.rs");
    let lines_of_cargo = [&stale[..], &[of_user.clone(), FAILED.to_owned()]].concat();
    cargo_prints(&package, &lines_of_cargo, 101);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(
        lines(&run),
        [
            &of_user,
            "error out-of-date: the generated client is out of date: unresolved import \
             `crate::apis::v1::Task` at pkg/client/mod.rs:1:1; run `genclient update`",
            FAILED,
        ]
    );
    // Errors in a client that is up to date are errors of the generator, and not hidden.
    package.run(&["update"]).expect(0);
    let bug = error(
        &package,
        Some("E0432"),
        "a bug",
        "pkg/client/scheme.rs",
        "enum",
    );
    cargo_prints(&package, &[bug.clone(), FAILED.to_owned()], 101);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(run.stdout, format!("{bug}\n{FAILED}\n"));
}

#[test]
fn files_that_are_out_of_date_are_a_warning() {
    let package = checked();
    package.edit("pkg/apis/mod.rs", "pub image", "pub picture");
    let run = check(&package, &JSON).expect(0);
    assert_eq!(
        lines(&run),
        [
            "warning out-of-date: 2 generated files are out of date, such as \
             config/crd/tasks.example.com_tasks.yaml at pkg/client/mod.rs:1:1; run `genclient update`",
            FINISHED,
        ]
    );
    let run = check(&package, &["-p", "tasks"]).expect(0);
    assert_eq!(
        run.stderr,
        "warning: 2 generated files are out of date, such as \
         config/crd/tasks.example.com_tasks.yaml\n |\n = help: run `genclient update -p tasks`\n\n"
    );
    package.run(&["update"]).expect(0);
    assert_eq!(
        check(&package, &JSON).expect(0).stdout,
        format!("{FINISHED}\n")
    );
}

/// Editors show only messages with a place.
#[test]
fn every_finding_has_a_place() {
    let package = checked();
    package.write("pkg/apis/mod.rs", "//! No kinds.\n");
    package.edit(
        "Cargo.toml",
        "[dependencies]",
        "[package.metadata.genclient]\napis = \"pkg/apis\"\n\n[dependencies]",
    );
    let run = check(&package, &JSON).expect(2);
    let found = lines(&run);
    assert!(
        found[0].starts_with("error kind: no type with `#[genclient]`")
            && found[0].contains(" at pkg/apis/mod.rs:1:1; "),
        "{found:?}"
    );
    package.edit("Cargo.toml", "apis = \"pkg/apis\"", "types = \"a b\"");
    let run = check(&package, &JSON).expect(2);
    let found = lines(&run);
    assert!(
        found[0].starts_with("error settings: ") && found[0].contains(" at Cargo.toml:"),
        "{found:?}"
    );
}

/// People set the command for all of their projects.
#[test]
fn a_package_without_api_types_is_only_compiled() {
    let package = checked();
    let of_rustc = error(&package, None, "expected `:`", "pkg/lib.rs", "pub");
    for folder in ["pkg/apis", "pkg/client", "config"] {
        fs::remove_dir_all(package.path(folder)).unwrap();
    }
    cargo_prints(&package, &[of_rustc.clone(), FAILED.to_owned()], 101);
    let run = check(&package, &JSON).expect(2);
    assert_eq!(run.stdout, format!("{of_rustc}\n{FAILED}\n"));
    cargo_prints(&package, &[FINISHED.to_owned()], 0);
    let run = check(&package, &JSON).expect(0);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        (&*format!("{FINISHED}\n"), "")
    );
}

#[test]
fn refused_runs_say_what_to_type() {
    let package = checked();
    check(&package, &["--message-format", "json-lines"])
        .expect(2)
        .says(&[
            "`check` cannot print `json-lines`",
            "write `--message-format json`",
        ]);
    let arguments = ["check", "--message-format", "json"];
    package
        .run_with("CARGO", "/nowhere/cargo", &arguments)
        .expect(2)
        .says(&["cannot run cargo: No such file"]);
}

#[test]
fn a_signal_ends_cargo_and_its_children() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let package = checked();
        package.write("bin/stay", "");
        let run = Started::new(&package, &["check"]);
        let sleeper = run.wait_for("sleeper: ");
        run.signal(&format!("-{name}"));
        run.end().expect(code);
        assert!(!is_there(&sleeper), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let package = checked();
    let mut checking = command(&package, &JSON);
    let full = fs::File::options().write(true).open("/dev/full");
    checking.stdout(full.unwrap());
    Package::finish(checking)
        .expect(2)
        .says(&["error: cannot write to stdout: No space left on device"]);
}
