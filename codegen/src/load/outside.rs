//! Modules outside the API module: those of webhooks and controllers, those in which kube's derive
//! may make kinds, and files that lookups of `resolve` lead to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use genclient_syntax::derives;
use syn::{Item, ItemMacro};

use super::tree::ModuleReader;
use super::{packages, syntax};
use crate::diagnostic::{Diagnostic, Sink, SourceText};
use crate::inputs;
use crate::lookup::{self, PathLookup, Reach, Target, Unloaded};
use crate::paths::normalize;
use crate::project::{CUSTOM_RESOURCE, Project, derives_kind};
use crate::sources::{
    Crate, CrateId, ModuleId, ModuleState, Namespace, Sources, bare_name, is_cfg_test,
};

/// Reads the files that the paths of `lookups` lead through. Returns whether anything was read.
///
/// If a file cannot be read, the error stays on its module, and `resolve` decides whether it
/// matters.
pub fn load_for_lookups(
    lookups: BTreeSet<PathLookup>,
    sources: &mut Sources,
    project: &Project,
) -> bool {
    let mut progress = false;
    for lookup in lookups {
        while let Some(unloaded) = lookup::next_unloaded(sources, &lookup, &project.types) {
            load_part(sources, project, unloaded);
            progress = true;
        }
    }
    progress
}

fn load_part(sources: &mut Sources, project: &Project, unloaded: Unloaded) {
    match unloaded {
        Unloaded::Packages => packages::load_packages(sources, project),
        Unloaded::Crate(krate) => {
            let file = sources[krate].file.clone();
            let mut reader = ModuleReader::lazy(project, sources, krate);
            let root = reader.add_root(file, true);
            reader.load_file(root);
            sources[krate].root = Some(root);
        }
        Unloaded::Module(module) => {
            let krate = sources[module].krate;
            ModuleReader::lazy(project, sources, krate).load_file(module);
        }
    }
}

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
    if let Some(path) = &project.webhooks {
        let module = CodeModule {
            path,
            purpose: WEBHOOKS,
        };
        sources.webhooks = load_module(&module, project, sources, sink);
    }
}

/// Reads the module of the controllers, if the package has one.
pub fn read_controllers(project: &Project, sources: &mut Sources, sink: &mut Sink) {
    if let Some(path) = &project.controllers {
        let module = CodeModule {
            path,
            purpose: CONTROLLERS,
        };
        sources.controllers = load_module(&module, project, sources, sink);
    }
}

/// The module of the webhooks or of the controllers.
struct CodeModule<'p> {
    /// Its folder, or its file's path without `.rs`.
    path: &'p Path,
    purpose: Purpose,
}

/// Reads a module and every module below it.
///
/// The module is looked up from the crate's root, so that `super` resolves as in rustc. A module
/// that the root does not declare may belong to another target, such as a binary. Such a module is
/// read as a root of its own.
fn load_module(
    module: &CodeModule<'_>,
    project: &Project,
    sources: &mut Sources,
    sink: &mut Sink,
) -> Option<ModuleId> {
    let root = find_declared_module(project, sources, module.path)
        .or_else(|| load_as_root(project, sources, module.path));
    let Some(root) = root else {
        let files = candidate_files(module.path).map(|file| project.shown(&file));
        let setting = module.purpose.setting;
        sink.push(
            Diagnostic::error(format!(
                "no {setting}: neither {} nor {} exists",
                files[0], files[1]
            ))
            .help(format!("fix `{setting}` in `[package.metadata.genclient]`")),
        );
        return None;
    };
    load_submodules(root, project, sources, sink);
    // If a file has an error, its `mod` lines are unknown, so files would be reported by mistake.
    if !sink.has_errors() {
        let modules = sources.api_and_below([root]);
        let reached: BTreeSet<&str> = modules
            .iter()
            .map(|id| sources[*id].source.path.as_str())
            .collect();
        report_strays(module, &reached, project, sink);
    }
    Some(root)
}

fn candidate_files(module: &Path) -> [PathBuf; 2] {
    [module.join("mod.rs"), module.with_extension("rs")]
}

/// Looks up the module at a path from the crate's root; `None` if no `mod` line declares it.
fn find_declared_module(
    project: &Project,
    sources: &mut Sources,
    module: &Path,
) -> Option<ModuleId> {
    let below = module.strip_prefix(project.crate_root.parent()?).ok()?;
    let names = below.iter().map(|name| name.to_string_lossy().into_owned());
    let path = PathLookup {
        module: ModuleId::API,
        segments: ["crate".to_owned()].into_iter().chain(names).collect(),
        absolute: false,
        namespace: Namespace::Types,
    };
    loop {
        match lookup::find_target(sources, &path, &project.types, Reach::Everywhere)? {
            Target::Unloaded(unloaded) => load_part(sources, project, unloaded),
            Target::Module(root) => return Some(root),
            _ => return None,
        }
    }
}

