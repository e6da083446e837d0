//! Tests of quantities and times, compared with the results of Kubernetes' own code
//! (`hack/oracle/quantity`). `SCALAR_CASES` names a file with more cases.

#![expect(clippy::panic, reason = "a test may fail anywhere")]

use genclient_apimachinery::{meta, resource::Quantity};

fn check(cases: &str) {
    let mut different = Vec::new();
    for line in cases.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, text, expected] = *cells else {
            panic!("{line}");
        };
        let ours = match kind {
            "quantity" => Quantity::parse(text.trim())
                .map(|quantity| quantity.canonical())
                .map_err(|error| error.to_string()),
            "time" => meta::parse_time(text).map(meta::format_time),
            _ => meta::parse_micro_time(text)
                .map(|(seconds, micros)| meta::format_micro_time(seconds, micros)),
        };
        let ours = ours.unwrap_or_else(|error| format!("!{error}"));
        if ours != expected {
            different.push(format!("{line}\tours: {ours}"));
        }
    }
    let first: Vec<_> = different.iter().take(30).collect();
    assert!(
        different.is_empty(),
        "{} differ: {first:#?}",
        different.len()
    );
}

#[test]
fn scalars_are_decoded_as_in_go() {
    check(include_str!("scalars.tsv"));
}

#[test]
fn scalar_cases_of_a_file_match_go() {
    if let Some(path) = std::env::var_os("SCALAR_CASES") {
        check(&std::fs::read_to_string(path).unwrap());
    }
}
