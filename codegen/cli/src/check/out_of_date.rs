//! Findings about generated files that are out of date.

use std::collections::BTreeSet;
use std::path::PathBuf;

use genclient_codegen::{Code, Diagnostic, Location};

/// A package whose generated files differ from what `genclient update` would write.
pub(crate) struct Drifted {
    /// The files that differ, of which there is at least one.
    pub(crate) files: BTreeSet<PathBuf>,
    /// The name of one of them, as messages show it.
    pub(crate) example: String,
    /// The location of the finding.
    pub(crate) place: Option<Location>,
    /// The command that updates the files.
    pub(crate) command: String,
}

impl Drifted {
    /// A warning, or an error if one of the files is `broken`.
    pub(super) fn finding(&self, broken: &BTreeSet<PathBuf>) -> Diagnostic {
        let finding = if self.files.is_disjoint(broken) {
            Diagnostic::warning(match self.files.len() {
                1 => format!("{} is out of date", self.example),
                count => format!(
                    "{count} generated files are out of date, such as {}",
                    self.example
                ),
            })
        } else {
            Diagnostic::error("the generated client does not compile: it is out of date")
        };
        Diagnostic {
            location: self.place.clone(),
            ..finding
                .with_code(Code::OutOfDate)
                .help(format!("run `{}`", self.command))
        }
    }
}
