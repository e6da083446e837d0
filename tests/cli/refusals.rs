//! Error messages for unusable packages, manifests, revisions and definitions.
//!
//! A file of `refusals/` begins with commands (`$ genclient …`, `$ git …`). Each file of the
//! test package follows below a line `-- path --`, and the expected output below `-- said --`.
//! `UPDATE_EXPECT=1` records the current output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::package::{Package, Run};

const SAID: &str = "said";

#[test]
fn refusals_have_the_recorded_messages() {
    let mut files: Vec<PathBuf> = fs::read_dir("../cli/refusals")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 10, "{files:?}");
    let mut wrong = String::new();
    for file in files {
        wrong.push_str(&check(&file));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The difference between the actual and the expected output.
fn check(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let (commands, sections) = sections(&text);
    let package = Package::empty();
    for (name, content) in sections.iter().filter(|(name, _)| *name != SAID) {
        package.write(name, content);
    }
    let mut said = String::new();
    for command in commands.lines().filter_map(|line| line.strip_prefix("$ ")) {
        said.push_str(&run(&package, command));
    }
    let root = fs::canonicalize(package.path("")).unwrap();
    let said = said.replace(&root.display().to_string(), "[ROOT]");
    let above = text.find("-- said --\n").unwrap_or(text.len());
    let wanted = format!("{}-- said --\n{said}", &text[..above]);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, &wanted).unwrap();
        return String::new();
    }
    let diff = similar::TextDiff::from_lines(&text, &wanted);
    let name = file.display().to_string();
    diff.unified_diff().header(&name, "said").to_string()
}

/// The text above the first `-- path --`, and the text below each of them.
fn sections(text: &str) -> (String, Vec<(&str, String)>) {
    let mut head = String::new();
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        let name = line
            .strip_prefix("-- ")
            .and_then(|line| line.strip_suffix(" --"));
        match (name, sections.last_mut()) {
            (Some(name), _) => sections.push((name, String::new())),
            (None, Some((_, content))) => content.push_str(&format!("{line}\n")),
            (None, None) => head.push_str(&format!("{line}\n")),
        }
    }
    (head, sections)
}

/// Runs a command, which may be preceded by variables. Returns no output for a git that succeeds.
fn run(package: &Package, command: &str) -> String {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    let variable = words[0].split_once('=');
    if variable.is_some() {
        words.remove(0);
    }
    match (words[0], variable) {
        ("genclient", None) => report(package.run(&words[1..])),
        ("genclient", Some((name, value))) => report(package.run_with(name, value, &words[1..])),
        ("git", None) => {
            git(package, &words[1..]);
            String::new()
        }
        _ => unreachable!("{command} is neither genclient nor git"),
    }
}

fn report(run: Run) -> String {
    assert!(run.code != 101, "{}", run.stderr);
    format!("{}exit code {}\n", run.stderr, run.code)
}

fn git(package: &Package, arguments: &[&str]) {
    let settings = [
        "user.name=Somebody",
        "user.email=somebody@example.com",
        "init.defaultBranch=main",
        "commit.gpgsign=false",
    ];
    let status = Command::new("git")
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(arguments)
        .current_dir(package.path(""))
        .status()
        .unwrap();
    assert!(status.success(), "git {arguments:?}");
}
