//! `genclient diff`: `diff/<case>/` holds what is compared, in both directions, and what is said of it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::diff::Kind;
use serde_json::Value;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/diff");
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
fn every_case_says_what_is_expected() {
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
        let difference = similar::TextDiff::from_lines(&expected, &said);
        let difference = difference.unified_diff().to_string();
        assert!(difference.is_empty(), "{}:\n{difference}", file.display());
    }
}

#[test]
fn every_kind_of_change_has_a_case() {
    let mut seen = Vec::new();
    for case in cases() {
        for [old, new] in [["old.yaml", "new.yaml"], ["new.yaml", "old.yaml"]] {
            let (_, lines, _) = run(&case, &[old, new, "--message-format", "json"]);
            for line in lines.lines() {
                let change: Value = serde_json::from_str(line).unwrap();
                seen.push((change["change"].clone(), change["breaking"].clone()));
            }
        }
    }
    for kind in Kind::ALL {
        for (breaking, why) in [(true, kind.breaks), (false, kind.harmless)] {
            let wanted = (Value::from(kind.id), Value::from(breaking));
            assert!(
                why.is_empty() || seen.contains(&wanted),
                "no case shows {kind} with breaking {breaking}"
            );
        }
    }
}

#[path = "diff_chance.rs"]
mod chance;
#[path = "diff_sources.rs"]
mod sources;
