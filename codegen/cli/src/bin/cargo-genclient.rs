//! The program `cargo-genclient`, run by `cargo genclient …`.

use std::env;
use std::process::ExitCode;

use mimalloc::MiMalloc;

/// mimalloc, faster than the system allocator for the many small allocations of syntax trees.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // Cargo passes the subcommand as first argument: `cargo-genclient genclient update`.
    let is_subcommand = env::args_os()
        .nth(1)
        .is_some_and(|first| first == "genclient");
    let rest = env::args_os().skip(1 + usize::from(is_subcommand));
    genclient_cli::run(std::iter::once("cargo genclient".into()).chain(rest))
}
