//! Comparison of CustomResourceDefinition validation with Kubernetes' own, on create and update.
//!
//! `hack/oracle/definitions` prints the cases. `DEFINITIONS=FILE` replaces the checked-in ones. For
//! errors in expressions and patterns, only verdict, path and value are compared.

use genclient_apimachinery::field;
use genclient_schema::definition::crd::{self, Unevaluated};
use serde_json::Value;

#[test]
fn definitions_are_rejected_as_by_the_api_server() {
    let cases = match std::env::var("DEFINITIONS") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("../definitions.jsonl").to_owned(),
    };
    let mut differences = Vec::new();
    for (number, line) in cases.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mut definition = case["definition"].clone();
        crd::complete(&mut definition);
        let old = case.get("old").cloned().map(|mut old| {
            crd::complete(&mut old);
            old
        });
        let (name, causes) = match &old {
            None => {
                crd::prepare_create(&mut definition);
                ("create", crd::validate_create(&definition, &Unevaluated))
            }
            Some(old) => {
                crd::prepare_update(&mut definition, old);
                (
                    "update",
                    crd::validate_update(&definition, old, &Unevaluated),
                )
            }
        };
        let mut warnings = crd::format_warnings(&definition, old.as_ref());
        warnings.sort();
        let mut theirs_warned = lines(&case, "warnings");
        theirs_warned.sort();
        let mut ours: Vec<_> = causes.iter().map(shown).collect();
        let mut theirs: Vec<_> = lines(&case, name).iter().map(|line| cut(line)).collect();
        ours.sort();
        theirs.sort();
        if ours != theirs || warnings != theirs_warned {
            let missing: Vec<_> = theirs.iter().filter(|it| !ours.contains(it)).collect();
            let extra: Vec<_> = ours.iter().filter(|it| !theirs.contains(it)).collect();
            let number = number + 1;
            let counts = (ours.len(), theirs.len(), warnings, theirs_warned);
            differences.push(format!(
                "{number} {name} {counts:?}:\n  missing {missing:#?}\n  extra {extra:#?}"
            ));
        }
    }
    let shown = differences.len().min(20);
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences[..shown].join("\n")
    );
}

fn lines(case: &Value, name: &str) -> Vec<String> {
    let lines = case
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    lines
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

fn shown(cause: &field::Error) -> String {
    let field::Error {
        field,
        reason,
        message,
    } = cause;
    cut(&format!("{reason} | {field} | {message}"))
}

/// Removes the wording of errors in expressions.
fn cut(line: &str) -> String {
    let cut = line.split_once("compilation failed: ");
    cut.map_or(line, |(before, _)| before).to_owned()
}
