//! The program `genclient`: arguments in, exit code out.

use std::process::ExitCode;

use clap::Parser;
use codegen::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
