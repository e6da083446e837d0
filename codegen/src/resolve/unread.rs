//! Unread kinds: types that derive `CustomResource`, but come from a macro, lack `#[kube(…)]`, or
//! are outside of the API types.

use std::collections::BTreeSet;

use genclient_syntax::{derives, is_kube};
use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, ItemMacro};

use super::kind::{attributes, is_attribute_macro};
use super::kube_kinds;
use super::schema::mentions;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::KindName;
use crate::project::{CUSTOM_RESOURCE, Project};
use crate::sources::{CrateId, Module, ModuleId, Sources, bare_name, is_cfg_test, named};

/// A type that kube turns into a kind, with the reason why it is not read.
pub(super) struct UnreadKind {
    /// Module of the type, or of the macro call.
    pub(super) module: ModuleId,
    pub(super) name: String,
    /// Its kind, if known.
    pub(super) kind: Option<KindName>,
    /// Other names that may be the name of the kind.
    pub(super) aliases: Vec<String>,
    pub(super) finding: Diagnostic,
}

/// Finds unread kinds among the API types and in the rest of the package.
pub(super) fn find(sources: &Sources, project: &Project) -> Vec<UnreadKind> {
    let macros = macros_that_derive(sources);
    let mut found = Vec::new();
    for (id, module) in sources.api_modules() {
        for item in &module.items {
            found.extend(match item {
                Item::Macro(item) => by_macro(item, id, module, &macros),
                item => without_attribute(item, id, sources),
            });
        }
    }
    for id in &sources.hidden {
        for item in &sources[*id].items {
            found.extend(match item {
                Item::Macro(item) => by_macro(item, *id, &sources[*id], &macros),
                item => outside(item, *id, sources, project),
            });
        }
    }
    found
}

/// Returns the unread kind of a type that derives `CustomResource` without `#[kube(…)]`. A macro
/// may add that attribute.
fn without_attribute(item: &Item, id: ModuleId, sources: &Sources) -> Option<UnreadKind> {
    let (_, ident) = named(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || is_kube(attrs) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let name = bare_name(ident);
    let message = format!("`{name}` derives `{CUSTOM_RESOURCE}` without `#[kube(..)]`");
    let mut finding = Diagnostic::error(message)
        .at(sources[id].locate(ident))
        .help(format!(
            "write `#[kube(group = \"..\", version = \"..\", kind = \"..\")]` on it, {LIST}, or {}",
            skip_help(&name)
        ));
    if let Some(place) = macro_above(attrs, id, sources) {
        finding = finding.label(place, "this macro may add it, and macros are not expanded");
    }
    Some(UnreadKind {
        module: id,
        name,
        kind: None,
        aliases: Vec::new(),
        finding,
    })
}

/// First attribute macro on an item or on an enclosing module.
fn macro_above(attrs: &[Attribute], module: ModuleId, sources: &Sources) -> Option<Location> {
    let mut attrs = attrs;
    let mut at = Some(module);
    let mut inside = module;
    loop {
        let source = &sources[inside].source;
        if let Some(found) = attrs.iter().find(|attr| is_attribute_macro(attr)) {
            let path = found.path();
            let start = path.segments.first()?.ident.span();
            return Some(Location::of(source, start));
        }
        let module = &sources[at?];
        attrs = &module.attrs;
        at = module.parent;
        inside = at?;
    }
}

/// Names of the package's macros that derive `CustomResource`, directly or through other macros.
fn macros_that_derive(sources: &Sources) -> BTreeSet<String> {
    let hidden = sources.hidden.iter().map(|id| &sources[*id]);
    let modules = sources.api_modules().map(|(_, module)| module);
    let items = modules.chain(hidden).flat_map(|module| &module.items);
    let mut others: Vec<_> = items
        .filter_map(|item| match item {
            Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                Some((bare_name(item.ident.as_ref()?), &item.mac.tokens))
            }
            _ => None,
        })
        .collect();
    let mut found = BTreeSet::new();
    let mut wanted = vec![CUSTOM_RESOURCE.to_owned()];
    while let Some(name) = wanted.pop() {
        others.retain(|(other, tokens)| {
            let derives = mentions(tokens, &name);
            if derives && found.insert(other.clone()) {
                wanted.push(other.clone());
            }
            !derives
        });
    }
    found
}

