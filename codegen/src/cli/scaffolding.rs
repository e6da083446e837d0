//! Output of the commands that write a project.

use super::talk::{Talk, print};
use crate::Diagnostics;
use crate::scaffold::Scaffold;

/// Puts files in place and names them; a dry run prints the names alone, as data.
pub(super) fn put(tree: &Scaffold, dry_run: bool, talk: &Talk) -> Result<(), Diagnostics> {
    if dry_run {
        for line in tree.describe() {
            print(&format!("{line}\n"))?;
        }
    } else {
        tree.write()?;
        for line in tree.describe() {
            talk.say(&line);
        }
    }
    for line in tree.to_add() {
        talk.say_error(line);
    }
    Ok(())
}

/// Prints the next command to type.
pub(super) fn next(command: &str, talk: &Talk) {
    talk.say(&format!("next: {command}"));
}
