//! Small API modules, and everything that is generated for them.
//!
//! A case is a folder of `golden/` with an `apis.rs` (or `apis/mod.rs`), perhaps other modules of its crate beside that and a
//! `settings.toml`, and the `expected/` tree; or, in `golden/errors/`, a module that cannot be generated for beside the text that
//! says why. `UPDATE_EXPECT=1` takes what is generated now as what is expected; `hack/bless.sh` does that.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

#[path = "golden/runner/mod.rs"]
mod runner;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, runner::trials()).exit_code()
}
