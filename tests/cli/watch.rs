//! `update --watch`: runs after changes, errors that are fixed meanwhile, and the end by a signal.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::package::{Package, kind};
use super::run;

/// A running `update --watch`.
struct Watch {
    process: Child,
    lines: Receiver<String>,
}

/// The line after the first run.
const WATCHING: &str = "watching for changes; Ctrl-C ends it";

/// Time for a line of output, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time without output after which a run counts as the last one: several polls.
const SILENCE: Duration = Duration::from_millis(600);

impl Watch {
    fn start(package: &Package, arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(["update", "--watch"])
            .args(arguments)
            .current_dir(package.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        send_lines(process.stdout.take().unwrap(), sender.clone());
        send_lines(process.stderr.take().unwrap(), sender);
        Self { process, lines }
    }

    /// Starts in a package, and waits until the first run has ended.
    fn begin(package: &Package) -> Self {
        let watch = Self::start(package, &[]);
        watch.read_to(WATCHING);
        watch
    }

    /// Returns the output up to the first line that contains `text`.
    #[track_caller]
    fn read_to(&self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        let mut output = String::new();
        loop {
            let rest = end.saturating_duration_since(Instant::now());
            let received = self.lines.recv_timeout(rest);
            assert!(received.is_ok(), "{text:?} is not in:\n{output}");
            let line = received.unwrap();
            output += &format!("{line}\n");
            if line.contains(text) {
                return output;
            }
        }
    }

    fn read_to_silence(&self) -> String {
        let mut output = String::new();
        while let Ok(line) = self.lines.recv_timeout(SILENCE) {
            output += &format!("{line}\n");
        }
        output
    }

    #[track_caller]
    fn assert_silent(&self) {
        let received = self.lines.recv_timeout(SILENCE);
        assert!(received.is_err(), "{received:?}");
    }

    /// Presses Ctrl-C, and returns the exit code.
    fn interrupt(mut self) -> Option<i32> {
        let pid = self.process.id().to_string();
        run::signal("-INT", &pid);
        self.process.wait().unwrap().code()
    }
}

/// Sends the lines of an output until its end.
fn send_lines(output: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if to.send(line.unwrap()).is_err() {
                break;
            }
        }
    });
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Fails if the process has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn changes_are_generated() {
    let package = Package::new();
    let watch = Watch::start(&package, &[]);
    let first = watch.read_to(WATCHING);
    assert!(
        first.contains(" written, 0 removed, 0 unchanged\n"),
        "{first}"
    );
    watch.assert_silent();

    package.edit("pkg/apis/mod.rs", "pub image", "pub picture");
    let output = watch.read_to("written");
    assert!(
        output.starts_with("pkg/apis/mod.rs changed\n2 written, 0 removed, "),
        "{output}"
    );
    watch.assert_silent();
    package.run(&["verify"]).expect(0);

    std::fs::remove_file(package.path("pkg/client/scheme.rs")).unwrap();
    assert!(
        watch
            .read_to("written")
            .starts_with("pkg/client/scheme.rs changed\n1 written, ")
    );
    watch.assert_silent();

    package.write("pkg/apis/mod.rs", kind("jobs.example.com", "Job", "image"));
    watch.read_to(" removed");
    watch.assert_silent();
    package.run(&["verify"]).expect(0);
    assert!(!package.exists("config/crd/tasks.example.com_tasks.yaml"));

    package.edit(
        "Cargo.toml",
        "[lib]",
        "[package.metadata.genclient]\nconfig = \"deploy\"\n[lib]",
    );
    let output = watch.read_to(" unchanged");
    assert!(output.starts_with("Cargo.toml changed\n"), "{output}");
    assert!(package.exists("deploy/crd/jobs.example.com_jobs.yaml"));
    assert_eq!(watch.interrupt(), Some(130));
}

#[test]
fn errors_are_printed_once_and_until_they_are_fixed() {
    let package = Package::generated();
    let watch = Watch::begin(&package);
    for (file, from, to, expected) in [
        (
            "pkg/apis/mod.rs",
            "pub spec",
            "pub spec spec",
            "error: expected `:`",
        ),
        (
            "pkg/apis/mod.rs",
            "String",
            "(String, i32)",
            "error: this type has no schema",
        ),
        (
            "Cargo.toml",
            "[package]",
            "[package",
            "error: unclosed table",
        ),
        (
            "pkg/lib.rs",
            "pub mod client;",
            "",
            "warning: pkg/lib.rs has no module `client`",
        ),
    ] {
        let before = package.files();
        let text = package.read(file);
        package.edit(file, from, to);
        watch.read_to(&format!("{file} changed"));
        let output = watch.read_to(expected) + &watch.read_to_silence();
        assert_eq!(output.matches(expected).count(), 1, "{output}");
        package.write(file, text);
        let output = watch.read_to("written");
        assert_eq!(
            output,
            format!("{file} changed\n0 written, 0 removed, 13 unchanged\n")
        );
        watch.assert_silent();
        assert_eq!(package.files(), before);
    }
    assert_eq!(watch.interrupt(), Some(130));
}

#[test]
fn other_files_are_no_inputs() {
    let package = Package::generated();
    let watch = Watch::begin(&package);
    package.write("pkg/apis/notes.md", "no source");
    package.write("README.md", "no source");
    package.edit("pkg/client/mod.rs", "//", "// Edited.\n//");
    watch.assert_silent();
}

