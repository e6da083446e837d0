//! Declared kinds: types with `#[genclient]` or `#[kube(…)]`, and kinds that Cargo.toml states.

use std::collections::BTreeSet;

use genclient_syntax::{Problems, ResourceAttrs, Spanned, is_kube, is_resource, names};
use proc_macro2::TokenTree;
use syn::{Attribute, Item, ItemStruct};

use super::kind::{Kind, attributes};
use super::kube_kinds;
use super::paths::Paths;
use super::stated_kinds;
use super::unread::{self, UnreadKind};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::KindName;
use crate::project::{Project, StatedKind};
use crate::sources::{DefId, Module, ModuleId, Sources, bare_name, is_cfg_test, named};

/// The kinds to resolve.
#[derive(Clone, Copy)]
pub(super) enum Subset<'p> {
    /// Every kind.
    All,
    /// Only the kinds with these names.
    Of(&'p BTreeSet<KindName>),
}

impl Subset<'_> {
    fn has(self, name: &KindName) -> bool {
        match self {
            Self::All => true,
            Self::Of(names) => names.contains(name),
        }
    }
}

#[derive(Default)]
pub(super) struct DeclaredKinds<'a> {
    /// Kinds that were read: their group, version and names are known.
    pub(super) kinds: Vec<Kind<'a>>,
    pub(super) stated: Vec<&'a StatedKind>,
    pub(super) refused: Vec<Refused>,
}

/// A type that is meant to be a kind but cannot be read as one, with the errors.
pub(super) struct Refused {
    pub(super) name: KindName,
    /// Other names by which the setting `skip` may refer to the type.
    pub(super) aliases: Vec<String>,
    pub(super) module: ModuleId,
    pub(super) findings: Sink,
}

impl Refused {
    /// Returns the refused kind for a type that derives `CustomResource` but cannot be read.
    fn unread(unread: UnreadKind) -> Self {
        let mut findings = Sink::new();
        findings.push(unread.finding);
        let mut aliases = unread.aliases;
        aliases.push(unread.name.clone());
        Self {
            name: unread.kind.unwrap_or_else(|| of_type(unread.name)),
            aliases,
            module: unread.module,
            findings,
        }
    }

    /// True if the type is a version of `kind`. If the type's group is unknown, its name decides.
    fn is_version_of(&self, kind: &Kind<'_>) -> bool {
        if self.name.group.is_empty() {
            kind.is_called(&self.name.kind)
        } else {
            kind.name() == self.name
        }
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.kind == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// Kind name for a type whose kind is unknown: the type's name, without a group.
fn of_type(name: String) -> KindName {
    KindName {
        group: String::new(),
        kind: name,
    }
}

/// Finds all declared kinds. Findings in the attributes of a kind are stored in the kind.
pub(super) fn find<'a>(
    sources: &'a Sources,
    project: &'a Project,
    paths: &Paths<'_>,
) -> DeclaredKinds<'a> {
    let mut declared = DeclaredKinds {
        stated: project.kinds.iter().collect(),
        ..DeclaredKinds::default()
    };
    for (module, _) in sources.api_modules() {
        let built = |(_, item): &(DefId, &Item)| !attributes(item).iter().any(is_cfg_test);
        for (id, item) in sources.items(module).filter(built) {
            let mut findings = Sink::new();
            match read(item, id, sources, &mut findings) {
                Some(kind) => declared.kinds.push(Kind { findings, ..kind }),
                None if findings.is_empty() => {}
                None => declared.refused.push(Refused {
                    name: of_type(name(item)),
                    aliases: vec![name(item)],
                    module,
                    findings,
                }),
            }
        }
    }
    let unread =
        stated_kinds::unsettled(&project.kinds, unread::find(sources, project, paths), paths);
    let unread = unread.into_iter().map(Refused::unread);
    declared.refused.extend(unread);
    declared.join();
    declared
}

impl<'a> DeclaredKinds<'a> {
    /// Marks the other versions of each refused kind as faulty, since no version can be compared
    /// with the refused one. A refused kind of unknown group gets the kind name of the other
    /// versions, so that `--keep-going` leaves out all versions together.
    fn join(&mut self) {
        for refused in &mut self.refused {
            for kind in &mut self.kinds {
                if refused.is_version_of(kind) {
                    kind.faulty = true;
                    refused.name = kind.name();
                }
            }
        }
    }

    /// Names of all declared kinds except skipped ones. Kinds that were read come first, then
    /// stated kinds, then refused kinds.
    pub(super) fn names(&self) -> Vec<KindName> {
        let kept = self.kinds.iter().filter(|kind| !kind.skipped);
        let refused = self.refused.iter().map(|refused| refused.name.clone());
        let stated = self.stated.iter().map(|stated| stated.name());
        let mut seen = BTreeSet::new();
        let all = kept.map(Kind::name).chain(stated).chain(refused);
        all.filter(|name| seen.insert(name.clone())).collect()
    }

