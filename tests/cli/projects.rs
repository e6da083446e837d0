//! Transcripts of projects: commands from an empty folder on, with everything that they print.
//!
//! A case is a file below `projects/`. Lines that begin with `$ ` are commands for bash, the others
//! their output; `UPDATE_EXPECT=1` writes it. Scaffolded Rust is checked by rustfmt.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

#[test]
fn projects_are_written_as_recorded() {
    let mut cases: Vec<_> = fs::read_dir("cli/projects")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in cases {
        let expected = fs::read_to_string(&case).unwrap();
        let found = run(&expected);
        if found == expected {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&case, found).unwrap();
        } else {
            let diff = similar::TextDiff::from_lines(&expected, &found);
            let name = case.display().to_string();
            wrong.push(diff.unified_diff().header(&name, "found").to_string());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The transcript with what the commands print now.
fn run(transcript: &str) -> String {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let programs = root.join("bin");
    fs::create_dir(&programs).unwrap();
    crate::program(&programs);
    let project = root.join("guestbook");
    fs::create_dir(&project).unwrap();
    let mut text = String::new();
    for line in transcript.lines().filter(|line| line.starts_with("$ ")) {
        text.push_str(line);
        text.push('\n');
        if let Some(command) = line.strip_prefix("$ ") {
            text.push_str(
                &printed(command, &project, &programs)
                    .replace(&root.display().to_string(), "[root]"),
            );
        }
    }
    assert_formatted(&project);
    text
}

fn printed(command: &str, project: &Path, programs: &Path) -> String {
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1 </dev/null\n{command}")])
        .current_dir(project)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        text.push_str(&format!("exit status {}\n", output.status.code().unwrap()));
    }
    text
}

/// Checks each file by itself: rustfmt would follow `mod` items otherwise.
fn assert_formatted(project: &Path) {
    let check = "find . -name '*.rs' -not -name 'by_hand.rs' | while read -r file; do \
                 rustfmt --edition 2024 --check < \"$file\" || echo \"$file\"; done";
    let mut command = Command::new("bash");
    let output = command.args(["-c", check]).current_dir(project).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(text, "");
}
