//! The program `genclient` under the name of `cargo run -p codegen`, for this repository.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
