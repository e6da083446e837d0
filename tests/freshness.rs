//! Freshness of checked-in files: generated clients and CRDs, and names in documentation.
//!
//! Clients and CRDs of the examples and of the e2e tests equal the output of `genclient update`.
//! Files and tests that pages name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use genclient_codegen::Artefact;

#[test]
fn generated_code_is_up_to_date() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let projects = genclient_codegen::discover(Some(&workspace), &[])
        .unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let names: Vec<_> = projects
        .iter()
        .map(|project| project.name.as_str())
        .collect();
    for expected in ["demo-api", "fixture", "gputask", "scaling"] {
        assert!(
            names.contains(&expected),
            "{expected} is not found: {names:?}"
        );
    }
    for project in &projects {
        let generated = genclient_codegen::generate(project, &Artefact::ALL.into())
            .unwrap_or_else(|wrong| panic!("{}: {wrong:?}", project.name));
        let drift = generated
            .files
            .verify()
            .unwrap_or_else(|wrong| panic!("{}: {wrong:?}", project.name));
        let stale: Vec<_> = drift.iter().map(|drift| &drift.path).collect();
        assert!(
            stale.is_empty(),
            "{}: run `cargo run -p codegen -- update`: {stale:#?}",
            project.name
        );
    }
}

/// The list of pages and the contents of the book are complete, and the current contract of
/// generated code has a page.
#[test]
fn every_page_is_listed() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let contract = format!("contract-{}.md", genclient::CONTRACT);
    assert!(root.join("upgrading").join(contract).is_file());
    for (folder, list) in [
        ("", "README.md"),
        ("upgrading/", "README.md"),
        ("", "SUMMARY.md"),
        ("book/", "SUMMARY.md"),
        ("upgrading/", "SUMMARY.md"),
    ] {
        let list_text = std::fs::read_to_string(root.join(list))?;
        for entry in std::fs::read_dir(root.join(folder))? {
            let name = entry?.file_name().into_string().unwrap_or_default();
            let is_list = ["README.md", "SUMMARY.md"].contains(&&*name);
            let is_page = name.ends_with(".md") && !is_list;
            let is_listed = list_text.contains(&format!("]({folder}{name})"));
            assert!(!is_page || is_listed, "{list}: {folder}{name}");
        }
    }
    Ok(())
}

/// A new project depends on the versions that this repository is tested with.
#[test]
fn project_templates_require_tested_versions() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(root.join(path));
    let locked: toml::Table = toml::from_str(&read("Cargo.lock")?)?;
    let packages = locked["package"].as_array().into_iter().flatten();
    let tested: BTreeSet<_> = packages
        .filter_map(|package| Some((package["name"].as_str()?, package["version"].as_str()?)))
        .collect();
    let templates = "codegen/cli/src/scaffold/templates";
    let manifest = read(&format!("{templates}/Cargo.toml.tmpl"))?;
    let (_, dependencies) = manifest
        .split_once("[dependencies]")
        .ok_or("no dependencies")?;
    let asked: Vec<_> = dependencies
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(" = ")?;
            let version = rest.split('"').nth(1)?;
            version
                .starts_with(|c: char| c.is_ascii_digit())
                .then_some((name, version))
        })
        .collect();
    assert!(asked.len() > 5, "{asked:?}");
    let untested: Vec<_> = asked.iter().filter(|it| !tested.contains(*it)).collect();
    assert!(untested.is_empty(), "{untested:?}");
    let toolchain: toml::Table = toml::from_str(&read("rust-toolchain.toml")?)?;
    let channel = toolchain["toolchain"]["channel"]
        .as_str()
        .ok_or("no channel")?;
    let (minor, _) = channel.rsplit_once('.').ok_or("no version")?;
    let image = format!("FROM rust:{minor}-trixie AS build");
    assert!(read(&format!("{templates}/Dockerfile.tmpl"))?.contains(&image));
    Ok(())
}

