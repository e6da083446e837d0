//! Golden tests: generated output of each case, compared with the expected files.

mod case;
mod errors;
mod listing;
mod modules;
mod rustfmt;
mod tree;
mod widths;
mod yaml;

use std::path::Path;

use libtest_mimic::{Failed, Trial};

use case::Case;

/// Returns the tests: each case, each error case, and the list of cases in `compiled`.
pub fn trials() -> Vec<Trial> {
    let cases = case::all(Path::new("golden"));
    let listed = cases.clone();
    let mut trials = vec![Trial::test("compiled lists every case", move || {
        listing::check(&listed)
    })];
    trials.push(Trial::test("names of every width", widths::check));
    for case in cases {
        trials.push(Trial::test(case.name.clone(), move || generates(&case)));
    }
    for file in errors::all(Path::new("golden/errors")) {
        let name = format!("errors::{}", errors::name(&file));
        trials.push(Trial::test(name, move || errors::check(&file)));
    }
    trials
}

/// Returns whether generated output replaces expected output.
fn updates() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

fn generates(case: &Case) -> Result<(), Failed> {
    let generated = case.generate()?;
    let again = case.generate()?;
    if generated.files != again.files {
        return Err("a second run gives other bytes".into());
    }
    modules::check(&case.expected().join("client"), &generated.files)?;
    tree::check(&case.expected(), &generated.files)?;
    rustfmt::check(&case.expected().join("client/mod.rs"))?;
    yaml::check(case)
}