#[test]
fn half_of_a_file_is_no_error() {
    let package = Package::generated();
    let watch = Watch::begin(&package);
    let text = package.read("pkg/apis/mod.rs").replace("image", "picture");
    for end in [text.len() / 2, text.len() / 3 * 2, text.len()] {
        package.write("pkg/apis/mod.rs", &text[..end]);
        thread::sleep(Duration::from_millis(40));
    }
    let output = watch.read_to("written");
    assert!(
        output.ends_with("\n2 written, 0 removed, 11 unchanged\n"),
        "{output}"
    );
    assert!(!output.contains("error"), "{output}");
    watch.assert_silent();
    package.run(&["verify"]).expect(0);
}

#[test]
fn a_file_in_the_way_is_an_input() {
    let package = Package::generated();
    let file = "config/crd/tasks.example.com_tasks.yaml";
    let generated = package.read(file);
    package.write(file, "of the user\n");
    let watch = Watch::start(&package, &[]);
    watch.read_to("is in the way: it is not generated");
    watch.read_to(WATCHING);
    watch.assert_silent();
    std::fs::remove_file(package.path(file)).unwrap();
    let output = watch.read_to("written");
    assert!(
        output.starts_with(&format!("{file} changed\n1 written")),
        "{output}"
    );
    assert_eq!(package.read(file), generated);
}

#[test]
fn files_that_findings_prevent_are_not_missing() {
    for (arguments, from, to, refusal) in [
        (
            &["--deny-warnings"][..],
            "pub image: String",
            "pub image: f64",
            "1 warning is denied by `--deny-warnings`",
        ),
        (
            &[],
            "pub image: String",
            "pub image: (String, i32)",
            "nothing written: 1 error",
        ),
    ] {
        let package = Package::new();
        package.edit("pkg/apis/mod.rs", from, to);
        let watch = Watch::start(&package, arguments);
        watch.read_to(refusal);
        watch.read_to(WATCHING);
        watch.assert_silent();
        package.edit("pkg/apis/mod.rs", to, from);
        watch.read_to("written, 0 removed, 0 unchanged");

        package.edit("pkg/apis/mod.rs", from, to);
        watch.read_to(refusal);
        watch.read_to_silence();
        std::fs::remove_file(package.path("pkg/client/scheme.rs")).unwrap();
        watch.assert_silent();
        package.edit("pkg/apis/mod.rs", to, from);
        watch.read_to("1 written, 0 removed");
    }
}

#[test]
fn nothing_is_written_with_denied_warnings() {
    let package = Package::generated();
    let watch = Watch::start(&package, &["--deny-warnings"]);
    watch.read_to(WATCHING);
    package.edit("pkg/lib.rs", "pub mod client;\n", "");
    package.edit("pkg/apis/mod.rs", "pub image", "pub picture");
    watch.read_to("1 warning is denied by `--deny-warnings`");
    watch.read_to_silence();
    package.run(&["verify"]).expect(1);
    package.edit(
        "pkg/lib.rs",
        "pub mod apis;\n",
        "pub mod apis;\npub mod client;\n",
    );
    watch.read_to("2 written");
}

#[test]
fn json_ends_each_run_with_its_result() {
    let package = Package::generated();
    let watch = Watch::start(&package, &["--message-format", "json"]);
    watch.read_to(r#"{"reason":"build-finished","success":true}"#);
    watch.read_to_silence();
    let text = package.read("pkg/apis/mod.rs");
    package.edit("pkg/apis/mod.rs", "pub image", "pub image image");
    let output =
        watch.read_to(r#"{"reason":"build-finished","success":false}"#) + &watch.read_to_silence();
    assert_eq!(
        output.matches(r#"{"code":"genclient::syntax""#).count(),
        1,
        "{output}"
    );
    package.write("pkg/apis/mod.rs", text);
    watch.read_to(r#"{"reason":"build-finished","success":true}"#);
}

/// Whenever a signal arrives, each file has its old or its new content.
#[test]
fn an_interrupted_watch_leaves_no_partial_files() {
    let package = Package::generated();
    let name = |round: u64| {
        if round.is_multiple_of(2) {
            "image"
        } else {
            "picture"
        }
    };
    let states = [1, 0].map(|round| {
        let types = kind("tasks.example.com", "Task", name(round));
        package.write("pkg/apis/mod.rs", types);
        package.run(&["update"]).expect(0);
        package.files()
    });
    for round in 1..20 {
        let watch = Watch::begin(&package);
        let types = kind("tasks.example.com", "Task", name(round));
        package.write("pkg/apis/mod.rs", types);
        thread::sleep(Duration::from_millis(40 + 4 * round));
        assert_eq!(watch.interrupt(), Some(130));
        for (file, text) in package.files() {
            let is_torn = states.iter().all(|state| state.get(&file) != Some(&text));
            assert!(!is_torn, "{}", file.display());
        }
    }
}

#[test]
fn a_dry_run_cannot_watch() {
    let package = Package::generated();
    package
        .run(&["update", "--watch", "--dry-run"])
        .expect(2)
        .says(&["'--watch' cannot be used with '--dry-run'"]);
}
