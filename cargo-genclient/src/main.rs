//! The program `genclient`: arguments in, exit code out.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;
use mimalloc::MiMalloc;

/// Syntax trees are millions of small pieces: with the allocator of the system, a third of a run goes into these.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
