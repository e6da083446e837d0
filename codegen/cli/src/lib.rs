//! The command line of genclient: commands, and what they do beside the generator.
//!
//! ```text
//! commands ─┬─ update, verify, model ──▶ genclient-codegen
//!           ├─ check ── check, tools ──▶ genclient-codegen
//!           ├─ diff ── crd_source ─────▶ genclient-diff
//!           ├─ init, create ── scaffold ─┐
//!           ├─ import ───────────────────┴─ insert
//!           └─ render, install, deploy, image, run ── render, tools
//! ```
//!
//! The programs `genclient` and `cargo-genclient` call [`run`].

mod check;
mod commands;
mod crd_source;
#[doc(hidden)]
pub mod explain;
mod import;
mod insert;
mod render;
mod scaffold;
mod shell;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use commands::Cli;

/// Runs the command that `arguments` describe. The first argument is the name of the program.
///
/// A wrong argument ends the process, as do `--help` and `--version`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    Cli::parse_from(arguments).run()
}
