//! The program `genclient` for this workspace: `cargo run -p codegen -- COMMAND`.

use std::process::ExitCode;

use clap::Parser;
use genclient_codegen::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
