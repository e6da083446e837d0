//! Tests of documents and comments.
//!
//! Modules in the glossary, paths in the pages for contributors, and functions in the walks of
//! ARCHITECTURE.md exist. Every published crate has a paragraph there. Comments are at most 100
//! columns wide.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::fs;
use std::path::{Path, PathBuf};

/// The packages of `docs/glossary.md`, and their sources.
const PACKAGES: [(&str, &str); 6] = [
    ("apiserver", "../runtime/apiserver/src"),
    ("cli", "../codegen/cli/src"),
    ("codegen", "../codegen/src"),
    ("controller", "../runtime/controller/src"),
    ("diff", "../codegen/diff/src"),
    ("runtime", "../runtime/src"),
];

const PAGES: [&str; 3] = ["../ARCHITECTURE.md", "../CONTRIBUTING.md", "../README.md"];

#[test]
fn glossary_terms_are_defined_in_their_modules() {
    let page = fs::read_to_string("../docs/glossary.md").unwrap();
    let (_, table) = page.split_once("\n---|---|---\n").unwrap();
    let rows: Vec<_> = table.lines().collect();
    assert!((10..=25).contains(&rows.len()), "{} rows", rows.len());
    let has_place = |row: &&str| {
        let cells = row.strip_suffix('`').and_then(|row| row.rsplit_once("| `"));
        cells.is_some_and(|(_, place)| is_defined(place))
    };
    let missing: Vec<_> = rows.iter().filter(|row| !has_place(row)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Returns whether a path such as `codegen::known::mapping::Known` names a module or an item in
/// one, or a path such as `tests/walls.txt` a file.
fn is_defined(place: &str) -> bool {
    if place.contains('/') {
        return Path::new("..").join(place).exists();
    }
    let mut names = place.split("::");
    let package = names.next().unwrap();
    let Some((_, sources)) = PACKAGES.iter().find(|(name, _)| *name == package) else {
        return false;
    };
    let mut folder = PathBuf::from(sources);
    let mut file = folder.join("lib.rs");
    for name in names.by_ref() {
        let inner = folder.join(name);
        let files = [inner.with_extension("rs"), inner.join("mod.rs")];
        match files.into_iter().find(|file| file.is_file()) {
            Some(found) => file = found,
            None => return names.next().is_none() && defines(&file, name),
        }
        folder = inner;
    }
    true
}

fn defines(file: &Path, item: &str) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let kinds = ["struct", "enum", "trait", "type", "const", "fn"];
    let is_start = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    kinds.iter().any(|kind| {
        let head = format!("{kind} {item}");
        let mut found = text.match_indices(&head);
        found.any(|(at, _)| is_start(&text[at + head.len()..]))
    })
}

#[test]
fn paths_in_pages_exist() {
    let root = Path::new("..");
    let mut missing = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(page).unwrap();
        for code in text.split('`').skip(1).step_by(2) {
            let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
            let first = code.split('/').next().unwrap_or_default();
            let is_here = code.contains('/') && code.chars().all(is_path) && !first.is_empty();
            if is_here && root.join(first).is_dir() && !root.join(code).exists() {
                missing.push(format!("{page}: {code}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// A step of a walk begins with a file. `name()` in the step is a function of this file.
#[test]
fn functions_in_walks_exist() {
    let page = fs::read_to_string("../ARCHITECTURE.md").unwrap();
    let (_, rest) = page.split_once("\n## Guided walks\n").unwrap();
    let (walks, _) = rest.split_once("\n## ").unwrap();
    let mut parts = walks.split('`');
    let mut before = parts.next().unwrap();
    let (mut file, mut count) = (PathBuf::new(), 0);
    let mut missing = Vec::new();
    while let (Some(code), Some(after)) = (parts.next(), parts.next()) {
        if ends_with_item_number(before) {
            file = Path::new("..").join(code);
        } else if let Some(function) = code.strip_suffix("()") {
            count += 1;
            if !defines(&file, function) {
                missing.push(format!("{}: {function}", file.display()));
            }
        }
        before = after;
    }
    assert!(count > 50, "{count} functions");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Returns whether the last line is the number of an ordered list's item, such as `12. `.
fn ends_with_item_number(text: &str) -> bool {
    let number = text
        .rsplit('\n')
        .next()
        .and_then(|it| it.strip_suffix(". "));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn every_published_crate_has_a_paragraph() {
    let page = fs::read_to_string("../ARCHITECTURE.md").unwrap();
    let workspace = read_manifest(Path::new(".."));
    let mut headings = Vec::new();
    for member in workspace["workspace"]["members"].as_array().unwrap() {
        let folder = member.as_str().unwrap();
        let manifest = read_manifest(&Path::new("..").join(folder));
        let package = &manifest["package"];
        if package.get("publish").is_none() {
            let name = package["name"].as_str().unwrap();
            headings.push(format!("### `{folder}`: {name}"));
        }
    }
    assert!(headings.len() > 10, "{headings:#?}");
    headings.retain(|heading| !page.lines().any(|line| line == heading));
    assert!(headings.is_empty(), "{headings:#?}");
}

fn read_manifest(folder: &Path) -> toml::Table {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// kubectl reads `kustomization.yaml` in a folder after `-f` as an object, and fails.
/// `config/samples` has no such file.
#[test]
fn folders_with_a_kustomization_are_not_applied_as_files() {
    let pages = [
        Path::new("../docs"),
        Path::new("../codegen/cli/src/scaffold"),
    ]
    .map(tests::files);
    let mut wrong = Vec::new();
    let others = ["../README.md", "../runtime/apiserver/src/main.rs"].map(PathBuf::from);
    for page in pages.into_iter().flatten().chain(others) {
        let Ok(text) = fs::read_to_string(&page) else {
            continue;
        };
        for line in text.lines().filter(|line| line.contains("kubectl")) {
            let mut folders = line.split(" -f config/").skip(1);
            if folders.any(|rest| {
                let path = rest.split([' ', '`']).next().unwrap_or_default();
                !path.contains('.') && path != "samples"
            }) {
                wrong.push(format!("{}: {line}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The program of the API server is not installed with `genclient`.
#[test]
fn pages_with_in_process_runs_show_how_to_install_the_api_server() {
    for page in [
        "../README.md",
        "../codegen/cli/src/scaffold/templates/README.md.tmpl",
        "../docs/book/getting-started.md",
        "../docs/book/running.md",
    ] {
        let text = fs::read_to_string(page).unwrap();
        assert!(text.contains("genclient run --in-process"), "{page}");
        let mut lines = text.lines().filter(|line| line.contains("cargo install"));
        assert!(lines.any(|line| line.contains("--features cli")), "{page}");
    }
}

/// Go writes `1h30m0s`, `1.5s`, `0s` and `100ms`.
#[test]
fn pages_show_durations_as_the_prelude_writes_them() {
    use genclient::prelude::Duration;

    for (read, written) in [
        ("1h30m", "5400s"),
        ("1h30m0s", "5400s"),
        ("1.5s", "1.5s"),
        ("0s", "0ns"),
        ("100ms", "100ms"),
    ] {
        let duration = read.parse::<Duration>().unwrap();
        assert_eq!(serde_json::json!(duration), written);
    }
    for page in ["../docs/book/api.md", "../docs/controller-gen.md"] {
        let text = fs::read_to_string(page).unwrap();
        for written in ["`1h30m`", "`5400s`", "`1h30m0s`"] {
            assert!(text.contains(written), "{page}: {written}");
        }
    }
}

const SOURCES: [&str; 6] = [
    "../apimachinery",
    "../codegen",
    "../examples",
    "../macros",
    "../runtime",
    "../tests",
];

#[test]
fn comments_are_at_most_100_columns_wide() {
    let files = SOURCES
        .iter()
        .flat_map(|folder| tests::files(Path::new(folder)));
    let mut lines = 0;
    let mut wide = Vec::new();
    for file in files.filter(|file| file.extension().is_some_and(|it| it == "rs")) {
        let text = fs::read_to_string(&file).unwrap();
        let comments = { text.lines().enumerate() }.filter(|(_, it)| it.trim().starts_with("//"));
        for (at, line) in comments {
            lines += 1;
            if line.chars().count() > 100 {
                wide.push(format!("{}:{}", file.display(), at + 1));
            }
        }
    }
    assert!(lines > 10_000, "{lines} lines of comments");
    assert!(wide.is_empty(), "{wide:#?}");
}