/// Returns the unread kind of a macro call if the macro or its input derives `CustomResource`.
fn by_macro(
    item: &ItemMacro,
    id: ModuleId,
    module: &Module,
    macros: &BTreeSet<String>,
) -> Option<UnreadKind> {
    let called = bare_name(&item.mac.path.segments.last()?.ident);
    let makes_kinds = macros.contains(&called) || mentions(&item.mac.tokens, CUSTOM_RESOURCE);
    if called == "macro_rules" || !makes_kinds || item.attrs.iter().any(is_cfg_test) {
        return None;
    }
    let words = words(&item.mac.tokens);
    // The type's name: the word after `struct` or `enum`, or else the first word, as in
    // `kind!(BarSpec)`.
    let keyword = words
        .iter()
        .position(|word| word == "struct" || word == "enum");
    let name = words.get(keyword.map_or(0, |at| at + 1)).unwrap_or(&called);
    let name = name.clone();
    let message = format!("`{called}!` derives `{CUSTOM_RESOURCE}`, and macros are not expanded");
    let help = format!(
        "define `{name}` without a macro, {LIST}, or {}",
        skip_help(&name)
    );
    Some(UnreadKind {
        finding: Diagnostic::error(message)
            .at(module.locate(&item.mac.path))
            .help(help),
        module: id,
        name,
        kind: None,
        aliases: words,
    })
}

/// Identifiers and string literals at the top level of a macro's input.
fn words(tokens: &TokenStream) -> Vec<String> {
    let word = |token| match token {
        TokenTree::Ident(ident) => Some(bare_name(&ident)),
        TokenTree::Literal(literal) => {
            let text = literal.to_string();
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            Some(inner.to_owned())
        }
        _ => None,
    };
    tokens.clone().into_iter().filter_map(word).collect()
}

/// Returns the unread kind of a type that derives `CustomResource` outside the API types.
fn outside(item: &Item, id: ModuleId, sources: &Sources, project: &Project) -> Option<UnreadKind> {
    let (_, ident) = named(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let module = &sources[id];
    let name = bare_name(ident);
    let kind = kube_kinds::read(item, id, module, &mut Sink::new());
    let kind = kind.map(|kind| kind.name());
    let aliases = kind.iter().map(|kind| kind.kind.clone());
    let root = |krate: CrateId| project.shown(&sources[krate].file);
    let (message, help) = match module.krate {
        CrateId::OWN => (
            format!(
                "`{name}` derives `{CUSTOM_RESOURCE}` outside of {}",
                project.shown(&project.apis)
            ),
            format!(
                "read the whole crate: `apis = \"{}\"` in `[package.metadata.genclient]`",
                folder_of_crate(project)
            ),
        ),
        krate => (
            format!(
                "`{name}` derives `{CUSTOM_RESOURCE}` in the crate of {}",
                root(krate)
            ),
            format!(
                "move it to the crate of {}, which is read",
                root(CrateId::OWN)
            ),
        ),
    };
    Some(UnreadKind {
        finding: Diagnostic::error(message)
            .at(module.locate(ident))
            .help(format!("{help}; or {}", skip_help(&name))),
        aliases: aliases.collect(),
        module: id,
        name,
        kind,
    })
}

/// Folder of the crate's root file, as a value for the setting `apis`.
fn folder_of_crate(project: &Project) -> String {
    let folder = project.crate_root.parent().unwrap_or(&project.dir);
    let below = folder.strip_prefix(&project.dir).unwrap_or(folder);
    below.display().to_string()
}

/// Help text: how to replace an unread type by a stated kind.
const LIST: &str = "list its kind in `[[package.metadata.genclient.kinds]]` with `crd = \"..\"`";

fn skip_help(name: &str) -> String {
    format!("skip it: `skip = [\"{name}\"]` in `[package.metadata.genclient]`")
}
