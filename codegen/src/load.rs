//! Files → a tree of modules, as rustc would find them.
//!
//! The modules of the API types are read at once. What their types lead to (the rest of the crate, other crates) is read when
//! `resolve` has asked for it: see [`read_wanted`].
//!
//! `#[cfg(test)]` modules are left out; every other `cfg` is kept for the output to carry.

mod api;
mod client;
mod features;
mod packages;
mod place;
mod syntax;
mod tree;
mod wanted;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Sink};
use crate::folder;
use crate::paths::normalize;
use crate::project::Project;
use crate::sources::{CrateId, ModuleId, Sources};
use tree::ModuleReader;

pub use client::{check_client, check_config};
pub use wanted::read_wanted;

/// Reads the API module of a project and every module below it.
pub fn load(project: &Project, sink: &mut Sink) -> Sources {
    let mut sources = Sources::unread(project);
    let mut reader = ModuleReader::eager(project, &mut sources, sink);
    reader.api_root();
    let seen = reader.seen;
    report_strays(project, &seen, sink);
    if sources.api.file == normalize(&project.crate_root) && sources.api.inline.is_empty() {
        sources[CrateId::OWN].root = Some(ModuleId::API);
    }
    sources
}

/// Warns of files that name a resource but that no `mod` line reaches, as they were not seen: rustc does not see them either.
fn report_strays(project: &Project, seen: &BTreeSet<PathBuf>, sink: &mut Sink) {
    let mut strays = folder::rust_files(&project.apis);
    strays.sort();
    for file in strays {
        if seen.contains(&normalize(&file)) {
            continue;
        }
        let names_resource =
            fs::read_to_string(&file).is_ok_and(|text| text.contains("#[genclient"));
        if names_resource {
            sink.push(
                Diagnostic::warning(format!(
                    "{} is not part of the module tree: its types are not seen",
                    project.shown(&file)
                ))
                .help("add a `pub mod …;` line for it to the module above"),
            );
        }
    }
}
