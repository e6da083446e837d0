//! Findings about generated files that are out of date.

use std::collections::{BTreeMap, BTreeSet};
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
    /// A warning, or an error if one of the files is `broken`, with rustc's message about it.
    pub(super) fn finding(&self, broken: &BTreeMap<PathBuf, String>) -> Diagnostic {
        let mut errors = self.files.iter().filter_map(|file| broken.get(file));
        let finding = match (errors.next(), self.files.len()) {
            (Some(error), _) => {
                Diagnostic::error(format!("the generated client is out of date: {error}"))
            }
            (None, 1) => Diagnostic::warning(format!("{} is out of date", self.example)),
            (None, count) => Diagnostic::warning(format!(
                "{count} generated files are out of date, such as {}",
                self.example
            )),
        };
        Diagnostic {
            location: self.place.clone(),
            ..finding
                .with_code(Code::OutOfDate)
                .help(format!("run `{}`", self.command))
        }
    }
}