/// Returns the module as a root of its own, outside the crate's module tree.
fn load_as_root(project: &Project, sources: &mut Sources, module: &Path) -> Option<ModuleId> {
    let file = candidate_files(module)
        .into_iter()
        .find(|file| inputs::is_file(file))?;
    Some(ModuleReader::lazy(project, sources, CrateId::OWN).add_root(file, false))
}

fn load_submodules(root: ModuleId, project: &Project, sources: &mut Sources, sink: &mut Sink) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let is_unloaded = matches!(sources[id].content, ModuleState::Unloaded(_));
        ModuleReader::lazy(project, sources, CrateId::OWN).load_file(id);
        if let ModuleState::Unreadable(why) = &sources[id].content
            && is_unloaded
        {
            sink.push(why.clone());
        }
        open.extend(&sources[id].children);
    }
}

/// Warns of files that have the attribute of the module's purpose, but that no `mod` line reaches.
/// `reached` has the paths of the files that one does.
fn report_strays(
    module: &CodeModule<'_>,
    reached: &BTreeSet<&str>,
    project: &Project,
    sink: &mut Sink,
) {
    let attribute = module.purpose.attribute;
    let written = [
        format!("#[{attribute}"),
        format!("#[genclient::{attribute}"),
    ];
    let is_reached = |file: &Path| reached.contains(&*project.shown(&normalize(file)));
    let mut files = inputs::list_rust_files(module.path);
    files.sort();
    for file in files.iter().filter(|file| !is_reached(file)) {
        let text = inputs::read_text_file(file).unwrap_or_default();
        if written.iter().any(|written| text.contains(written)) {
            sink.push(
                Diagnostic::warning(format!(
                    "{} is not part of the module tree: its {} are ignored",
                    project.shown(file),
                    module.purpose.meaning
                ))
                .help("add a `mod` line for it to the parent module"),
            );
        }
    }
}

/// Reads the crates of the package if an unloaded file may derive `CustomResource`. Modules with
/// this derive or with a macro call are added to `sources.hidden`. Files that may have kinds but
/// cannot be parsed are reported. Returns the files that were read.
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
        let modules: Vec<_> = sources
            .modules()
            .filter(|(_, module)| {
                let is_new = !module.is_api && !sources.files.contains(&module.source);
                module.krate == krate && is_new && module.items.iter().any(may_have_kinds)
            })
            .map(|(id, _)| id)
            .collect();
        for id in modules {
            add_hidden_module(id, sources);
        }
    }
    read
}

/// Adds a module to `sources.hidden`, unless its file is there already as part of another crate.
fn add_hidden_module(id: ModuleId, sources: &mut Sources) {
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

/// Returns whether an unloaded file may derive `CustomResource` or contains one of `calls`, by a
/// search of its text. In most packages, no file has to be parsed.
fn is_any_hidden(project: &Project, seen: &BTreeSet<PathBuf>, calls: &[String]) -> bool {
    let roots = project.other_crates.iter().chain([&project.crate_root]);
    let folders: BTreeSet<_> = roots.filter_map(|root| root.parent()).collect();
    let mut files = folders.into_iter().flat_map(inputs::list_rust_files);
    files.any(|file| {
        !seen.contains(&normalize(&file))
            && inputs::read_text_file(&file).is_ok_and(|text| {
                derives_kind(&text) || calls.iter().any(|call| text.contains(call))
            })
    })
}

/// Returns whether a file has a type that derives `CustomResource`, or a macro that contains this
/// name; false if the file cannot be parsed.
pub(super) fn has_kinds(text: &str) -> bool {
    let source = SourceText {
        text: text.to_owned(),
        ..SourceText::default()
    };
    let items = derives_kind(text).then(|| syntax::parse_items(&Arc::new(source)));
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
        load_part(sources, project, Unloaded::Crate(krate));
        read.insert(normalize(&sources[krate].file));
    }
    let unloaded = |sources: &Sources| {
        let mut modules = sources.modules();
        modules.find_map(|(id, module)| match &module.content {
            ModuleState::Unloaded(file) if module.krate == krate => {
                let mut places = file.candidates.iter();
                let is_client = places.any(|place| place.starts_with(&project.client.dir));
                (!is_client).then_some(id)
            }
            _ => None,
        })
    };
    while let Some(id) = unloaded(sources) {
        let mut reader = ModuleReader::lazy(project, sources, krate);
        reader.load_file(id);
        read.append(&mut reader.seen);
    }
}
