//! Declared kinds: types with `#[genclient]` or `#[kube(…)]`, kinds that Cargo.toml states, and
//! types that derive `CustomResource` but cannot be read, since they come from a macro, lack
//! `#[kube(…)]`, or are outside of the API types.

use std::collections::BTreeSet;

use genclient_schema::definition::crd::{Unevaluated, complete, prepare_create, validate_create};
use genclient_syntax::{
    Problems, ResourceAttrs, Spanned, Verb, derives, is_kube, is_resource, names,
    report_misspelt_genclient,
};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemMacro, ItemStruct, LitStr, Meta, Token};

use super::kind::{Kind, attributes, is_attribute_macro, names_of_kind};
use super::kube_kinds;
use super::paths::Paths;
use super::schema::mentions;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{ExternalDefinition, GroupKind, Resource};
use crate::project::{CUSTOM_RESOURCE, Project, StatedDefinition, StatedKind};
use crate::sources::{
    CrateId, DefId, Module, ModuleId, Sources, bare_name, defined_name, is_cfg_test,
};

/// The kinds to resolve.
#[derive(Clone, Copy)]
pub(super) enum Subset<'p> {
    /// Every kind.
    All,
    /// Only the kinds with these names.
    Of(&'p BTreeSet<GroupKind>),
}

impl Subset<'_> {
    fn has(self, name: &GroupKind) -> bool {
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
    pub(super) invalid: Vec<InvalidKind>,
}

/// A type that is meant to be a kind but cannot be read as one, with the errors.
pub(super) struct InvalidKind {
    pub(super) name: GroupKind,
    /// Other names by which the setting `skip` may refer to the type.
    pub(super) aliases: Vec<String>,
    pub(super) module: ModuleId,
    pub(super) findings: Sink,
}

impl InvalidKind {
    /// Returns the invalid kind for a type that derives `CustomResource` but cannot be read.
    fn from_unresolved(unresolved: UnresolvedKind) -> Self {
        let mut findings = Sink::new();
        findings.push(unresolved.finding);
        let mut aliases = unresolved.aliases;
        aliases.push(unresolved.name.clone());
        Self {
            name: unresolved
                .kind
                .unwrap_or_else(|| kind_named_like(unresolved.name)),
            aliases,
            module: unresolved.module,
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
fn kind_named_like(name: String) -> GroupKind {
    GroupKind {
        group: String::new(),
        kind: name,
    }
}

/// Finds all declared kinds. Findings in the attributes of a kind are stored in the kind.
pub(super) fn find_kinds<'a>(
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
            match read_kind(item, id, sources, &mut findings) {
                Some(kind) => declared.kinds.push(Kind { findings, ..kind }),
                None if findings.is_empty() => {}
                None => declared.invalid.push(InvalidKind {
                    name: kind_named_like(item_name(item)),
                    aliases: vec![item_name(item)],
                    module,
                    findings,
                }),
            }
        }
    }
    let unresolved = find_unresolved(sources, project, paths);
    let undescribed = without_stated_kinds(&project.kinds, unresolved, paths);
    declared
        .invalid
        .extend(undescribed.into_iter().map(InvalidKind::from_unresolved));
    declared.join();
    declared
}

impl<'a> DeclaredKinds<'a> {
    /// Marks the other versions of each invalid kind as faulty, since no version can be compared
    /// with the invalid one. An invalid kind of unknown group gets the kind name of the other
    /// versions, so that `--keep-going` leaves out all versions together.
    fn join(&mut self) {
        for invalid in &mut self.invalid {
            for kind in &mut self.kinds {
                if invalid.is_version_of(kind) {
                    kind.faulty = true;
                    invalid.name = kind.name();
                }
            }
        }
    }

    /// Names of all declared kinds except skipped ones. Kinds that were read come first, then
    /// stated kinds, then invalid kinds.
    pub(super) fn names(&self) -> Vec<GroupKind> {
        let kept = self.kinds.iter().filter(|kind| !kind.skipped);
        let invalid = self.invalid.iter().map(|invalid| invalid.name.clone());
        let stated = self.stated.iter().map(|stated| stated.name());
        let mut seen = BTreeSet::new();
        let all = kept.map(Kind::name).chain(stated).chain(invalid);
        all.filter(|name| seen.insert(name.clone())).collect()
    }