/// Paths are relative to the repository root, or to the folder that their section describes.
#[test]
fn files_named_in_contributor_pages_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut present = Vec::new();
    paths(&root, "", &mut present);
    let mut missing = Vec::new();
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap_or_default();
        let named: Vec<_> = text.split('`').skip(1).step_by(2).filter(is_path).collect();
        assert!(named.len() > 10, "{page} names no files: {named:?}");
        let is_missing = |name: &&str| {
            let end = format!("/{}", name.trim_start_matches("./"));
            !present.iter().any(|path: &String| path.ends_with(&end))
        };
        missing.extend(
            named
                .into_iter()
                .filter(is_missing)
                .map(|name| format!("{page}: {name}")),
        );
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// In the column `here` or `tested here by` of tables, `module::test` names a test of this
/// repository, and `module::*` the tests of a module.
#[test]
fn tests_named_in_the_go_pages_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let words = words_by_module(&root);
    for (page, count) in [
        ("client-go.md", 200),
        ("controller-runtime.md", 200),
        ("controllers.md", 10),
    ] {
        let text = std::fs::read_to_string(root.join("docs").join(page)).unwrap_or_default();
        let named = named_tests(&text);
        assert!(named.len() > count, "{page} names {} tests", named.len());
        let is_missing = |name: &&&str| {
            let mut segments = name.rsplit("::");
            let (last, module) = (segments.next(), segments.next());
            let (Some(last), Some(module)) = (last, module) else {
                return false;
            };
            let has = |words: &BTreeSet<String>| last == "*" || words.contains(last);
            !words.get(module).is_some_and(has)
        };
        let missing: Vec<_> = named.iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "{page}: {missing:#?}");
    }
}

/// The paths in backticks in the second column of tables, if its heading is `here` or `tested here
/// by`.
fn named_tests(page: &str) -> Vec<&str> {
    let (mut is_ours, mut named) = (false, Vec::new());
    for line in page.lines().filter(|line| !line.starts_with("|---")) {
        let Some(cell) = line
            .strip_prefix('|')
            .and_then(|row| row.split(" | ").nth(1))
        else {
            is_ours = false;
            continue;
        };
        is_ours |= ["here", "tested here by |"].contains(&cell);
        let quoted = cell.split('`').skip(1).step_by(2).filter(|_| is_ours);
        let is_of_path =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:*".contains(c);
        let is_test = |text: &&str| {
            let is_path = text.contains("::") && text.chars().all(is_of_path);
            is_path && !text.starts_with("genclient::")
        };
        named.extend(quoted.filter(is_test));
    }
    named
}

/// The words in the files of each module with tests. A module is a file, a folder, or inline.
fn words_by_module(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    for folder in ["runtime", "tests"] {
        paths(&root.join(folder), folder, &mut files);
    }
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let found: BTreeSet<_> = text.split(|c| !is_word(c)).map(str::to_owned).collect();
        let inline = text.lines().filter_map(|line| {
            line.trim()
                .trim_start_matches("pub ")
                .strip_prefix("mod ")?
                .strip_suffix(" {")
        });
        let parts = file.trim_end_matches(".rs").split('/');
        for module in parts.chain(inline) {
            words
                .entry(module.to_owned())
                .or_default()
                .extend(found.iter().cloned());
        }
    }
    words
}

/// True for `tests/walls.rs` and `emit/`, but not for `*.md`, `<kind>.rs` or code such as
/// `main.rs`'s.
fn is_path(text: &&str) -> bool {
    let ends = [".rs", ".sh", ".md", ".txt", ".tsv", "/"];
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    ends.iter().any(|end| text.ends_with(end)) && text.len() > 1 && text.chars().all(is_plain)
}

/// Collects the files and folders below `folder`, as `/a/b.rs` and `/a/`.
fn paths(folder: &Path, prefix: &str, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && name != "target" && name != ".git" {
            let path = format!("{prefix}/{name}");
            out.push(format!("{path}/"));
            paths(&entry.path(), &path, out);
        } else {
            out.push(format!("{prefix}/{name}"));
        }
    }
}
