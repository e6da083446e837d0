//! Golden tests: small API modules, and what is generated for them; and comparisons of its CRDs
//! with controller-gen's, and of its diagnostics with those of the macros.
//!
//! A case is a folder `golden/<group>/<case>/` with an `apis.rs` (or `apis/mod.rs`), maybe other
//! modules of its crate, a `settings.toml`, and the tree `expected/`. Its group decides which
//! artefacts that tree holds. A case in `golden/errors/` is a module with mistakes, beside the
//! expected diagnostics. `UPDATE_EXPECT=1` replaces expected output, as `cargo xtask bless` does.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

mod case;
#[path = "../controller-gen/runner/mod.rs"]
mod controller_gen;
mod errors;
mod listing;
#[path = "../messages.rs"]
mod messages;
mod modules;
mod rustfmt;
mod tree;
mod widths;
mod yaml;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use case::Case;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = trials();
    trials.extend(controller_gen::trials());
    trials.extend(messages::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns the tests: each case, each error case, and the list of cases in `compiled`.
fn trials() -> Vec<Trial> {
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
