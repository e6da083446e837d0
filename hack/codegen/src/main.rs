//! The program `genclient` for this repository: `cargo run -p codegen`.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
