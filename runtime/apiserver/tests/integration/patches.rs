//! Tests of patches, compared with the results of Kubernetes' own code (`hack/oracle/patch`).
//!
//! `PATCH_CASES` names a file with cases in addition to the checked-in ones.

use std::fmt::Write as _;

use genclient_builtins::types::GoType;
use genclient_merge::patch::{PatchError, json_patch, merge_patch, strategic_merge_patch};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Case<'a> {
    mode: &'a str,
    #[serde(default)]
    kind: &'a str,
    doc: Value,
    #[serde(borrow)]
    patch: &'a RawValue,
    result: Option<Value>,
    #[serde(default)]
    code: u16,
    #[serde(default)]
    message: String,
}

impl Case<'_> {
    fn apply(&self) -> Result<Value, PatchError> {
        let patch = || serde_json::from_str(self.patch.get()).unwrap();
        match self.mode {
            "json" => json_patch(&self.doc, self.patch.get().as_bytes()),
            "merge" => merge_patch(&self.doc, &patch()),
            _ => {
                let group = if self.kind == "Deployment" {
                    "apps"
                } else {
                    ""
                };
                let type_ = GoType::of_kind(group, "v1", self.kind).unwrap();
                strategic_merge_patch(&self.doc, &patch(), type_)
            }
        }
    }

    /// Returns the difference, if any.
    fn difference(&self) -> Option<String> {
        let same = match (self.apply(), &self.result) {
            (Ok(value), Some(expected)) if value == *expected => return None,
            (Err(error), None) if error.code == self.code && error.message == self.message => {
                return None;
            }
            (Ok(value), _) => value.to_string(),
            (Err(error), _) => format!("{} {}", error.code, error.message),
        };
        let expected = match &self.result {
            Some(value) => value.to_string(),
            None => format!("{} {}", self.code, self.message),
        };
        let (doc, patch) = (&self.doc, self.patch);
        Some(format!(
            "doc   {doc}\npatch {patch}\ngo    {expected}\nours  {same}\n"
        ))
    }
}

fn compare_with_go(text: &str) {
    let (mut count, mut differences) = (0, String::new());
    let mut different = 0;
    for line in text.lines() {
        let case: Case<'_> = serde_json::from_str(line).unwrap();
        count += 1;
        if let Some(difference) = case.difference() {
            different += 1;
            if different <= 5 {
                let _ = writeln!(differences, "{difference}");
            }
        }
    }
    assert_eq!(different, 0, "of {count} cases:\n{differences}");
}

#[test]
fn strategic_merge_patch_results_match_go() {
    compare_with_go(include_str!("../patches/strategic.jsonl"));
}

#[test]
fn json_patch_results_match_go() {
    compare_with_go(include_str!("../patches/json.jsonl"));
}

#[test]
fn merge_patch_results_match_go() {
    compare_with_go(include_str!("../patches/merge.jsonl"));
}

#[test]
fn patch_cases_of_a_file_match_go() {
    if let Some(path) = std::env::var_os("PATCH_CASES") {
        compare_with_go(&std::fs::read_to_string(path).unwrap());
    }
}
