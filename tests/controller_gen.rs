//! Comparison with the CRDs of controller-gen's own test suite, field by field.
//!
//! `controller-gen/<fixture>.json` is controller-gen's output for a fixture, without descriptions.
//! `golden/controller_gen/<fixture>/` is the same API in Rust. Each difference needs a row with its
//! reason in `controller-gen/differences.md`. A difference without a row fails, and so does a row
//! without a difference.

#![expect(clippy::expect_used, reason = "a test may fail anywhere")]

#[path = "controller-gen/runner/mod.rs"]
mod runner;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, runner::trials()).exit_code()
}
