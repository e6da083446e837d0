//! rustfmt, for Rust files that people edit.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The text as rustfmt writes it in a folder, whose `rustfmt.toml` counts; `None` if it is not
/// Rust, or there is no rustfmt.
pub(crate) fn formatted(text: &str, edition: &str, folder: &Path) -> Option<String> {
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
