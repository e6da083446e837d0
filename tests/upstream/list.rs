//! The list of upstream's tests, with a check that each one about a server has a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use e2e::suite::Outcome;

use crate::Failure;
use crate::cases::Case;

/// The upstream tests by name; the value is true for tests about a server.
pub(crate) type Listed = BTreeMap<String, bool>;

/// Reads lines of the form `server NAME` and `go NAME`.
pub(crate) fn read(path: &Path) -> Result<Listed, Failure> {
    let text = fs::read_to_string(path)?;
    let mut listed = Listed::new();
    for line in text
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
    {
        let (about, name) = line
            .split_once(' ')
            .ok_or_else(|| format!("no name: {line}"))?;
        let is_server = match about {
            "server" => true,
            "go" => false,
            other => return Err(format!("{other} is neither server nor go").into()),
        };
        if listed.insert(name.to_owned(), is_server).is_some() {
            return Err(format!("twice: {name}").into());
        }
    }
    Ok(listed)
}

/// Checks that every test about a server has a case, that cases refer only to such tests, and that
/// the numbers in `docs/testing.md` are correct.
pub(crate) fn check(listed: &Listed, cases: &[Case]) -> Outcome {
    let mut names = BTreeSet::new();
    let mut shown = BTreeSet::new();
    let mut contradicted = BTreeSet::new();
    for case in cases {
        if !names.insert(case.name.as_str()) {
            return Err(format!("two cases {}", case.name).into());
        }
        for test in &case.of {
            if listed.get(test) != Some(&true) {
                return Err(format!("{}: no test about a server: {test}", case.name).into());
            }
            shown.insert(test.as_str());
            if case.upstream.is_some() {
                contradicted.insert(test.as_str());
            }
        }
    }
    let about: Vec<_> = listed.iter().filter(|(_, is_server)| **is_server).collect();
    let names = about.iter().map(|(name, _)| name.as_str());
    let missing: Vec<_> = names.filter(|name| !shown.contains(name)).collect();
    if !missing.is_empty() {
        return Err(format!("without a case:\n{}", missing.join("\n")).into());
    }
    let numbers = format!(
        "Of {} tests, {} are about a server: {} agree with kube-apiserver, {} contradict it.",
        listed.len(),
        about.len(),
        about.len() - contradicted.len(),
        contradicted.len()
    );
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
    let docs = fs::read_to_string(docs)?
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if docs.contains(&numbers) {
        Ok(())
    } else {
        Err(format!("docs/testing.md does not say: {numbers}").into())
    }
}
