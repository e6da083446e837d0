//! Comparison of generated files with the expected ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use genclient_codegen::FileSet;
use libtest_mimic::Failed;

/// Compares all bytes. The error lists missing, unexpected and different files, with a diff.
pub fn check(expected: &Path, generated: &FileSet) -> Result<(), Failed> {
    if crate::updates() {
        write(expected, generated);
    }
    let mut report = String::new();
    let mut known = BTreeSet::new();
    for (path, text) in generated.iter() {
        known.insert(path.to_owned());
        match fs::read_to_string(path) {
            Ok(found) => report.push_str(&diff(path, &found, text)),
            Err(_) => report.push_str(&format!("{}: not expected\n", path.display())),
        }
    }
    for path in unknown(expected, &known) {
        report.push_str(&format!("{}: not generated\n", path.display()));
    }
    if report.is_empty() {
        Ok(())
    } else {
        Err(format!("{report}cargo xtask bless takes what is generated as expected").into())
    }
}

/// Returns a unified diff; empty if the texts are equal.
pub fn diff(path: &Path, expected: &str, generated: &str) -> String {
    let name = path.display().to_string();
    similar::TextDiff::from_lines(expected, generated)
        .unified_diff()
        .header(&name, "generated")
        .to_string()
}

fn write(expected: &Path, generated: &FileSet) {
    let mut known = BTreeSet::new();
    for (path, text) in generated.iter() {
        known.insert(path.to_owned());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read_to_string(path).is_ok_and(|found| found == text) {
            continue;
        }
        fs::write(path, text).unwrap();
    }
    for path in unknown(expected, &known) {
        fs::remove_file(path).unwrap();
    }
}

fn unknown(expected: &Path, known: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut files = tests::files(expected);
    files.retain(|file| !known.contains(file));
    files
}
