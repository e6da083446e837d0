//! Kinds: `#[genclient]`, `#[group]`, `#[version]`, `#[kind]` and `#[crd(…)]`.

mod crd;
mod identity;
mod methods;
mod root;
mod verbs;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::Attribute;
use syn::spanned::Spanned as _;

use crate::arguments::{self, joined};
use crate::keys::Keys;
use crate::table::{Key, Within};
use crate::{
    Flag, Place, Problems, SchemaAttrs, Scope, Spanned, Verb, constraints, is_genclient,
    is_grammar, item, schema,
};
pub use crd::{Conversion, ConversionEndpoint, Deprecated, PrintColumn, Scale};
pub(crate) use identity::ResourceInput;
pub use methods::Method;

/// A kind in one version, as its attributes state it.
#[derive(Clone, Debug)]
pub struct ResourceAttrs {
    /// Name of the struct.
    pub ident: Ident,
    /// API group; empty for the core group.
    pub group: Spanned<String>,
    /// API version. If it is `None`, the nearest enclosing module named like a version determines
    /// the version ([`crate::names::is_version`]).
    pub version: Option<Spanned<String>>,
    /// Kind; by default the name of the struct.
    pub kind: Spanned<String>,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Plural name in lower case: the override, or the plural of the kind.
    pub plural: Spanned<String>,
    /// Singular name in lower case: the override, or the kind.
    pub singular: Spanned<String>,
    /// Short names for command lines.
    pub short_names: Vec<Spanned<String>>,
    /// Categories for command lines: `kubectl get all` lists every kind in the category `all`.
    pub categories: Vec<Spanned<String>>,
    /// Whether the object has a field `spec`.
    pub has_spec: bool,
    /// Whether the object has a field `status`.
    pub has_status: bool,
    /// Whether the kind has a status subresource: a field `status` without `no_status`, or
    /// `#[crd(status)]`.
    pub status_subresource: bool,
    /// The verbs that the client has, in client-go's order.
    pub verbs: BTreeSet<Verb>,
    /// Extension methods of the client, in source order.
    pub methods: Vec<Method>,
    /// No CRD is generated, because another project owns it.
    pub skip_crd: Flag,
    /// No client is generated.
    pub skip_client: Flag,
    /// Paths of the scale subresource.
    pub scale: Option<Scale>,
    /// Columns of `kubectl get`, in source order.
    pub printcolumns: Vec<PrintColumn>,
    /// Paths that field selectors may use.
    pub selectable_fields: Vec<Spanned<String>>,
    /// This version is the storage version.
    pub storage: Flag,
    /// This version is not served.
    pub unserved: Flag,
    /// This version is deprecated.
    pub deprecated: Option<Deprecated>,
    /// This version is not part of the CRD.
    pub skip_version: Flag,
    /// Annotations of the CRD, in source order.
    pub annotations: Vec<(Spanned<String>, Spanned<String>)>,
    /// Labels of the CRD, in source order.
    pub labels: Vec<(Spanned<String>, Spanned<String>)>,
    /// Conversion webhook between versions.
    pub conversion: Option<Conversion>,
    /// Constraints of the whole object.
    pub schema: SchemaAttrs,
    /// Constraints of each field of the struct, in source order; empty with kube's derive.
    pub fields: Vec<SchemaAttrs>,
}

impl ResourceAttrs {
    /// Reads and checks a kind with all of its fields.
    ///
    /// Every error goes to `problems`. Returns `None` if the group is missing or not a string, or
    /// if the item has no `#[genclient]`.
    pub fn parse(item: &syn::ItemStruct, problems: &mut Problems) -> Option<Self> {
        let span = check(&item.attrs, problems)?;
        root::check(item, problems);
        let place = Place::resource();
        let crd = Keys::read(&item.attrs, Within::Crd, &place, problems);
        let mut genclient = Keys::read(&item.attrs, Within::Genclient, &place, problems);
        identity::read_attributes(&item.attrs, &mut genclient, problems);

        let mut schema = schema::read::read(&crd, &place, problems);
        constraints::read_foreign(&item.attrs, &place, &mut schema, problems);
        let fields = item::fields_attrs(&item.fields, problems);
        let has = |name: &str| {
            item.fields
                .iter()
                .any(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
        };
        let input = ResourceInput {
            ident: &item.ident,
            attrs: &item.attrs,
            span,
            genclient: &genclient,
            crd: &crd,
            has_spec: has("spec"),
            has_status: has("status"),
        };
        let resource = input.read(problems)?;
        Some(Self {
            schema,
            fields,
            ..resource
        })
    }
}

impl ResourceInput<'_> {
    /// Reads and checks the keys. The caller sets `schema` and `fields`, which are empty in the
    /// result.
    pub(crate) fn read(self, problems: &mut Problems) -> Option<ResourceAttrs> {
        let (genclient, crd) = (self.genclient, self.crd);
        let status_subresource = self.status_subresource(problems);
        let names = identity::read(&self, problems);
        let verbs = verbs::read(genclient, self.has_status, problems);
        let scale = crd::scale(crd, problems);
        let methods = methods::read(genclient, &verbs, scale.is_some(), problems);
        check_skipped(genclient, problems);

        let names = names?;
        Some(ResourceAttrs {
            ident: self.ident.clone(),
            group: names.group,
            version: names.version,
            kind: names.kind,
            scope: names.scope,
            plural: names.plural,
            singular: names.singular,
            short_names: names.short_names,
            categories: names.categories,
            has_spec: self.has_spec,
            has_status: self.has_status,
            status_subresource,
            verbs,
            methods,
            skip_crd: genclient.flag(Key::SKIP_CRD),
            skip_client: genclient.flag(Key::SKIP_CLIENT),
            scale,
            printcolumns: crd::printcolumns(crd, problems),
            selectable_fields: crd::selectable_fields(crd, problems),
            storage: crd.flag(Key::STORAGE),
            unserved: crd.flag(Key::UNSERVED),
            deprecated: crd::deprecated(crd),
            skip_version: crd.flag(Key::SKIP_VERSION),
            annotations: crd::annotations(crd, problems),
            labels: crd::labels(crd, problems),
            conversion: crd::conversion(crd, problems),
            schema: SchemaAttrs::default(),
            fields: Vec::new(),
        })
    }
}

