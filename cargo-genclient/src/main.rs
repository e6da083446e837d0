//! The program `genclient`.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;
use mimalloc::MiMalloc;

/// Syntax trees consist of millions of small allocations. With the system allocator, these take a
/// third of a run.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
