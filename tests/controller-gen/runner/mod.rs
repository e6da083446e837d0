//! Comparison with the CRDs of controller-gen's own test suite, field by field.
//!
//! `controller-gen/<fixture>.json` is controller-gen's output for a fixture, without descriptions.
//! `golden/controller_gen/<fixture>/` is the same API in Rust. Each difference needs a row with its
//! reason in `controller-gen/differences.md`. A difference without a row fails, and so does a row
//! without a difference.

mod compare;
mod crd;
mod page;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};

use compare::Difference;
use table::Table;

const DIR: &str = "controller-gen";

/// Each fixture, whether the table has a row too many, and whether the page for users is complete.
pub fn trials() -> Vec<Trial> {
    let fixtures = names(Path::new(DIR), "json", "");
    let all = fixtures.clone();
    let mut trials = vec![
        trial("every row is a difference", move || no_idle_row(&all)),
        trial("every error is in the table", errors_are_listed),
        trial("the page has every marker", page::has_every_marker),
    ];
    for fixture in fixtures {
        let name = format!("fixtures::{fixture}");
        trials.push(trial(&name, move || is_explained(&fixture)));
    }
    trials
}

fn trial(name: &str, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::test(format!("controller_gen::{name}"), test)
}

/// Every difference of a fixture has a row in the table.
fn is_explained(fixture: &str) -> Result<(), Failed> {
    let table = Table::read()?;
    let unexplained: Vec<_> = differences(fixture)?
        .iter()
        .filter(|difference| table.row(fixture, difference).is_none())
        .map(|difference| difference.row(fixture))
        .collect();
    if unexplained.is_empty() {
        return Ok(());
    }
    Err(format!("{} has no row for\n{}", table::FILE, unexplained.join("\n")).into())
}

/// Every row of the table explains a difference that no row above it does.
fn no_idle_row(fixtures: &[String]) -> Result<(), Failed> {
    let table = Table::read()?;
    let mut used = BTreeSet::new();
    for fixture in fixtures {
        let found = differences(fixture)?;
        used.extend(found.iter().filter_map(|it| table.row(fixture, it)));
    }
    let idle: Vec<_> = table.lines_without(&used).collect();
    if idle.is_empty() {
        return Ok(());
    }
    Err(format!("no longer different:\n{}", idle.join("\n")).into())
}

/// The fixtures that controller-gen refuses are those of `golden/errors`.
fn errors_are_listed() -> Result<(), Failed> {
    let listed: Vec<_> = Table::read()?.refused;
    let cases = names(Path::new("golden/errors"), "rs", "controller_gen_");
    if listed == cases {
        return Ok(());
    }
    Err(format!(
        "{} lists {listed:?}, golden/errors has {cases:?}",
        table::FILE
    )
    .into())
}

fn differences(fixture: &str) -> Result<Vec<Difference>, Failed> {
    let theirs = crd::facts(&Path::new(DIR).join(format!("{fixture}.json")))?;
    let ours = crd::generated(&Path::new("golden/controller_gen").join(fixture))?;
    Ok(compare::differences(&theirs, &ours))
}

/// The files of a folder with that extension, sorted, without the prefix that they have.
fn names(dir: &Path, extension: &str, prefix: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .expect("the folder is beside this file")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.strip_prefix(prefix)?;
            Some(name.to_owned())
        })
        .collect();
    names.sort();
    names
}
