//! `genclient diff`: each `diff/<case>/` has two definitions and the expected output of comparing
//! them in both directions.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use genclient_diff::ChangeKind;
use serde_json::Value;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/diff");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    cases
}

fn run(case: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
        .arg("diff")
        .args(arguments)
        .current_dir(case)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn every_diff_case_prints_the_expected_changes() {
    for case in cases() {
        let mut said = String::new();
        for [old, new] in [["old.yaml", "new.yaml"], ["new.yaml", "old.yaml"]] {
            let (code, stdout, stderr) = run(&case, &[old, new]);
            assert!(code < 2, "{}: {stderr}", case.display());
            let _ = write!(
                said,
                "$ genclient diff {old} {new}\n? {code}\n{stdout}{stderr}\n"
            );
        }
        let file = case.join("expected.txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&file, &said).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        let difference = similar::TextDiff::from_lines(&expected, &said)
            .unified_diff()
            .to_string();
        assert!(difference.is_empty(), "{}:\n{difference}", file.display());
    }
}

/// The changes of every case, in both directions.
fn changes(flags: &[&str]) -> Vec<Value> {
    let mut changes = Vec::new();
    for case in cases() {
        for [old, new] in [["old.yaml", "new.yaml"], ["new.yaml", "old.yaml"]] {
            let mut arguments = vec![old, new, "--message-format", "json"];
            arguments.extend(flags);
            let (_, lines, _) = run(&case, &arguments);
            changes.extend(
                lines
                    .lines()
                    .map(|line| serde_json::from_str(line).unwrap()),
            );
        }
    }
    changes
}

#[test]
fn every_reason_has_a_case() {
    let changes = changes(&[]);
    for kind in ChangeKind::ALL {
        for (breaking, why) in [
            (true, kind.breaks),
            (false, kind.widens),
            (false, kind.harmless),
        ] {
            let shows = |change: &Value| {
                change["change"] == kind.id
                    && change["breaking"] == breaking
                    && change["why"] == why
            };
            assert!(
                why.is_empty() || changes.iter().any(shows),
                "no case shows {kind} with breaking {breaking}: {why}"
            );
        }
    }
}

#[test]
fn strict_reports_widened_values_as_breaking() {
    let strict = changes(&["--strict"]);
    assert_eq!(strict.len(), changes(&[]).len());
    for change in strict {
        let kind = ChangeKind::ALL
            .iter()
            .find(|kind| change["change"] == kind.id)
            .unwrap();
        let breaking = [kind.breaks, kind.widens].contains(&change["why"].as_str().unwrap());
        // A change relative to an old version of another name is not breaking.
        let breaking = breaking && change.get("against").is_none();
        assert_eq!(change["breaking"], breaking, "{change}");
    }
}

/// The schema key of a field.
fn key_of(path: &str) -> String {
    let name = path.rsplit(['.', '"']).next().unwrap_or(path);
    match path {
        _ if path.ends_with("[*]") => "items:".to_owned(),
        _ if path.ends_with("{*}") => "additionalProperties:".to_owned(),
        _ if path.ends_with("\"]") => path.rsplit('"').nth(1).unwrap().to_owned(),
        _ => format!("{name}:"),
    }
}

#[test]
fn json_names_the_line_of_the_field() {
    for case in cases() {
        let format = ["old.yaml", "new.yaml", "--message-format", "json"];
        for line in run(&case, &format).1.lines() {
            let change: Value = serde_json::from_str(line).unwrap();
            let file = case.join(change["file"].as_str().unwrap());
            let text = fs::read_to_string(file).unwrap();
            let number = usize::try_from(change["line"].as_u64().unwrap()).unwrap();
            let line = text.lines().nth(number - 1).unwrap();
            let key = match (change["path"].as_str(), change["version"].as_str()) {
                (Some(path), _) => key_of(path),
                (None, Some(version)) => format!("name: {version}"),
                (None, None) => "apiVersion:".to_owned(),
            };
            // A removed element is located at its nearest existing ancestor. So are the values of a
            // map whose schema only preserves unknown fields.
            let removed = change["change"].as_str().unwrap().ends_with("-removed");
            let gone = removed || !text.contains(&key);
            let map = change["path"]
                .as_str()
                .and_then(|path| path.strip_suffix("{*}"));
            let open = map.is_some_and(|map| line.contains(&key_of(map)));
            assert!(line.contains(&key) || gone || open, "{change}: {line}");
            assert!(change.get("package").is_none(), "{change}");
        }
    }
}

#[test]
fn quiet_prints_only_breaking_changes() {
    for case in cases() {
        for format in ["human", "json"] {
            let all = ["old.yaml", "new.yaml", "--message-format", format];
            let (code, lines, _) = run(&case, &all);
            let (quiet_code, quiet, stderr) = run(&case, &[&all[..], &["-q"]].concat());
            assert_eq!((quiet_code, stderr.as_str()), (code, ""));
            let broken = |text: &str| match format {
                "human" => text.matches("  breaking ").count(),
                _ => text.matches("\"breaking\":true").count(),
            };
            assert_eq!(broken(&quiet), broken(&lines));
            assert!(!quiet.contains("  note ") && !quiet.contains("\"breaking\":false"));
            assert_eq!(quiet.is_empty(), code == 0, "{quiet}");
        }
    }
}

#[path = "diff_allowances.rs"]
mod allowances;
#[path = "diff_clones.rs"]
mod clones;
#[path = "diff_random.rs"]
mod random;
#[path = "diff_revisions.rs"]
mod revisions;
#[path = "diff_sources.rs"]
mod sources;
