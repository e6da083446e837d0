//! Module trees from source files, by the rules of rustc.
//!
//! The API module is read immediately, and so are the modules of webhooks and controllers. If
//! kube's derive may make kinds elsewhere in the package, the whole package is read. Other files
//! are read when `resolve` wants them: see [`read_wanted`].
//!
//! `#[cfg(test)]` modules are skipped. Other `cfg`s of kinds and modules are copied to the output.

mod api;
mod beside;
mod client;
mod features;
mod hidden;
mod lazy_statics;
mod packages;
mod place;
mod syntax;
mod tree;
mod wanted;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Sink};
use crate::folder;
use crate::paths::normalize;
use crate::project::{Project, RESOURCE};
use crate::sources::{CrateId, ModuleId, Sources};
use tree::ModuleReader;

pub use beside::{read_controllers, read_webhooks};
pub use client::{check_client, check_config};
pub use wanted::read_wanted;

/// Reads the API module of a project and every module below it. If kube's derive may make kinds
/// elsewhere in the package, reads the whole package.
pub fn load(project: &Project, sink: &mut Sink) -> Sources {
    let mut sources = Sources::unread(project);
    let mut reader = ModuleReader::eager(project, &mut sources, sink);
    reader.api_root();
    let seen = reader.seen;
    if sources.api.file == normalize(&project.crate_root) && sources.api.inline.is_empty() {
        sources[CrateId::OWN].root = Some(ModuleId::API);
    }
    let read = hidden::read_hidden(project, &seen, &mut sources, sink);
    report_strays(project, &(&seen | &read), &sources, sink);
    sources
}

/// Reports files that have kinds, but that no `mod` line reaches. Such files are ignored; rustc
/// reads them only if an `include!` names them. The finding is a warning, or an error if the run
/// would remove clients of the file's kinds.
fn report_strays(project: &Project, seen: &BTreeSet<PathBuf>, sources: &Sources, sink: &mut Sink) {
    // If a file has an error, its `mod` lines are unknown, so files would be reported by mistake.
    if sink.has_errors() {
        return;
    }
    let api = &sources.api.file;
    let mut strays = folder::rust_files(&project.apis);
    strays.sort();
    for file in strays {
        if seen.contains(&normalize(&file)) || is_of_tests(&file, sources) {
            continue;
        }
        let text = folder::read_text(&file).unwrap_or_default();
        if text.contains(RESOURCE) || hidden::has_kinds(&text) {
            let message = format!(
                "{} is not part of the module tree: its types are ignored",
                project.shown(&file)
            );
            let below = module_dir(&file);
            let below = below.strip_prefix(&project.apis).unwrap_or(&below);
            let finding = if project.client.dir.join("clientset").join(below).is_dir() {
                Diagnostic::error(format!("{message}, and their clients would be removed"))
            } else {
                Diagnostic::warning(message)
            };
            sink.push(finding.help(missing_line(&file, project, seen, api)));
        }
    }
}

/// Returns whether a file belongs to a `#[cfg(test)]` module, or lies below its folder.
fn is_of_tests(file: &Path, sources: &Sources) -> bool {
    let mut tests = sources.tests.iter();
    tests.any(|test| file == test || file.starts_with(module_dir(test)))
}

/// Returns the help that names the missing `mod` line and the file to add it to.
fn missing_line(file: &Path, project: &Project, seen: &BTreeSet<PathBuf>, api: &Path) -> String {
    let dir = module_dir(file);
    let name = dir.file_name().unwrap_or_default().display();
    let outer = dir.parent().unwrap_or(Path::new(""));
    let files = [outer.join("mod.rs"), outer.with_extension("rs")];
    let outer_file = if normalize(outer) == normalize(&project.apis) {
        Some(api)
    } else {
        files
            .iter()
            .find(|file| file.is_file())
            .map(PathBuf::as_path)
    };
    match outer_file {
        Some(outer) if !seen.contains(&normalize(outer)) && outer != api => {
            missing_line(outer, project, seen, api)
        }
        Some(outer) => format!("add `pub mod {name};` to {}", project.shown(outer)),
        None => format!("add `pub mod {name};` to the parent module"),
    }
}

/// Returns the folder of a module's children: `a` for `a.rs` and for `a/mod.rs`.
fn module_dir(file: &Path) -> PathBuf {
    match file.parent() {
        Some(dir) if file.ends_with("mod.rs") => dir.to_owned(),
        _ => file.with_extension(""),
    }
}
