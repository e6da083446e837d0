//! The program `genclient`.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;
use mimalloc::MiMalloc;

/// mimalloc instead of the system allocator. Syntax trees consist of millions of small allocations,
/// which take a third of a run with the system allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
