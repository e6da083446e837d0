//! The program `genclient`.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;
use mimalloc::MiMalloc;

/// mimalloc instead of the system allocator, which spends a third of a run on the millions of small
/// allocations of syntax trees.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
