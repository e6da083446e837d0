//! Modules of a package outside the API module, read if kube's derive makes kinds there.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use genclient_syntax::derives;
use syn::Item;

use super::syntax;
use super::tree::ModuleReader;
use super::wanted;
use crate::diagnostic::SourceText;
use crate::folder;
use crate::lookup::Unread;
use crate::paths::normalize;
use crate::project::{CUSTOM_RESOURCE, Project, derives_kind};
use crate::sources::{Crate, CrateId, ModuleContent, ModuleId, Sources};

/// Reads the crates of the package if an unread file derives `CustomResource`. Records the modules
/// that derive it, or that call a macro. Returns the files that were read.
pub(super) fn read_hidden(
    project: &Project,
    seen: &BTreeSet<PathBuf>,
    sources: &mut Sources,
) -> BTreeSet<PathBuf> {
    let mut read = BTreeSet::new();
    if !is_any_hidden(project, seen) {
        return read;
    }
    let mut crates = vec![CrateId::OWN];
    for file in &project.other_crates {
        crates.push(sources.add_crate(Crate {
            name: String::new(),
            file: file.clone(),
            foreign: false,
            dependencies: Default::default(),
            elsewhere: BTreeSet::new(),
            features: project.features.clone(),
            root: None,
        }));
    }
    for krate in crates {
        read_whole(project, sources, krate, &mut read);
        let modules = sources.modules().filter(|(_, module)| {
            let is_new = !module.is_api && !sources.files.contains(&module.source);
            module.krate == krate && is_new && module.items.iter().any(may_have_kinds)
        });
        let modules: Vec<_> = modules.map(|(id, _)| id).collect();
        for id in modules {
            note(id, sources);
        }
    }
    read
}

/// Records a module, unless a crate that was read before has the same file.
fn note(id: ModuleId, sources: &mut Sources) {
    let file = &sources[id].source.path;
    let (krate, mut hidden) = (sources[id].krate, sources.hidden.iter());
    let is_twice =
        hidden.any(|other| sources[*other].krate != krate && sources[*other].source.path == *file);
    if !is_twice {
        sources.hidden.push(id);
    }
}

/// Returns whether an unread file derives `CustomResource`. Text search skips most packages without
/// parsing them.
fn is_any_hidden(project: &Project, seen: &BTreeSet<PathBuf>) -> bool {
    let roots = project.other_crates.iter().chain([&project.crate_root]);
    let folders: BTreeSet<_> = roots.filter_map(|root| root.parent()).collect();
    let mut files = folders.into_iter().flat_map(folder::rust_files);
    files.any(|file| {
        !seen.contains(&normalize(&file))
            && fs::read_to_string(&file).is_ok_and(|text| derives_kind(&text))
    })
}

/// Returns whether a file has a type that derives `CustomResource`.
pub(super) fn has_kinds(text: &str) -> bool {
    let source = SourceText {
        path: String::new(),
        text: text.to_owned(),
    };
    let items = derives_kind(text).then(|| syntax::items(&Arc::new(source)));
    items.is_some_and(|items| items.is_ok_and(|items| items.iter().any(is_derived)))
}

fn is_derived(item: &Item) -> bool {
    match item {
        Item::Struct(item) => derives(&item.attrs, CUSTOM_RESOURCE),
        Item::Enum(item) => derives(&item.attrs, CUSTOM_RESOURCE),
        _ => false,
    }
}

/// The expansion of a macro is not known.
fn may_have_kinds(item: &Item) -> bool {
    is_derived(item) || matches!(item, Item::Macro(_))
}

/// Reads every module of a crate except generated ones.
fn read_whole(
    project: &Project,
    sources: &mut Sources,
    krate: CrateId,
    read: &mut BTreeSet<PathBuf>,
) {
    if sources[krate].root.is_none() {
        wanted::read(sources, project, Unread::Crate(krate));
        read.insert(normalize(&sources[krate].file));
    }
    let unread = |sources: &Sources| {
        let mut modules = sources.modules();
        modules.find_map(|(id, module)| match &module.content {
            ModuleContent::Unread(file) if module.krate == krate => {
                let mut places = file.candidates.iter();
                let is_client = places.any(|place| place.starts_with(&project.client.dir));
                (!is_client).then_some(id)
            }
            _ => None,
        })
    };
    while let Some(id) = unread(sources) {
        let mut reader = ModuleReader::lazy(project, sources, krate);
        reader.fill(id);
        read.append(&mut reader.seen);
    }
}
