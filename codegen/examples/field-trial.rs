//! Field trial of kube's kinds: runs the generator on checkouts of projects and counts the kinds
//! that it supports.
//!
//! `field-trial FOLDER…` prints a Markdown table, followed by each omitted kind with its reason.
//! It writes nothing into the checkouts.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use genclient_codegen::{Artefact, Diagnostics, discover, generate_partial};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The results for one checkout.
#[derive(Default)]
struct Row {
    declared: usize,
    /// Kinds in packages without errors.
    untouched: usize,
    /// Kinds that `--keep-going` generates.
    kept: usize,
    /// Omitted kinds or packages, each with its reason.
    left_out: Vec<(String, String)>,
}

fn main() -> Result<ExitCode> {
    let folders: Vec<_> = std::env::args().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        return Err("usage: field-trial FOLDER…".into());
    }
    println!("| project | revision | kinds | untouched | `--keep-going` |\n|---|---|---|---|---|");
    let mut sum = Row::default();
    let mut details = String::new();
    for folder in &folders {
        let name = project_name(folder);
        let row = generate_crds(&fs::canonicalize(folder)?)?;
        println!(
            "| {name} | `{}` | {} | {} | {} |",
            read_revision(folder),
            row.declared,
            row.untouched,
            row.kept
        );
        for (what, why) in &row.left_out {
            details.push_str(&format!("- {name}: {what}: {why}\n"));
        }
        sum.declared += row.declared;
        sum.untouched += row.untouched;
        sum.kept += row.kept;
    }
    let share = |part: usize| (part * 100).checked_div(sum.declared).unwrap_or_default();
    println!(
        "| {} projects | | {} | {} ({} %) | {} ({} %) |\n\n{details}",
        folders.len(),
        sum.declared,
        sum.untouched,
        share(sum.untouched),
        sum.kept,
        share(sum.kept)
    );
    Ok(ExitCode::SUCCESS)
}

/// `owner/name` of a folder named `owner+name`, else the folder's name.
fn project_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.replace('+', "/")
}

/// The commit of a checkout, from git or from a file `.revision` beside exported files.
fn read_revision(folder: &Path) -> String {
    let exported = fs::read_to_string(folder.join(".revision")).ok();
    let asked = || {
        let git = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["rev-parse", "HEAD"])
            .output();
        git.ok()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let revision = exported.or_else(asked).unwrap_or_default();
    revision.trim().chars().take(8).collect()
}

/// Generates the CRDs of every package in a checkout, as `genclient update --only crd` does in the
/// package's folder.
fn generate_crds(folder: &Path) -> Result<Row> {
    let mut row = Row::default();
    for manifest in find_manifests(folder)? {
        let dir = manifest.parent().unwrap_or(folder);
        let declared = count_declared_kinds(dir)?;
        let shown = dir
            .strip_prefix(folder)
            .unwrap_or(dir)
            .display()
            .to_string();
        let projects = match discover(Some(&manifest), &[]) {
            Ok(projects) => projects,
            Err(findings) => {
                row.fail(declared, shown, &findings);
                continue;
            }
        };
        // For a package without kinds, `discover` returns the other members of its workspace. They
        // are skipped here, because this loop visits them by their own manifests.
        let Some(project) = projects.into_iter().find(|project| project.dir == dir) else {
            row.fail(declared, shown, &Diagnostics::default());
            continue;
        };
        match generate_partial(&project, &BTreeSet::from([Artefact::Crd])) {
            Ok(generation) => {
                let kept = generation.kinds - generation.left_out.len();
                row.declared += generation.kinds;
                row.kept += kept;
                if generation.left_out.is_empty() {
                    row.untouched += kept;
                }
                for kind in generation.left_out {
                    row.left_out
                        .push((kind.name.to_string(), join_errors(&kind.errors)));
                }
            }
            Err(findings) => row.fail(declared, shown, &findings),
        }
    }
    Ok(row)
}

impl Row {
    /// Adds a package whose kinds are all omitted, because it cannot be read.
    fn fail(&mut self, declared: usize, package: String, findings: &Diagnostics) {
        if declared > 0 {
            self.declared += declared;
            let package = format!("{declared} of the package {package:?}");
            self.left_out.push((package, join_errors(findings)));
        }
    }
}

fn join_errors(findings: &Diagnostics) -> String {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == genclient_codegen::Severity::Error);
    let mut reasons: Vec<_> = errors
        .map(|error| error.message.replace('\n', " "))
        .collect();
    reasons.sort();
    reasons.dedup();
    reasons.join("; ")
}

/// The number of kinds declared by a package, counted as `#[kube(…)]` lines with `group` in its
/// sources.
fn count_declared_kinds(dir: &Path) -> Result<usize> {
    let mut files = Vec::new();
    collect_files(&dir.join("src"), &|name| name.ends_with(".rs"), &mut files)?;
    let is_package = |folder: &Path| folder != dir && folder.join("Cargo.toml").is_file();
    files.retain(|file| !file.ancestors().take_while(|at| *at != dir).any(is_package));
    let mut count = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines = text
            .lines()
            .filter(|line| line.trim_start().starts_with("#[kube("));
        count += lines.filter(|line| line.contains("group")).count();
    }
    Ok(count)
}

fn find_manifests(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect_files(folder, &|name| name == "Cargo.toml", &mut found)?;
    found.sort();
    let is_package = |file: &PathBuf| {
        fs::read_to_string(file)
            .is_ok_and(|text| text.lines().any(|line| line.trim() == "[package]"))
    };
    found.retain(is_package);
    Ok(found)
}

/// Collects the files of a package or checkout that `wanted` accepts by their names, except files
/// of builds, tests, benches and examples.
fn collect_files(
    folder: &Path,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    const PASSED_OVER: [&str; 6] = [".git", "benches", "examples", "target", "tests", "test"];
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() && !PASSED_OVER.contains(&name.as_str()) {
            collect_files(&entry.path(), wanted, found)?;
        } else if kind.is_file() && wanted(&name) {
            found.push(entry.path());
        }
    }
    Ok(())
}
