//! Modules of a package outside the API module. They are read if kube's derive may make kinds in
//! them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use genclient_syntax::derives;
use syn::{Item, ItemMacro};

use super::syntax;
use super::tree::ModuleReader;
use super::wanted;
use crate::diagnostic::{Sink, SourceText};
use crate::folder;
use crate::lookup::Unread;
use crate::paths::normalize;
use crate::project::{CUSTOM_RESOURCE, Project, derives_kind};
use crate::sources::{Crate, CrateId, ModuleId, ModuleState, Sources, bare_name, is_cfg_test};

/// Reads the crates of the package if an unread file may derive `CustomResource`. Modules with this
/// derive or with a macro call are added to `sources.hidden`. Files that may have kinds but cannot
/// be parsed are reported. Returns the files that were read.
pub(super) fn read_hidden(
    project: &Project,
    seen: &BTreeSet<PathBuf>,
    sources: &mut Sources,
    sink: &mut Sink,
) -> BTreeSet<PathBuf> {
    let mut read = BTreeSet::new();
    if !is_any_hidden(project, seen, &macros_of_kinds(sources)) {
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
        read_all_modules(project, sources, krate, &mut read);
        report_unreadable(sources, krate, sink);
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

/// Adds a module to `sources.hidden`, unless its file is there already as part of another crate.
fn note(id: ModuleId, sources: &mut Sources) {
    let file = &sources[id].source.path;
    let (krate, mut hidden) = (sources[id].krate, sources.hidden.iter());
    let is_twice =
        hidden.any(|other| sources[*other].krate != krate && sources[*other].source.path == *file);
    if !is_twice {
        sources.hidden.push(id);
    }
}

/// Reports each file of a crate that may have kinds but cannot be parsed.
fn report_unreadable(sources: &Sources, krate: CrateId, sink: &mut Sink) {
    let modules = sources.modules();
    let of_crate = modules.filter(|(_, module)| module.krate == krate && !module.is_api);
    for (_, module) in of_crate {
        if let ModuleState::Unreadable(why) = &module.content
            && let Some(place) = &why.location
            && derives_kind(&place.source.text)
        {
            sink.push(why.clone());
        }
    }
}

/// Returns `name!` for each macro in the API modules whose definition contains `CustomResource`.
fn macros_of_kinds(sources: &Sources) -> Vec<String> {
    let items = sources.api_modules().flat_map(|(_, module)| &module.items);
    let names = items.filter_map(|item| match item {
        Item::Macro(item) if is_macro_of_kinds(item) => item.ident.as_ref(),
        _ => None,
    });
    names.map(|name| format!("{}!", bare_name(name))).collect()
}

fn is_macro_of_kinds(item: &ItemMacro) -> bool {
    item.mac.tokens.to_string().contains(CUSTOM_RESOURCE)
}

/// Returns whether an unread file may derive `CustomResource` or contains one of `calls`, by a
/// search of its text. In most packages, no file has to be parsed.
fn is_any_hidden(project: &Project, seen: &BTreeSet<PathBuf>, calls: &[String]) -> bool {
    let roots = project.other_crates.iter().chain([&project.crate_root]);
    let folders: BTreeSet<_> = roots.filter_map(|root| root.parent()).collect();
    let mut files = folders.into_iter().flat_map(folder::rust_files);
    files.any(|file| {
        !seen.contains(&normalize(&file))
            && folder::read_text(&file).is_ok_and(|text| {
                derives_kind(&text) || calls.iter().any(|call| text.contains(call))
            })
    })
}

/// Returns whether a file has a type that derives `CustomResource`, or a macro that contains this
/// name; false if the file cannot be parsed.
pub(super) fn has_kinds(text: &str) -> bool {
    let source = SourceText {
        path: String::new(),
        text: text.to_owned(),
    };
    let items = derives_kind(text).then(|| syntax::items(&Arc::new(source)));
    items.is_some_and(|items| items.is_ok_and(|items| items.iter().any(has_kind)))
}

fn has_kind(item: &Item) -> bool {
    match item {
        Item::Mod(module) if !module.attrs.iter().any(is_cfg_test) => {
            let content = module.content.as_ref();
            content.is_some_and(|(_, items)| items.iter().any(has_kind))
        }
        Item::Macro(item) => is_macro_of_kinds(item),
        item => is_derived(item),
    }
}

fn is_derived(item: &Item) -> bool {
    match item {
        Item::Struct(item) => derives(&item.attrs, CUSTOM_RESOURCE),
        Item::Enum(item) => derives(&item.attrs, CUSTOM_RESOURCE),
        _ => false,
    }
}

/// Returns whether an item derives `CustomResource`, or is a macro call that may expand to such an
/// item.
fn may_have_kinds(item: &Item) -> bool {
    is_derived(item) || matches!(item, Item::Macro(_))
}

/// Reads every module of a crate except generated ones.
fn read_all_modules(
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
            ModuleState::Unread(file) if module.krate == krate => {
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
