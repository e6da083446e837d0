//! Equality of diagnostics from the macros and the command line: each error in `ui/*/*.stderr` is
//! also reported by the pipeline for the same source, with the same text at the same line.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use genclient_codegen::{Artefact, ClientModule, Project};
use libtest_mimic::{Failed, Trial};

/// Returns a test for each case of the macros.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    // The errors in these groups are rustc's, not the macros'.
    let is_of_macros = |group: &PathBuf| {
        !["mistakes", "stale"]
            .iter()
            .any(|name| group.ends_with(name))
    };
    for group in entries(Path::new("ui")).into_iter().filter(is_of_macros) {
        for case in entries(&group) {
            if case.extension().is_some_and(|extension| extension == "rs") {
                let name = format!("messages::{}", case.display());
                trials.push(Trial::test(name, move || check(&case)));
            }
        }
    }
    trials
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A message with its line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    line: usize,
    text: String,
    help: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}: {}", self.line, self.text)?;
        writeln!(f, "    help: {}", self.help)
    }
}

fn check(case: &Path) -> Result<(), Failed> {
    let stderr = fs::read_to_string(case.with_extension("stderr"))?;
    let macros = from_macros(&stderr);
    let pipeline = from_pipeline(case);
    if macros.is_empty() {
        return Err("no message of the macros in the .stderr".into());
    }
    let missing: String = macros
        .difference(&pipeline)
        .map(ToString::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let said: String = pipeline.iter().map(ToString::to_string).collect();
    Err(format!("only the macros say:\n{missing}\nthe pipeline says:\n{said}").into())
}

/// The errors with a help in the message. Errors of the compiler itself have none.
fn from_macros(stderr: &str) -> BTreeSet<Message> {
    let mut messages = BTreeSet::new();
    let mut lines = stderr.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(text) = line.strip_prefix("error: ") else {
            continue;
        };
        let Some(help) = lines
            .peek()
            .and_then(|line| line.trim().strip_prefix("help: "))
        else {
            continue;
        };
        let help = help.to_owned();
        let place = lines.find_map(|line| line.trim().strip_prefix("--> "));
        let line = place.and_then(|place| place.split(':').nth(1)?.parse().ok());
        messages.extend(line.map(|line| Message {
            line,
            text: text.to_owned(),
            help,
        }));
    }
    messages
}

fn from_pipeline(case: &Path) -> BTreeSet<Message> {
    let out = Path::new("no/where");
    let project = Project {
        name: "ui".into(),
        working_dir: PathBuf::new(),
        dir: out.to_owned(),
        apis: case.with_extension(""),
        crate_root: out.join("lib.rs"),
        types: "crate".into(),
        client: ClientModule {
            dir: out.join("client"),
            root_file: "mod.rs".into(),
            path: "crate::client".into(),
            package: out.to_owned(),
            in_program: false,
        },
        edition: "2024".to_owned(),
        library: "compiled".into(),
        config: out.join("config"),
        ..Project::default()
    };
    let Err(errors) = genclient_codegen::understand(&project, &Artefact::ALL.into()) else {
        return BTreeSet::new();
    };
    errors
        .iter()
        .filter_map(|finding| {
            let (line, _) = finding.location.as_ref()?.line_column();
            Some(Message {
                line,
                text: finding.message.clone(),
                help: finding.help.as_ref()?.to_string(),
            })
        })
        .collect()
}
