//! The table of changes for the documentation.

use std::fmt::Write;

use super::kinds::Kind;

/// Every kind of change as a Markdown table.
pub fn page() -> String {
    let mut text = "| change | breaking | why |\n|---|---|---|\n".to_owned();
    for kind in Kind::ALL {
        let rows = [("yes", kind.breaks), ("no", kind.harmless)];
        for (breaking, why) in rows.into_iter().filter(|(_, why)| !why.is_empty()) {
            let _ = writeln!(text, "| `{kind}` | {breaking} | {why} |");
        }
    }
    text
}
