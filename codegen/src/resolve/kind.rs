//! [`Kind`]: a kind as its Rust type declares it.

use genclient_syntax::{Flag, ResourceAttrs, SchemaMode, Spanned, TypeRef, names};
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Path, Token, Visibility};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{GroupKind, Names};
use crate::sources::{DefId, ModuleId, Sources, bare_name};

/// A type that declares a kind, or a spec from which kube derives a kind.
#[derive(Clone)]
pub(super) struct Kind<'a> {
    pub(super) id: DefId,
    /// The struct with `#[genclient]`, or the struct or enum with kube's derive.
    pub(super) item: &'a Item,
    pub(super) attrs: ResourceAttrs,
    pub(super) version: Spanned<String>,
    /// True if the kind's attributes have an error, or if another version of the kind is refused.
    pub(super) faulty: bool,
    pub(super) findings: Sink,
    /// True if the setting `skip` names the kind, so that nothing is generated for it.
    pub(super) skipped: bool,
    /// Settings for the root type that kube derives; `None` for `#[genclient]`.
    pub(super) kube: Option<KubeRoot>,
}

/// Settings of `#[kube(…)]` for the root type that kube derives.
#[derive(Clone)]
pub(super) struct KubeRoot {
    pub(super) doc: Option<Spanned<String>>,
    pub(super) status: Option<Spanned<TypeRef>>,
    /// True if the fields of the spec are at the root of the object, not below `spec`.
    pub(super) no_spec: bool,
    pub(super) schema: SchemaMode,
    pub(super) storage: Option<bool>,
    /// Set for a `scale` that kube omits from the CRD, since the kind has no status.
    pub(super) dropped_scale: Flag,
}

impl Kind<'_> {
    /// Group and kind, which identify the definition.
    pub(super) fn name(&self) -> GroupKind {
        GroupKind {
            group: self.attrs.group.value.clone(),
            kind: self.attrs.kind.value.clone(),
        }
    }

    /// True if `name` is the name of the kind, of its type, or of the spec from which kube derives
    /// the type.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// The name of the kind, of its type, and of the spec from which kube derives the type.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let spec = match self.item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            _ => None,
        };
        let type_names = spec.into_iter().chain([&self.attrs.ident]);
        let kind = self.attrs.kind.value.clone();
        [kind].into_iter().chain(type_names.map(bare_name))
    }

    /// Attribute that marks the storage version.
    pub(super) fn stored_by(&self) -> &'static str {
        match self.kube {
            Some(_) => "`#[kube(storage = true)]`",
            None => "`#[crd(storage)]`",
        }
    }

    pub(super) fn attributes(&self) -> &[Attribute] {
        attributes(self.item)
    }

    /// Visibility of the type. A root that kube derives has the visibility of its spec.
    pub(super) fn visibility(&self) -> &Visibility {
        match self.item {
            Item::Enum(item) => &item.vis,
            Item::Struct(item) => &item.vis,
            _ => &Visibility::Inherited,
        }
    }

    pub(super) fn locate(&self, sources: &Sources, span: Span) -> Location {
        Location::new(&sources[self.id.module].source, span)
    }

    /// Location of the type's name.
    pub(super) fn location(&self, sources: &Sources) -> Location {
        self.locate(sources, self.attrs.ident.span())
    }

    /// The `cfg` conditions of the type and of its modules, outermost first.
    pub(super) fn cfg(&self, sources: &Sources) -> Vec<String> {
        cfg_of_item(self.attributes(), self.id.module, sources)
    }
}

/// The `cfg` conditions of an item of `module` and of its modules, outermost first.
pub(super) fn cfg_of_item(attrs: &[Attribute], module: ModuleId, sources: &Sources) -> Vec<String> {
    let mut conditions: Vec<_> = cfg_conditions(attrs).collect();
    let mut at = Some(module);
    while let Some(id) = at {
        let module = &sources[id];
        conditions.splice(0..0, cfg_conditions(&module.attrs));
        at = module.parent;
    }
    conditions.dedup();
    conditions
}

/// The error for two versions of one kind that are both stored.
pub(super) fn two_stored(first: &Kind<'_>, second: &Kind<'_>, sources: &Sources) -> Diagnostic {
    let place = |kind: &Kind<'_>| match kind.attrs.storage.span() {
        Some(span) => kind.locate(sources, span),
        None => kind.location(sources),
    };
    Diagnostic::error(format!(
        "`{}` has two storage versions, {} and {}",
        first.attrs.kind.value, first.version.value, second.version.value
    ))
    .at(place(second))
    .label(place(first), "also here")
}

/// Conditions of `cfg` attributes, such as `feature = "gpu"` for `#[cfg(feature = "gpu")]`.
pub(super) fn cfg_conditions(attrs: &[Attribute]) -> impl Iterator<Item = String> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"))
        .filter_map(|attr| attr.meta.require_list().ok())
        .map(|list| remove_token_spaces(&list.tokens.to_string()))
}

/// Removes the spaces that the printing of tokens adds beside parentheses and commas.
fn remove_token_spaces(tokens: &str) -> String {
    tokens
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
}

/// Attributes of a struct, enum or union; empty for any other item.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => &[],
    }
}

/// True if the attributes derive `name`, by any path. Derives in `cfg_attr` do not count.
pub(super) fn is_derived(name: &str, attrs: &[Attribute]) -> bool {
    derive_names(attrs).any(|derived| derived == name)
}

/// Last path segment of each derive, except derives in `cfg_attr`.
pub(super) fn derive_names(attrs: &[Attribute]) -> impl Iterator<Item = String> {
    let derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    let listed = derives.filter_map(|attr| {
        attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
            .ok()
    });
    let last = |path: Path| path.segments.last().map(|last| last.ident.to_string());
    listed.flatten().filter_map(last)
}

/// True for an attribute that may be a macro. A macro can generate items that are not in source.
pub(super) fn is_attribute_macro(attr: &Attribute) -> bool {
    const KNOWN: [&str; 13] = [
        "allow",
        "cfg",
        "cfg_attr",
        "crd",
        "derive",
        "deprecated",
        "doc",
        "expect",
        "genclient",
        "kube",
        "path",
        "schemars",
        "serde",
    ];
    !KNOWN.iter().any(|known| attr.path().is_ident(known))
}

/// Returns the names of a kind's generated items.
pub(super) fn names_of_kind(kind: &str) -> Names {
    Names {
        module: names::module(&names::snake_case(kind)),
        accessor: names::accessor(kind),
        all: format!("all_{}", names::accessor(kind)),
        client: names::client_type(kind),
    }
}
