//! Fuzz tests of the generator: for any source it finishes in time, without a panic, and with
//! readable output.
//!
//! Every input is derived from a seed number, which a failure prints. `FUZZ_FIRST` and `FUZZ_COUNT`
//! select other numbers:
//!
//! ```console
//! $ FUZZ_FIRST=4711 FUZZ_COUNT=1 cargo test -p tests --test repository fuzz::
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

mod grammar;
mod malformed;
mod mutation;
mod random;
mod run;

use random::Random;
use run::Runner;

/// The seed numbers of the inputs.
fn numbers(count: u64) -> impl Iterator<Item = u64> {
    let read = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
    };
    let first = read("FUZZ_FIRST").unwrap_or(0);
    first..first + read("FUZZ_COUNT").unwrap_or(count)
}

#[test]
fn mutated_sources_cause_no_panic() {
    let sources = mutation::sources();
    assert!(sources.len() > 80, "{} sources", sources.len());
    let mut runner = Runner::start("changed");
    for number in numbers(600) {
        runner.check(
            number,
            mutation::mutant(&sources, &mut Random::of(number)).as_bytes(),
        );
    }
}

#[test]
fn random_types_cause_no_panic() {
    let mut runner = Runner::start("types");
    let mut right = 0;
    for number in numbers(400) {
        right +=
            usize::from(runner.check(number, grammar::module(&mut Random::of(number)).as_bytes()));
    }
    // If all inputs had errors, the later stages would not be tested.
    assert!(right > 0 || std::env::var_os("FUZZ_COUNT").is_some());
}

#[test]
fn malformed_sources_cause_no_panic() {
    let mut runner = Runner::start("malformed");
    for (number, text) in (0..).zip(malformed::texts()) {
        runner.check(number, &text);
    }
}