    /// Returns the kinds of a subset that were read, except skipped ones. Reports the findings in
    /// the attributes of these kinds, and the errors of the subset's refused kinds.
    pub(super) fn of(&self, subset: Subset<'_>, sink: &mut Sink) -> Vec<Kind<'a>> {
        for refused in self.refused.iter().filter(|one| subset.has(&one.name)) {
            sink.extend(&refused.findings);
        }
        let kept = self.kinds.iter().filter(|kind| !kind.skipped);
        let kinds: Vec<_> = kept
            .filter(|kind| subset.has(&kind.name()))
            .cloned()
            .collect();
        for kind in &kinds {
            sink.extend(&kind.findings);
        }
        kinds
    }

    pub(super) fn stated(&self, subset: Subset<'_>) -> Vec<&'a StatedKind> {
        let stated = self.stated.iter().copied();
        stated.filter(|stated| subset.has(&stated.name())).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.stated.is_empty() && self.refused.is_empty()
    }
}

fn read<'a>(
    any: &'a Item,
    id: DefId,
    sources: &'a Sources,
    findings: &mut Sink,
) -> Option<Kind<'a>> {
    let module = &sources[id.module];
    if is_kube(attributes(any)) {
        return kube_kinds::read(any, id, module, findings);
    }
    let Item::Struct(item) = any else {
        report_misplaced(any, module, findings);
        return None;
    };
    if !is_resource(&item.attrs) {
        report_without_genclient(item, module, findings);
        return None;
    }
    let mut problems = Problems::new();
    let attrs = ResourceAttrs::parse(item, &mut problems);
    let faulty = !problems.is_empty();
    findings.problems(problems, &module.source);
    // A generic type is not a kind: its arguments are unknown.
    let attrs = attrs.filter(|_| item.generics.params.is_empty())?;
    let version = version(sources, id.module, &attrs, findings)?;
    Some(Kind {
        id,
        item: any,
        attrs,
        version,
        faulty,
        findings: Sink::new(),
        skipped: false,
        kube: None,
    })
}

/// Name of an item; `impl` for an item without a name.
fn name(item: &Item) -> String {
    named(item).map_or_else(|| "impl".to_owned(), |(_, ident)| bare_name(ident))
}

/// Returns the attributes and version of a kind in another crate, or in this crate outside the API
/// module.
pub(super) fn of_other_crate(
    sources: &Sources,
    module: ModuleId,
    item: &ItemStruct,
) -> Option<(ResourceAttrs, String)> {
    let attrs = ResourceAttrs::parse(item, &mut Problems::new())?;
    let version = version(sources, module, &attrs, &mut Sink::new())?;
    Some((attrs, version.value))
}

fn is_genclient(attr: &Attribute) -> bool {
    is_resource(std::slice::from_ref(attr))
}

/// Reports a struct that looks like a kind: it has `#[group]`, `#[version]` or `#[kind]` without
/// `#[genclient]`, or has `genclient` in `cfg_attr`.
fn report_without_genclient(item: &ItemStruct, module: &Module, sink: &mut Sink) {
    for attr in &item.attrs {
        let name = attr.path().get_ident().map(ToString::to_string);
        let finding = match name.as_deref() {
            Some(name @ ("group" | "version" | "kind")) => {
                Diagnostic::error(format!("`{name}` is allowed only on a kind"))
                    .help("write `#[genclient]` above it")
            }
            Some("cfg_attr") if conditional(attr) => Diagnostic::error(
                "`genclient` is not allowed in `cfg_attr`",
            )
            .help("write `#[genclient]`, and `#[cfg(…)]` on the struct if not every build has it"),
            _ => continue,
        };
        sink.push(finding.at(module.locate(attr.path())));
    }
}

/// True if `cfg_attr` contains `genclient`.
fn conditional(attr: &Attribute) -> bool {
    let Ok(list) = attr.meta.require_list() else {
        return false;
    };
    let mut tokens = list.tokens.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(name) if name == "genclient"))
}

/// Reports `#[genclient]` on an item that is not a struct, as the macro does.
fn report_misplaced(item: &Item, module: &Module, sink: &mut Sink) {
    let (attrs, ident): (&[Attribute], _) = match item {
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, None),
        Item::Fn(item) => (&item.attrs, None),
        Item::Trait(item) => (&item.attrs, None),
        Item::Impl(item) => (&item.attrs, None),
        Item::Const(item) => (&item.attrs, None),
        Item::Static(item) => (&item.attrs, None),
        _ => return,
    };
    for attr in attrs.iter().filter(|attr| is_genclient(attr)) {
        let finding = match ident {
            Some(ident) => Diagnostic::error("a kind must be a struct with named fields")
                .at(module.locate(ident)),
            None => Diagnostic::error("`#[genclient]` must be applied to a struct")
                .at(module.locate(attr)),
        };
        sink.push(finding.help("write `struct Name { pub metadata: ObjectMeta, pub spec: .. }`"));
    }
}

/// Returns the stated version, or the name of the nearest enclosing module that is named like a
/// version. Reports a kind with neither.
fn version(
    sources: &Sources,
    module: ModuleId,
    attrs: &ResourceAttrs,
    sink: &mut Sink,
) -> Option<Spanned<String>> {
    if let Some(version) = &attrs.version {
        return Some(version.clone());
    }
    let mut at = Some(module);
    while let Some(id) = at {
        let module = &sources[id];
        if names::is_version(&module.name) {
            return Some(Spanned::new(module.name.clone(), attrs.ident.span()));
        }
        at = module.parent;
    }
    let place = Location::of(&sources[module].source, attrs.ident.span());
    sink.push(
        Diagnostic::error(format!("no API version for `{}`", attrs.kind.value))
            .at(place)
            .help(
                "move it into a module named after the version (`mod v1`), or write `#[version = \"v1\"]`",
            ),
    );
    None
}
