//! Loading of the files that `resolve` wants.

use super::tree::ModuleReader;
use std::collections::BTreeSet;

use super::packages;
use crate::lookup::{self, Unread, Wanted};
use crate::project::Project;
use crate::sources::Sources;

/// Reads the files that the `wanted` paths lead through. Returns whether anything was read.
///
/// If a file cannot be read, the error stays on its module, and `resolve` decides whether it
/// matters.
pub fn read_wanted(wanted: BTreeSet<Wanted>, sources: &mut Sources, project: &Project) -> bool {
    let mut progress = false;
    for wanted in wanted {
        while let Some(unread) = lookup::next_unread(sources, &wanted, &project.types) {
            read(sources, project, unread);
            progress = true;
        }
    }
    progress
}

pub(super) fn read(sources: &mut Sources, project: &Project, unread: Unread) {
    match unread {
        Unread::Packages => packages::ask(sources, project),
        Unread::Crate(krate) => {
            let file = sources[krate].file.clone();
            let mut reader = ModuleReader::lazy(project, sources, krate);
            let root = reader.root(file, true);
            reader.fill(root);
            sources[krate].root = Some(root);
        }
        Unread::Module(module) => {
            let krate = sources[module].krate;
            ModuleReader::lazy(project, sources, krate).fill(module);
        }
    }
}
