//! Formatting of the user's Rust files by rustfmt.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Formats a text with the `rustfmt.toml` that applies to a folder. Returns `None` if rustfmt is
/// missing, or cannot format the text.
pub(crate) fn format_rust(text: &str, edition: &str, folder: &Path) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt");
    let folder = folder.ancestors().find(|folder| folder.is_dir())?;
    let mut run = rustfmt
        .args(["--edition", edition, "--quiet"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    run.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = run.wait_with_output().ok()?;
    let formatted = String::from_utf8(output.stdout).ok()?;
    let is_done = output.status.success() && !formatted.is_empty();
    is_done.then_some(formatted)
}
