//! `genclient check` with the real cargo, in a package with one kind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const MANIFEST: &str = r#"[workspace]

[package]
name = "tasks"
edition = "2024"

[lib]
path = "pkg/lib.rs"

[dependencies]
genclient = { path = "RUNTIME" }
serde = { version = "1", features = ["derive"] }

[profile.dev]
debug = false
"#;

const TYPES: &str = r#"//! The kind `Task`.

use genclient::prelude::*;

/// A task.
#[genclient]
#[group = "tasks.example.com"]
pub struct Task {
    /// Standard metadata.
    pub metadata: ObjectMeta,
    /// What to run.
    pub spec: TaskSpec,
}

/// What to run.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(validation(rule = "self.replicas > 0"))]
pub struct TaskSpec {
    /// How many.
    pub replicas: i32,
    /// The image.
    #[crd(max_length = 100)]
    pub image: String,
}
"#;

/// A package in a folder that keeps the output of cargo.
struct Tasks(PathBuf);

impl Tasks {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
        for generated in ["pkg", "config"] {
            let _ = fs::remove_dir_all(folder.join(generated));
        }
        fs::create_dir_all(folder.join("pkg/apis/v1")).unwrap();
        let runtime = Path::new("../../runtime").canonicalize().unwrap();
        let manifest = MANIFEST.replace("RUNTIME", &runtime.display().to_string());
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy("../../Cargo.lock", folder.join("Cargo.lock")).unwrap();
        // The layout of a scaffolded project.
        for (file, text) in [
            ("lib.rs", "//! Tasks.\n\npub mod apis;\npub mod client;\n"),
            ("apis/mod.rs", "//! API types.\n\npub mod v1;\n"),
            (
                "apis/v1/mod.rs",
                "//! Version `v1`.\n\nmod task;\n\npub use task::*;\n",
            ),
        ] {
            fs::write(folder.join("pkg").join(file), text).unwrap();
        }
        let tasks = Self(folder);
        tasks.write_types(&[]);
        tasks.run(&["update"], 0);
        tasks
    }

    /// Writes the types with texts replaced.
    fn write_types(&self, edits: &[(&str, &str)]) {
        let mut types = TYPES.to_owned();
        for (from, to) in edits {
            assert!(types.contains(from), "{from}");
            types = types.replace(from, to);
        }
        fs::write(self.0.join("pkg/apis/v1/task.rs"), types).unwrap();
    }

    fn run(&self, arguments: &[&str], code: i32) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(arguments)
            .current_dir(&self.0)
            .env("CARGO", env!("CARGO"))
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `cargo check`. Returns the file of each error.
    fn files_with_errors(&self) -> Vec<String> {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--message-format", "json"])
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let messages = lines.map(|line: Value| line["message"].clone());
        messages
            .filter(|message| message["level"] == "error")
            .filter_map(|message| message["spans"][0]["file_name"].as_str().map(str::to_owned))
            .collect()
    }

    /// Runs `check`. Returns code, message and place of each message, and what is at that place.
    fn check(&self, code: i32) -> Vec<String> {
        let output = self.run(&["check", "--message-format", "json"], code);
        let lines: Vec<Value> = output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let last = lines.last().unwrap();
        assert_eq!(last["reason"], "build-finished");
        assert_eq!(last["success"], code == 0);
        let packages = lines
            .iter()
            .filter(|line| line["target"]["name"] == "tasks");
        let mut ids: Vec<_> = packages
            .map(|line| line["package_id"].to_string())
            .collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{ids:?}");
        // rustc counts its errors in a message without a place, which editors do not show.
        let has_place = |message: &&Value| message["spans"][0].is_object();
        let messages = lines.iter().map(|line| &line["message"]).filter(has_place);
        messages.map(shown).collect()
    }
}

fn shown(message: &Value) -> String {
    let span = &message["spans"][0];
    let line = span["text"][0]["text"].as_str().unwrap();
    let column = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap() - 1;
    format!(
        "{}: {} at {}: {}",
        message["code"]["code"].as_str().unwrap_or("no code"),
        message["message"].as_str().unwrap(),
        span["file_name"].as_str().unwrap(),
        &line[column("column_start")..column("column_end")],
    )
}

#[test]
fn check_shows_each_mistake_once() {
    let tasks = Tasks::new();
    assert_eq!(tasks.check(0), [""; 0]);
    tasks.write_types(&[
        ("self.replicas", "self.replica"),
        ("max_length", "max_lenght"),
    ]);
    // The macro reports the second one, too.
    assert_eq!(
        tasks.check(2),
        [
            "genclient::cel: no such field `replica` in `self` at pkg/apis/v1/task.rs: replica",
            "genclient::attribute: unknown key `max_lenght` in `#[crd(..)]` at pkg/apis/v1/task.rs: max_lenght",
        ]
    );
    // rustc reports the kind that is gone once.
    tasks.write_types(&[("struct Task ", "struct Job ")]);
    assert_eq!(tasks.files_with_errors(), ["pkg/client/kinds.rs"]);
    assert_eq!(
        tasks.check(2),
        [
            "genclient::out-of-date: the generated client is out of date: unresolved import \
             `crate::apis::v1::Task` at pkg/client/mod.rs: // Code generated by genclient. DO NOT EDIT.",
        ]
    );
    tasks.run(&["update"], 0);
    assert_eq!(tasks.check(0), [""; 0]);
    check_shows_no_consequences(&tasks);
}

fn check_shows_no_consequences(tasks: &Tasks) {
    tasks.write_types(&[]);
    tasks.run(&["update"], 0);
    // Errors that the unexpanded struct causes, most of them in the generated client, are left out.
    for (edit, mistake) in [
        (
            ("#[genclient]", "#[genclinet]"),
            "genclient::attribute: unknown attribute `genclinet` at pkg/apis/v1/task.rs: genclinet",
        ),
        (
            ("#[genclient]", "#[genclient]\n#[unknown]"),
            "no code: cannot find attribute `unknown` in this scope at pkg/apis/v1/task.rs: unknown",
        ),
        (
            ("/// What to run.\n    pub", "#[serde(defalt)]\n    pub"),
            "genclient::schema: unknown key `defalt` in `serde` at pkg/apis/v1/task.rs: defalt",
        ),
        (
            ("spec: TaskSpec", "spec: TaskSpc"),
            "genclient::schema: cannot determine the schema of `TaskSpc` at pkg/apis/v1/task.rs: TaskSpc",
        ),
        (
            ("metadata: ObjectMeta", "metadata: ObjectMet"),
            "genclient::attribute: `metadata` must have the type `ObjectMeta` at pkg/apis/v1/task.rs: ObjectMet",
        ),
    ] {
        tasks.write_types(&[edit]);
        let mut messages = tasks.check(2);
        // rustc reports an error in the library again for its tests.
        messages.dedup();
        assert_eq!(messages, [mistake]);
    }
}
