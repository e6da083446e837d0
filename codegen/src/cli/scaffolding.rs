//! Output of the commands that scaffold a project: `init` and `create`.

use super::selection::Packages;
use super::talk::{Talk, print};
use crate::scaffold::Scaffold;
use crate::{Artefact, Diagnostics, output};

/// Puts files in place, generates, and prints the command to type next. If generation fails, no
/// file stays. A dry run only prints the file names, as data.
pub(super) fn put(
    tree: &Scaffold,
    packages: &Packages,
    dry_run: bool,
    next: &str,
    talk: &Talk,
) -> Result<(), Diagnostics> {
    if dry_run {
        for line in tree.describe() {
            print(&format!("{line}\n"))?;
        }
    } else {
        let placed = output::place(&tree.files())?;
        let generated = crate::generate(&packages.one()?, &Artefact::ALL.into())?;
        let summary = generated.files.write_beside(placed)?;
        for line in tree.describe() {
            talk.say(&line);
        }
        talk.say_findings(&generated.warnings);
        talk.say(&format!("generate {summary}"));
    }
    for line in tree.left() {
        talk.say_error(line);
    }
    talk.say_next(next, dry_run);
    Ok(())
}
