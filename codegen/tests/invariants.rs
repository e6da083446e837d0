//! What ARCHITECTURE.md says of the stages, held against their sources.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::fs;
use std::path::{Path, PathBuf};

/// Words of input, output, clocks and chance.
const IMPURE: [&str; 9] = [
    "std::fs",
    "std::env",
    "std::process",
    "SystemTime::",
    "Instant::",
    "HashMap::",
    "HashSet::",
    "print!",
    "println!",
];

fn sources(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), out);
        }
    } else {
        out.push(path.to_owned());
    }
}

#[track_caller]
fn check_free_of(stages: &[&str], words: &[&str]) {
    let mut files = Vec::new();
    for stage in stages {
        sources(&Path::new("src").join(stage), &mut files);
    }
    assert!(files.len() >= stages.len());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let found = words.iter().find(|word| line.contains(**word));
            assert!(found.is_none(), "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

#[test]
fn lookup_resolve_model_and_emit_do_no_io() {
    let stages = [
        "lookup.rs",
        "lookup",
        "resolve",
        "model.rs",
        "model",
        "emit",
    ];
    check_free_of(&stages, &IMPURE);
}

#[test]
fn definitions_are_compared_without_io() {
    check_free_of(
        &[
            "diff/absent.rs",
            "diff/allow.rs",
            "diff/change.rs",
            "diff/compare",
            "diff/definition.rs",
            "diff/kinds.rs",
            "diff/lines.rs",
            "diff/marked.rs",
            "diff/path.rs",
            "diff/report.rs",
            "diff/schema",
            "diff/source.rs",
            "diff/text.rs",
            "diff/yaml.rs",
            "pages",
        ],
        &IMPURE,
    );
}

#[test]
fn model_holds_no_syntax_trees() {
    check_free_of(
        &["model.rs", "model"],
        &["syn::", "proc_macro2", "TokenStream"],
    );
}

#[test]
fn emit_returns_no_result() {
    check_free_of(&["emit"], &["-> Result<", "-> syn::Result"]);
}