impl ResourceInput<'_> {
    /// Computes [`ResourceAttrs::status_subresource`], and reports a key `status` that contradicts
    /// `no_status` or is redundant.
    fn status_subresource(&self, problems: &mut Problems) -> bool {
        let without = self.genclient.flag(Key::NO_STATUS).is_set();
        let Some(stated) = self.crd.get(Key::STATUS) else {
            return self.has_status && !without;
        };
        if without {
            let message = "`status` cannot be combined with `no_status`";
            problems.report(stated.span, message, "keep one of them");
        } else if self.has_status {
            let message = "the field `status` already enables the status subresource";
            problems.report(stated.span, message, "remove it");
        }
        true
    }
}

/// Reports client options without effect, and types that skip both client and CRD.
fn check_skipped(genclient: &Keys, problems: &mut Problems) {
    let Some(skip) = genclient.get(Key::SKIP_CLIENT) else {
        return;
    };
    const CLIENT_OPTIONS: [Key; 5] = [
        Key::NO_VERBS,
        Key::ONLY_VERBS,
        Key::SKIP_VERBS,
        Key::READONLY,
        Key::METHOD,
    ];
    for key in CLIENT_OPTIONS {
        if let Some(found) = genclient.get(key) {
            problems.report(
                found.span,
                format!("`{key}` has no effect with `skip_client`"),
                "keep one of them",
            );
        }
    }
    if genclient.get(Key::SKIP_CRD).is_some() {
        problems.report(
            skip.span,
            "`skip_crd` cannot be combined with `skip_client`: there is nothing to generate",
            "remove one of them, or remove `#[genclient]` and `#[group]`",
        );
    }
}

/// Returns the span of the first `#[genclient]`, or `None`. Reports duplicates, and attributes that
/// must be below `#[genclient]`.
///
/// The compiler expands attributes from top to bottom: a derive above `#[genclient]` sees the
/// struct before `#[genclient]` changes it.
fn check(attrs: &[Attribute], problems: &mut Problems) -> Option<Span> {
    let first = attrs.iter().position(is_genclient)?;
    for above in &attrs[..first] {
        let Some(name) = above.path().get_ident() else {
            continue;
        };
        if is_grammar(name) || name == "derive" {
            let message = format!("`#[{name}]` must be below `#[genclient]`");
            problems.report(above.path().span(), message, "move `#[genclient]` above it");
        }
    }
    check_once(attrs, problems);
    Some(attrs[first].path().span())
}

/// Reports every `#[genclient]` but the first.
pub(crate) fn check_once(attrs: &[Attribute], problems: &mut Problems) {
    for again in attrs.iter().filter(|attr| is_genclient(attr)).skip(1) {
        let help = match options(attrs).as_slice() {
            [] => "remove it".to_owned(),
            options => format!("merge the options: `#[genclient({})]`", joined(options)),
        };
        problems.report(again.path().span(), "duplicate `#[genclient]`", help);
    }
}

/// Returns the options of every `#[genclient(…)]` without duplicates.
fn options(attrs: &[Attribute]) -> Vec<String> {
    let attrs = attrs.iter().filter(|attr| is_genclient(attr));
    let lists = attrs.filter_map(|attr| attr.meta.require_list().ok());
    let mut options = Vec::new();
    for raw in lists.flat_map(|list| arguments::read(list.tokens.clone(), &mut Problems::new())) {
        let option = raw.to_string();
        if !options.contains(&option) {
            options.push(option);
        }
    }
    options
}