    /// Returns the kinds of a subset that were read, except skipped ones. Reports the findings in
    /// the attributes of these kinds, and the errors of the subset's invalid kinds.
    pub(super) fn in_subset(&self, subset: Subset<'_>, sink: &mut Sink) -> Vec<Kind<'a>> {
        for invalid in self.invalid.iter().filter(|one| subset.has(&one.name)) {
            sink.extend(&invalid.findings);
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
        self.kinds.is_empty() && self.stated.is_empty() && self.invalid.is_empty()
    }
}

fn read_kind<'a>(
    any: &'a Item,
    id: DefId,
    sources: &'a Sources,
    findings: &mut Sink,
) -> Option<Kind<'a>> {
    let module = &sources[id.module];
    if is_kube(attributes(any)) {
        return kube_kinds::read_kube_kind(any, id, module, findings);
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
    let version = find_version(sources, id.module, &attrs, findings)?;
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
fn item_name(item: &Item) -> String {
    defined_name(item).map_or_else(|| "impl".to_owned(), |(_, ident)| bare_name(ident))
}

/// Returns the attributes and version of a kind in another crate, or in this crate outside the API
/// module.
pub(super) fn read_foreign_kind(
    sources: &Sources,
    module: ModuleId,
    item: &ItemStruct,
) -> Option<(ResourceAttrs, String)> {
    let attrs = ResourceAttrs::parse(item, &mut Problems::new())?;
    let version = find_version(sources, module, &attrs, &mut Sink::new())?;
    Some((attrs, version.value))
}

fn is_genclient(attr: &Attribute) -> bool {
    is_resource(std::slice::from_ref(attr))
}

/// Reports a struct that looks like a kind: it has `#[group]`, `#[version]` or `#[kind]` without
/// `#[genclient]`, or has `genclient` misspelt or in `cfg_attr`.
fn report_without_genclient(item: &ItemStruct, module: &Module, sink: &mut Sink) {
    let mut problems = Problems::new();
    report_misspelt_genclient(&item.attrs, &mut problems);
    if !problems.is_empty() {
        sink.problems(problems, &module.source);
        return;
    }
    for attr in &item.attrs {
        let name = attr.path().get_ident().map(ToString::to_string);
        let finding = match name.as_deref() {
            Some(name @ ("group" | "version" | "kind")) => {
                Diagnostic::error(format!("`{name}` is allowed only on a kind"))
                    .help("write `#[genclient]` above it")
            }
            Some("cfg_attr") if is_conditional_genclient(attr) => Diagnostic::error(
                "`genclient` is not allowed in `cfg_attr`",
            )
            .help("write `#[genclient]`, and `#[cfg(…)]` on the struct if not every build has it"),
            _ => continue,
        };
        sink.push(finding.at(module.locate(attr.path())));
    }
}

/// True if `cfg_attr` contains `genclient`.
fn is_conditional_genclient(attr: &Attribute) -> bool {
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
fn find_version(
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
    let place = Location::new(&sources[module].source, attrs.ident.span());
    sink.push(
        Diagnostic::error(format!("no API version for `{}`", attrs.kind.value))
            .at(place)
            .help(
                "move it into a module named after the version (`mod v1`), or write `#[version = \"v1\"]`",
            ),
    );
    None
}

impl StatedKind {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.kind == name || self.type_name() == name
    }

    /// Returns how well an unresolved kind matches this one; `None` if no name matches. The
    /// expected name is that of the stated type, with or without `Spec`. A match of the unresolved
    /// kind's name ranks above a match of an alias, such as a word of a macro call. Among equal
    /// matches, a type in the stated module ranks first.
    fn likeness(&self, unresolved: &UnresolvedKind, paths: &Paths<'_>) -> Option<(bool, bool)> {
        let type_name = self.type_name();
        let spec = format!("{type_name}Spec");
        let is_name = |word: &String| *word == type_name || *word == spec;
        let by_name = is_name(&unresolved.name);
        let is_meant = by_name || unresolved.aliases.iter().any(is_name);
        is_meant.then(|| (by_name, paths.of_module(unresolved.module) == self.module()))
    }

    pub(super) fn resource(&self) -> Resource {
        let has = |verb: &Verb| self.status || !verb.is_status();
        Resource {
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            scope: self.scope,
            type_path: self.type_path.clone(),
            cfg: Vec::new(),
            names: names_of_kind(&self.kind),
            verbs: Verb::ALL.iter().copied().filter(has).collect(),
            scale: self.scale,
            apply: None,
            methods: Vec::new(),
        }
    }

    /// Locates a finding at the kind's entry in Cargo.toml.
    pub(super) fn finding(&self, finding: Diagnostic) -> Diagnostic {
        match &self.place {
            Some(place) => finding.at(place.clone()),
            None => finding,
        }
    }
}

/// Returns the unresolved kinds that no stated kind describes. Each of these describes at most one
/// type: its best match.
fn without_stated_kinds(
    kinds: &[StatedKind],
    mut types: Vec<UnresolvedKind>,
    paths: &Paths<'_>,
) -> Vec<UnresolvedKind> {
    for kind in kinds {
        let likely = types
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(at, unresolved)| Some((kind.likeness(unresolved, paths)?, at)));
        if let Some((_, at)) = likely.max_by_key(|(likeness, _)| *likeness) {
            types.remove(at);
        }
    }
    types
}

/// Checks that all versions of a kind state the same CRD, and that the API server accepts the CRD.
pub(super) fn check_stated(kinds: &[&StatedKind], project: &Project, sink: &mut Sink) {
    for (at, kind) in kinds.iter().enumerate() {
        let mut before = kinds[..at].iter();
        if let Some(first) = before.find(|first| first.name() == kind.name()) {
            if first.definition != kind.definition {
                let message = format!(
                    "the versions of `{}` must have the same `crd` file",
                    kind.kind
                );
                let help = "use one file for all versions: `crd = \"..\"`";
                sink.push(kind.finding(Diagnostic::error(message).help(help)));
            }
            continue;
        }
        let Some(StatedDefinition { path, document }) = &kind.definition else {
            continue;
        };
        let file = project.shown(path);
        let mut document = document.clone();
        complete(&mut document);
        prepare_create(&mut document);
        for cause in validate_create(&document, &Unevaluated) {
            let message = format!("the API server refuses {file}: {cause}");
            let help = "fix the type or the attributes from which the file is generated, and generate it again";
            sink.push(kind.finding(Diagnostic::error(message).help(help)));
        }
    }
}

/// Returns the definitions of the stated kinds, one for all versions of a kind, sorted by name.
pub(super) fn stated_definitions(kinds: &[&StatedKind]) -> Vec<ExternalDefinition> {
    let mut all: Vec<ExternalDefinition> = Vec::new();
    for kind in kinds {
        let Some(stated) = &kind.definition else {
            continue;
        };
        if !all.iter().any(|known| known.name == kind.name()) {
            all.push(ExternalDefinition {
                name: kind.name(),
                document: stated.document.clone(),
            });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// A type that kube turns into a kind, with the reason why it is not read.
struct UnresolvedKind {
    /// Module of the type, or of the macro call.
    module: ModuleId,
    name: String,
    /// Its kind, if known.
    kind: Option<GroupKind>,
    /// Other names that may be the name of the kind.
    aliases: Vec<String>,
    finding: Diagnostic,
}

/// Finds unresolved kinds among the API types and in the rest of the package.
fn find_unresolved(sources: &Sources, project: &Project, paths: &Paths<'_>) -> Vec<UnresolvedKind> {
    let macros = macros_that_derive(sources);
    let mut found = Vec::new();
    for (id, module) in sources.api_modules() {
        for item in &module.items {
            found.extend(match item {
                Item::Macro(item) => unresolved_of_macro(item, id, module, &macros),
                item => unresolved_without_attribute(item, id, sources, paths),
            });
        }
    }
    for module in &sources.hidden {
        for (id, item) in sources.items(*module) {
            found.extend(match item {
                Item::Macro(item) => unresolved_of_macro(item, *module, &sources[*module], &macros),
                item => unresolved_outside_apis(item, id, sources, project),
            });
        }
    }
    found
}

/// Returns the unresolved kind of a type that derives `CustomResource` without `#[kube(…)]`. A
/// macro may add that attribute.
fn unresolved_without_attribute(
    item: &Item,
    id: ModuleId,
    sources: &Sources,
    paths: &Paths<'_>,
) -> Option<UnresolvedKind> {
    let (_, ident) = defined_name(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || is_kube(attrs) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let name = bare_name(ident);
    let at = sources[id].locate(ident);
    let finding = match macro_above(attrs, id, sources) {
        Some(above) if Versioned::is_named(above.attr) => {
            let versioned = Versioned::from_attribute(above.attr);
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
                "write `#[kube(group = \"..\", version = \"..\", kind = \"..\")]` on it, {LIST_KIND_HELP}, or {}",
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
    Some(UnresolvedKind {
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
                place: Location::new(source, start),
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

    fn from_attribute(attr: &Attribute) -> Self {
        let mut found = Self::default();
        for argument in nested_metas(&attr.meta) {
            for part in nested_metas(&argument) {
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
fn nested_metas(meta: &Meta) -> Punctuated<Meta, Token![,]> {
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

/// Returns the unresolved kind of a macro call if the macro or its input derives `CustomResource`.
fn unresolved_of_macro(
    item: &ItemMacro,
    id: ModuleId,
    module: &Module,
    macros: &BTreeSet<String>,
) -> Option<UnresolvedKind> {
    let called = bare_name(&item.mac.path.segments.last()?.ident);
    let makes_kinds = macros.contains(&called) || mentions(&item.mac.tokens, CUSTOM_RESOURCE);
    if called == "macro_rules" || !makes_kinds || item.attrs.iter().any(is_cfg_test) {
        return None;
    }
    let identifiers = macro_words(&item.mac.tokens);
    // The type's name: the word after `struct` or `enum`, or else the first word, as in
    // `kind!(BarSpec)`.
    let keyword = identifiers
        .iter()
        .position(|word| word == "struct" || word == "enum");
    let name = identifiers
        .get(keyword.map_or(0, |at| at + 1))
        .unwrap_or(&called)
        .clone();
    let message = format!("`{called}!` derives `{CUSTOM_RESOURCE}`, and macros are not expanded");
    let help = format!(
        "define `{name}` without a macro, {LIST_KIND_HELP}, or {}",
        skip_help(&name)
    );
    Some(UnresolvedKind {
        finding: Diagnostic::error(message)
            .at(module.locate(&item.mac.path))
            .help(help),
        module: id,
        name,
        kind: None,
        aliases: identifiers,
    })
}

/// Identifiers and string literals at the top level of a macro's input.
fn macro_words(tokens: &TokenStream) -> Vec<String> {
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

/// Returns the unresolved kind of a type that derives `CustomResource` outside the API types.
fn unresolved_outside_apis(
    item: &Item,
    id: DefId,
    sources: &Sources,
    project: &Project,
) -> Option<UnresolvedKind> {
    let (_, ident) = defined_name(item)?;
    let attrs = attributes(item);
    if !derives(attrs, CUSTOM_RESOURCE) || attrs.iter().any(is_cfg_test) {
        return None;
    }
    let module = &sources[id.module];
    let name = bare_name(ident);
    let kind = kube_kinds::read_kube_kind(item, id, module, &mut Sink::new());
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
    Some(UnresolvedKind {
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

/// Help text: how to replace an unresolved kind by a stated one.
const LIST_KIND_HELP: &str =
    "list its kind in `[[package.metadata.genclient.kinds]]` with `crd = \"..\"`";

fn skip_help(name: &str) -> String {
    format!("skip it: `skip = [\"{name}\"]` in `[package.metadata.genclient]`")
}
