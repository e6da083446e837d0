//! The program `genclient` for this workspace: `cargo run -p codegen -- COMMAND`.

use std::process::ExitCode;

fn main() -> ExitCode {
    genclient_cli::run(std::env::args_os())
}
