//! Check that rustfmt leaves generated Rust unchanged, in both style editions.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

/// Runs rustfmt on the module at `root` and the modules below it.
pub fn check(root: &Path) -> Result<(), Failed> {
    if !root.is_file() {
        return Ok(());
    }
    for style in ["2021", "2024"] {
        let output = Command::new("rustfmt")
            .args(["--edition", "2024", "--style-edition", style])
            .args(["--check", "--color", "never"])
            .arg(root)
            .output()
            .map_err(|error| format!("cannot run rustfmt: {error}"))?;
        if !output.status.success() {
            let found = [output.stdout, output.stderr].concat();
            let found = String::from_utf8_lossy(&found).into_owned();
            return Err(format!("rustfmt --style-edition {style} would write:\n{found}").into());
        }
    }
    Ok(())
}
