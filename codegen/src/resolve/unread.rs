//! Unread kinds: types that derive `CustomResource`, but come from a macro, lack `#[kube(…)]`, or
//! are outside of the API types.

use std::collections::BTreeSet;

use genclient_syntax::{derives, is_kube};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemMacro, LitStr, Meta, Token};

use super::kind::{attributes, is_attribute_macro};
use super::kube_kinds;
use super::paths::Paths;
use super::schema::mentions;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::KindName;
use crate::project::{CUSTOM_RESOURCE, Project};
use crate::sources::{CrateId, DefId, Module, ModuleId, Sources, bare_name, is_cfg_test, named};

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
pub(super) fn find(sources: &Sources, project: &Project, paths: &Paths<'_>) -> Vec<UnreadKind> {
    let macros = macros_that_derive(sources);
    let mut found = Vec::new();
    for (id, module) in sources.api_modules() {
        for item in &module.items {
            found.extend(match item {
                Item::Macro(item) => by_macro(item, id, module, &macros),
                item => without_attribute(item, id, sources, paths),
            });
        }
    }
    for module in &sources.hidden {
        for (id, item) in sources.items(*module) {
            found.extend(match item {
                Item::Macro(item) => by_macro(item, *module, &sources[*module], &macros),
                item => outside(item, id, sources, project),
            });
        }
    }
    found
}

/// Returns the unread kind of a type that derives `CustomResource` without `#[kube(…)]`. A macro
/// may add that attribute.
fn without_attribute(
    item: &Item,
    id: ModuleId,
    sources: &Sources,
    paths: &Paths<'_>,
) -> Option<UnreadKind> {
    let (_, ident) = named(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || is_kube(attrs) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let name = bare_name(ident);
    let at = sources[id].locate(ident);
    let finding = match macro_above(attrs, id, sources) {
        Some(above) if Versioned::is_named(above.attr) => {
            let versioned = Versioned::of(above.attr);
            let erased = above.module.filter(|_| !versioned.keeps_module);
            let around = match erased {
                Some(module) => sources[module].parent?,
                None => id,
            };
            let message =
                format!("`{name}` gets `#[kube(..)]` from `#[versioned]`, which is not expanded");
            let help = versioned.help(&paths.of_module(around), &name);
            Diagnostic::error(message)
                .at(at)
                .label(above.place, "by this macro")
                .help(help)
        }
        above => {
            let message = format!("`{name}` derives `{CUSTOM_RESOURCE}` without `#[kube(..)]`");
            let finding = Diagnostic::error(message).at(at).help(format!(
                "write `#[kube(group = \"..\", version = \"..\", kind = \"..\")]` on it, {LIST}, or {}",
                skip_help(&name)
            ));
            match above {
                Some(above) => finding.label(
                    above.place,
                    "this macro may add it, and macros are not expanded",
                ),
                None => finding,
            }
        }
    };
    Some(UnreadKind {
        module: id,
        name,
        kind: None,
        aliases: Vec::new(),
        finding,
    })
}

/// An attribute macro on an item or on an enclosing module.
struct AttributeMacro<'s> {
    attr: &'s Attribute,
    place: Location,
    /// Module with the attribute; `None` if the item has it.
    module: Option<ModuleId>,
}

/// First attribute macro on an item or on an enclosing module.
fn macro_above<'s>(
    attrs: &'s [Attribute],
    module: ModuleId,
    sources: &'s Sources,
) -> Option<AttributeMacro<'s>> {
    let mut attrs = attrs;
    let mut enclosing = None;
    let mut at = Some(module);
    let mut inside = module;
    loop {
        let source = &sources[inside].source;
        if let Some(attr) = attrs.iter().find(|attr| is_attribute_macro(attr)) {
            let start = attr.path().segments.first()?.ident.span();
            return Some(AttributeMacro {
                attr,
                place: Location::of(source, start),
                module: enclosing,
            });
        }
        enclosing = at;
        let module = &sources[at?];
        attrs = &module.attrs;
        at = module.parent;
        inside = at?;
    }
}

/// Arguments of `#[versioned(…)]` of stackable-versioned.
///
/// The macro replaces a module by a module for each version. `merged_crd` joins the versions at run
/// time, with the storage version as its argument.
#[derive(Default)]
struct Versioned {
    versions: Vec<String>,
    /// True with `options(preserve_module)`: the modules of the versions are below the module.
    keeps_module: bool,
}

impl Versioned {
    fn is_named(attr: &Attribute) -> bool {
        let last = attr.path().segments.last();
        last.is_some_and(|last| last.ident == "versioned")
    }

    fn of(attr: &Attribute) -> Self {
        let mut found = Self::default();
        for argument in nested(&attr.meta) {
            for part in nested(&argument) {
                match &part {
                    Meta::NameValue(pair)
                        if argument.path().is_ident("version") && pair.path.is_ident("name") =>
                    {
                        let name = syn::parse2::<LitStr>(pair.value.to_token_stream());
                        found.versions.extend(name.map(|name| name.value()));
                    }
                    Meta::Path(flag) => found.keeps_module |= flag.is_ident("preserve_module"),
                    _ => {}
                }
            }
        }
        found
    }

    /// Help for a type that the macro generates below the module `around`: the entries of its
    /// versions in Cargo.toml.
    fn help(&self, around: &str, name: &str) -> String {
        let kind = name.strip_suffix("Spec").unwrap_or(name);
        let entries: Vec<_> = self
            .versions
            .iter()
            .map(|version| {
                format!("`type = \"{around}::{version}::{kind}\", version = \"{version}\"`")
            })
            .collect();
        format!(
            "list it in `[[package.metadata.genclient.kinds]]` with `crd = \"..\"`, the file of \
             `{kind}::merged_crd`, and {}; or {}",
            entries.join(" and "),
            skip_help(name)
        )
    }
}

/// Parts of a list such as `version(name = "v1")`; none if the attribute has another form.
fn nested(meta: &Meta) -> Punctuated<Meta, Token![,]> {
    let parts = meta
        .require_list()
        .and_then(|list| list.parse_args_with(Punctuated::parse_terminated));
    parts.unwrap_or_default()
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
fn outside(item: &Item, id: DefId, sources: &Sources, project: &Project) -> Option<UnreadKind> {
    let (_, ident) = named(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let module = &sources[id.module];
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
        module: id.module,
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
