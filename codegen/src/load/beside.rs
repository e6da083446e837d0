//! Loading of the webhook and controller modules beside the API types.

use std::path::{Path, PathBuf};

use super::tree::ModuleReader;
use super::wanted;
use crate::diagnostic::{Diagnostic, Sink};
use crate::folder;
use crate::lookup::{self, Reach, Target, Wanted};
use crate::paths::normalize;
use crate::project::Project;
use crate::sources::{CrateId, ModuleId, ModuleState, Namespace, Sources};

/// Purpose of a module beside the API types: webhooks or controllers.
struct Purpose {
    /// The setting for the module's path. Messages use it as the name of the module, too.
    setting: &'static str,
    /// The attribute that is searched for in files that no `mod` line reaches.
    attribute: &'static str,
    /// What the attribute declares, in the plural, for messages.
    meaning: &'static str,
}

const WEBHOOKS: Purpose = Purpose {
    setting: "webhooks",
    attribute: "webhook",
    meaning: "webhooks",
};

const CONTROLLERS: Purpose = Purpose {
    setting: "controllers",
    attribute: "rbac",
    meaning: "rules",
};

/// Reads the module of the webhooks, if the package has one.
pub fn read_webhooks(project: &Project, sources: &mut Sources, sink: &mut Sink) {
    if let Some(place) = &project.webhooks {
        sources.webhooks = read(place, &WEBHOOKS, project, sources, sink);
    }
}

/// Reads the module of the controllers, if the package has one.
pub fn read_controllers(project: &Project, sources: &mut Sources, sink: &mut Sink) {
    if let Some(place) = &project.controllers {
        sources.controllers = read(place, &CONTROLLERS, project, sources, sink);
    }
}

/// Reads a module and every module below it.
///
/// The module is looked up from the crate's root, so that `super` resolves as in rustc. A module
/// that the root does not declare may belong to another target, such as a binary. Such a module is
/// read as a root of its own.
fn read(
    place: &Path,
    purpose: &Purpose,
    project: &Project,
    sources: &mut Sources,
    sink: &mut Sink,
) -> Option<ModuleId> {
    let root = declared(project, sources, place).or_else(|| alone(project, sources, place));
    let Some(root) = root else {
        let files = candidates(place).map(|file| project.shown(&file));
        let setting = purpose.setting;
        sink.push(
            Diagnostic::error(format!(
                "no {setting}: neither {} nor {} exists",
                files[0], files[1]
            ))
            .help(format!("fix `{setting}` in `[package.metadata.genclient]`")),
        );
        return None;
    };
    read_below(root, project, sources, sink);
    report_strays(root, place, purpose, project, sources, sink);
    Some(root)
}

fn candidates(place: &Path) -> [PathBuf; 2] {
    [place.join("mod.rs"), place.with_extension("rs")]
}

/// Looks up the module at `place` from the crate's root; `None` if no `mod` line declares it.
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

/// Returns the module as a root of its own, outside the crate's module tree.
fn alone(project: &Project, sources: &mut Sources, place: &Path) -> Option<ModuleId> {
    let file = candidates(place).into_iter().find(|file| file.is_file())?;
    Some(ModuleReader::lazy(project, sources, CrateId::OWN).root(file, false))
}

fn read_below(root: ModuleId, project: &Project, sources: &mut Sources, sink: &mut Sink) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let is_unread = matches!(sources[id].content, ModuleState::Unread(_));
        ModuleReader::lazy(project, sources, CrateId::OWN).fill(id);
        if let ModuleState::Unreadable(why) = &sources[id].content
            && is_unread
        {
            sink.push(why.clone());
        }
        open.extend(&sources[id].children);
    }
}

/// Warns of files that have the attribute of `purpose`, but that no `mod` line reaches.
fn report_strays(
    root: ModuleId,
    place: &Path,
    purpose: &Purpose,
    project: &Project,
    sources: &Sources,
    sink: &mut Sink,
) {
    // If a file has an error, its `mod` lines are unknown, so files would be reported by mistake.
    if sink.has_errors() {
        return;
    }
    let modules = sources.api_and_below([root]);
    let attribute = purpose.attribute;
    let written = [
        format!("#[{attribute}"),
        format!("#[genclient::{attribute}"),
    ];
    let seen = |file: &Path| {
        let shown = project.shown(&normalize(file));
        modules.iter().any(|id| sources[*id].source.path == shown)
    };
    let mut files = folder::rust_files(place);
    files.sort();
    for file in files.iter().filter(|file| !seen(file)) {
        let text = folder::read_text(file).unwrap_or_default();
        if written.iter().any(|written| text.contains(written)) {
            sink.push(
                Diagnostic::warning(format!(
                    "{} is not part of the module tree: its {} are ignored",
                    project.shown(file),
                    purpose.meaning
                ))
                .help("add a `mod` line for it to the parent module"),
            );
        }
    }
}
