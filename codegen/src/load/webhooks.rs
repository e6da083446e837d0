//! The module of the admission webhooks, and every module below it.

use std::fs;
use std::path::{Path, PathBuf};

use super::tree::ModuleReader;
use super::wanted;
use crate::diagnostic::{Diagnostic, Sink};
use crate::folder;
use crate::lookup::{self, Reach, Target, Wanted};
use crate::paths::normalize;
use crate::project::Project;
use crate::sources::{CrateId, ModuleContent, ModuleId, Namespace, Sources};

/// Reads the module of the webhooks, if the package has one.
///
/// It is reached from the crate's root, so that `super` means what it means to rustc. A module that
/// the root does not have may be a program's: it is read by itself.
pub fn read_webhooks(project: &Project, sources: &mut Sources, sink: &mut Sink) {
    let Some(place) = &project.webhooks else {
        return;
    };
    let Some(root) = declared(project, sources, place).or_else(|| alone(project, sources, place))
    else {
        let files = candidates(place).map(|file| project.shown(&file));
        sink.push(
            Diagnostic::error(format!(
                "no webhooks: neither {} nor {} is there",
                files[0], files[1]
            ))
            .help("fix `webhooks` in `[package.metadata.genclient]`"),
        );
        return;
    };
    sources.webhooks = Some(root);
    read_below(root, project, sources, sink);
    report_strays(project, sources, place, sink);
}

fn candidates(place: &Path) -> [PathBuf; 2] {
    [place.join("mod.rs"), place.with_extension("rs")]
}

/// The module as a part of the crate.
fn declared(project: &Project, sources: &mut Sources, place: &Path) -> Option<ModuleId> {
    let below = place.strip_prefix(project.crate_root.parent()?).ok()?;
    let names = below.iter().map(|name| name.to_string_lossy().into_owned());
    let path = Wanted {
        module: ModuleId::API,
        segments: ["crate".to_owned()].into_iter().chain(names).collect(),
        absolute: false,
        namespace: Namespace::Types,
    };
    loop {
        match lookup::find(sources, &path, &project.types, Reach::Everywhere)? {
            Target::Unread(unread) => wanted::read(sources, project, unread),
            Target::Module(root) => return Some(root),
            _ => return None,
        }
    }
}

/// The module without its crate.
fn alone(project: &Project, sources: &mut Sources, place: &Path) -> Option<ModuleId> {
    let file = candidates(place).into_iter().find(|file| file.is_file())?;
    Some(ModuleReader::lazy(project, sources, CrateId::OWN).root(file, false))
}

fn read_below(root: ModuleId, project: &Project, sources: &mut Sources, sink: &mut Sink) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let is_unread = matches!(sources[id].content, ModuleContent::Unread(_));
        ModuleReader::lazy(project, sources, CrateId::OWN).fill(id);
        if let ModuleContent::Unreadable(why) = &sources[id].content
            && is_unread
        {
            sink.push(why.clone());
        }
        open.extend(&sources[id].children);
    }
}

/// Warns of files with webhooks that no `mod` line reaches.
fn report_strays(project: &Project, sources: &Sources, place: &Path, sink: &mut Sink) {
    let modules = sources.webhook_modules();
    let seen = |file: &Path| {
        let shown = project.shown(&normalize(file));
        modules.iter().any(|id| sources[*id].source.path == shown)
    };
    let mut files = folder::rust_files(place);
    files.sort();
    for file in files.iter().filter(|file| !seen(file)) {
        let text = fs::read_to_string(file).unwrap_or_default();
        if text.contains("#[webhook") || text.contains("#[genclient::webhook") {
            sink.push(
                Diagnostic::warning(format!(
                    "{} is not part of the module tree: its webhooks are not seen",
                    project.shown(file)
                ))
                .help("add a `mod` line for it to the module above"),
            );
        }
    }
}
