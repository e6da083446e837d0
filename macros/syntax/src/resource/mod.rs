//! Kinds: `#[genclient]`, `#[group]`, `#[version]`, `#[kind]` and `#[crd(…)]`.

mod identity;
mod methods;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::Attribute;
use syn::spanned::Spanned as _;

use super::{
    AttributeTarget, Flag, Help, Problems, SchemaAttrs, Scope, Spanned, Verb, constraints, dns,
    is_genclient, is_grammar, item, schema, suggest, url,
};
use crate::arguments::{self, join_formatted};
use crate::keys::{KeyValue, Keys};
use crate::service::{self, ServiceReference};
use crate::table::{Key, Within};
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
        let span = check_genclient(&item.attrs, problems)?;
        identity::check_struct(item, problems);
        let target = AttributeTarget::resource();
        let crd = Keys::from_attributes(&item.attrs, Within::Crd, &target, problems);
        let mut genclient =
            Keys::from_attributes(&item.attrs, Within::Genclient, &target, problems);
        identity::read_gvk_attributes(&item.attrs, &mut genclient, problems);

        let mut schema = schema::read_schema_keys(&crd, &target, problems);
        constraints::read_foreign(&item.attrs, &target, &mut schema, problems);
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
        let resource = input.into_attrs(problems)?;
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
    pub(crate) fn into_attrs(self, problems: &mut Problems) -> Option<ResourceAttrs> {
        let (genclient, crd) = (self.genclient, self.crd);
        let status_subresource = self.status_subresource(problems);
        let names = identity::read_identity(&self, problems);
        let verbs = methods::read_verbs(genclient, self.has_status, problems);
        let scale = read_scale(crd, problems);
        let methods = methods::read_methods(genclient, &verbs, scale.is_some(), problems);
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
            printcolumns: read_printcolumns(crd, problems),
            selectable_fields: read_selectable_fields(crd, problems),
            storage: crd.flag(Key::STORAGE),
            unserved: crd.flag(Key::UNSERVED),
            deprecated: read_deprecated(crd),
            skip_version: crd.flag(Key::SKIP_VERSION),
            annotations: read_annotations(crd, problems),
            labels: read_labels(crd, problems),
            conversion: read_conversion(crd, problems),
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
            problems.report(stated.span, message, Help::remove("remove it"));
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
fn check_genclient(attrs: &[Attribute], problems: &mut Problems) -> Option<Span> {
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
        let help = match genclient_options(attrs).as_slice() {
            [] => Help::remove("remove it"),
            options => format!(
                "merge the options: `#[genclient({})]`",
                join_formatted(options)
            )
            .into(),
        };
        problems.report(again.path().span(), "duplicate `#[genclient]`", help);
    }
}

/// Returns the options of every `#[genclient(…)]` without duplicates.
fn genclient_options(attrs: &[Attribute]) -> Vec<String> {
    let attrs = attrs.iter().filter(|attr| is_genclient(attr));
    let lists = attrs.filter_map(|attr| attr.meta.require_list().ok());
    let mut options = Vec::new();
    for raw in
        lists.flat_map(|list| arguments::parse_arguments(list.tokens.clone(), &mut Problems::new()))
    {
        let option = raw.to_string();
        if !options.contains(&option) {
            options.push(option);
        }
    }
    options
}

/// Paths of the scale subresource.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Path of the desired number of replicas, below `.spec`.
    pub spec_replicas_path: Spanned<String>,
    /// Path of the observed number of replicas, below `.status`.
    pub status_replicas_path: Spanned<String>,
    /// Path of the label selector, a string below `.spec` or `.status`.
    pub label_selector_path: Option<Spanned<String>>,
}

/// A column of `kubectl get`.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintColumn {
    /// Heading.
    pub name: Spanned<String>,
    /// `boolean`, `date`, `integer`, `number` or `string`.
    pub column_type: Spanned<String>,
    /// Path of the value, starting with a dot.
    pub json_path: Spanned<String>,
    /// Description of the column.
    pub description: Option<Spanned<String>>,
    /// Format of the value, such as `int32`.
    pub format: Option<Spanned<String>>,
    /// Priority: a column with 0 is always shown, others only with `-o wide`.
    pub priority: Option<Spanned<i32>>,
}

/// Deprecation of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Deprecated {
    /// Warning for clients; by default the API server's own text.
    pub warning: Option<Spanned<String>>,
    /// Span of the key.
    pub flag: Flag,
}

/// A conversion webhook.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Endpoint that the API server calls.
    pub endpoint: ConversionEndpoint,
    /// Versions of `ConversionReview` that the webhook accepts, preferred first; empty for the
    /// default, `v1`.
    pub review_versions: Vec<Spanned<String>>,
    /// Span of the key.
    pub span: Span,
}

/// Endpoint of a conversion webhook.
#[derive(Clone, Debug)]
pub enum ConversionEndpoint {
    /// A service of the cluster.
    Service {
        /// The service. `None` stands for the service of `[package.metadata.genclient.deploy]` in
        /// Cargo.toml; without that section, `None` is an error.
        service: Option<ServiceReference>,
        /// Path of the webhook; by default `/convert`, where controller-runtime and
        /// `genclient-controller` serve it.
        path: Option<Spanned<String>>,
        /// Port of the service; the API server's default is 443.
        port: Option<Spanned<u16>>,
    },
    /// A URL with a path.
    Url(Spanned<String>),
}

/// The pair of strings in `annotation("key", "value")`.
type Pair = (Spanned<String>, Spanned<String>);

pub(super) fn read_scale(crd: &Keys, problems: &mut Problems) -> Option<Scale> {
    let (arguments, _) = crd.arguments(Key::SCALE).next()?;
    let mut path = |key, parents, sample| {
        let path = arguments.text(key)?;
        check_path_below(&path, parents, sample, problems);
        Some(path)
    };
    let spec = path(Key::SPEC_REPLICAS_PATH, &[".spec"], ".spec.replicas");
    let status = path(Key::STATUS_REPLICAS_PATH, &[".status"], ".status.replicas");
    let selector = path(
        Key::LABEL_SELECTOR_PATH,
        &[".spec", ".status"],
        ".status.selector",
    );
    Some(Scale {
        spec_replicas_path: spec?,
        status_replicas_path: status?,
        label_selector_path: selector,
    })
}

fn check_path_below(
    path: &Spanned<String>,
    parents: &[&str],
    sample: &str,
    problems: &mut Problems,
) {
    let leads_below = |path: &str| {
        let mut below = parents
            .iter()
            .filter_map(|parent| path.strip_prefix(parent));
        below.any(|rest| rest.len() > 1 && rest.starts_with('.'))
    };
    if !leads_below(&path.value) {
        let message = format!("the path must be below {}", suggest::either(parents));
        let written = with_leading_dot(&path.value);
        let meant = if leads_below(&written) {
            &*written
        } else {
            sample
        };
        let help = Help::write(format!("{:?}", path.value), format!("{meant:?}"));
        problems.report(path.span, message, help);
    }
}

/// Returns the path with a leading dot, without the `$` and `{…}` of other tools.
fn with_leading_dot(path: &str) -> String {
    let path = path.trim_start_matches(['$', '{', '.']);
    format!(".{}", path.trim_end_matches('}'))
}

fn read_printcolumns(crd: &Keys, problems: &mut Problems) -> Vec<PrintColumn> {
    let columns = crd.arguments(Key::PRINTCOLUMN);
    columns
        .filter_map(|(arguments, _)| read_printcolumn(arguments, problems))
        .collect()
}

fn read_printcolumn(arguments: &Keys, problems: &mut Problems) -> Option<PrintColumn> {
    let priority = arguments.whole(Key::PRIORITY, problems);
    let json_path = arguments.text(Key::JSON_PATH);
    if let Some(path) = &json_path {
        check_path(path, problems);
    }
    let name = arguments.text(Key::NAME);
    if let Some(name) = name.as_ref().filter(|name| name.value.is_empty()) {
        let help = "write the heading of the column, for example `\"GPU\"`";
        problems.report(name.span, "a printer column needs a name", help);
    }
    Some(PrintColumn {
        name: name?,
        column_type: arguments.text(Key::TYPE)?,
        json_path: json_path?,
        description: arguments.text(Key::DESCRIPTION),
        format: arguments.text(Key::FORMAT),
        priority,
    })
}

fn check_path(path: &Spanned<String>, problems: &mut Problems) {
    if !path.value.starts_with('.') {
        let help = match with_leading_dot(&path.value).as_str() {
            "." => "write the path of a field with its JSON names: `\".spec.name\"`".into(),
            meant => Help::write(format!("{:?}", path.value), format!("{meant:?}")),
        };
        problems.report(path.span, "a JSON path must start with a dot", help);
    }
}

/// Maximum number of selectable fields, from the API server.
const MAX_SELECTABLE: usize = 8;

fn read_selectable_fields(crd: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    let mut paths: Vec<Spanned<String>> = Vec::new();
    for path in crd.all(Key::SELECTABLE_FIELD).filter_map(KeyValue::text) {
        check_path(&path, problems);
        if path.value.starts_with(".metadata.") {
            let help = "remove it: `metadata.name` and `metadata.namespace` are always selectable";
            problems.report(
                path.span,
                "a field of `metadata` is not allowed as a selectable field",
                Help::remove(help),
            );
        }
        if paths.contains(&path) {
            problems.report(
                path.span,
                format!("duplicate selectable field `{}`", path.value),
                Help::remove("remove it"),
            );
        }
        paths.push(path);
    }
    if let Some(path) = paths.get(MAX_SELECTABLE) {
        let message = format!("a kind may have at most {MAX_SELECTABLE} selectable fields");
        problems.report(
            path.span,
            message,
            "remove the fields that are selected least often",
        );
    }
    paths
}

pub(super) fn read_deprecated(crd: &Keys) -> Option<Deprecated> {
    let flag = crd.flag(Key::DEPRECATED);
    flag.is_set().then(|| Deprecated {
        warning: crd.text(Key::DEPRECATED),
        flag,
    })
}

pub(super) fn read_annotations(crd: &Keys, problems: &mut Problems) -> Vec<Pair> {
    let pairs = crd.pairs(Key::ANNOTATION);
    check_pairs(Key::ANNOTATION, &pairs, dns::is_annotation_key, problems);
    pairs
}

pub(super) fn read_labels(crd: &Keys, problems: &mut Problems) -> Vec<Pair> {
    let pairs = crd.pairs(Key::LABEL);
    check_pairs(Key::LABEL, &pairs, dns::is_qualified, problems);
    for (_, value) in pairs
        .iter()
        .filter(|(_, value)| !dns::is_label_value(&value.value))
    {
        let help =
            "use up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends";
        problems.report(
            value.span,
            format!("invalid label value `{}`", value.value),
            help,
        );
    }
    pairs
}

fn check_pairs(key: Key, pairs: &[Pair], is_valid: fn(&str) -> bool, problems: &mut Problems) {
    for (index, (name, _)) in pairs.iter().enumerate() {
        if !is_valid(&name.value) {
            let message = format!("invalid {key} key `{}`", name.value);
            problems.report(
                name.span,
                message,
                "write a name such as `\"example.com/owner\"`",
            );
        }
        if pairs[..index].iter().any(|(other, _)| other == name) {
            problems.report(
                name.span,
                format!("duplicate {key} `{}`", name.value),
                "keep one of them",
            );
        }
    }
}

pub(super) fn read_conversion(crd: &Keys, problems: &mut Problems) -> Option<Conversion> {
    let (conversion, span) = crd.arguments(Key::CONVERSION).next()?;
    let (webhook, _) = conversion.arguments(Key::WEBHOOK).next()?;
    let others = [Key::SERVICE, Key::PATH, Key::PORT].map(|key| (key, Key::URL));
    webhook.check_exclusive(&others, problems);
    Some(Conversion {
        endpoint: read_conversion_endpoint(webhook, problems)?,
        review_versions: webhook.texts(Key::REVIEW_VERSIONS),
        span,
    })
}

fn read_conversion_endpoint(webhook: &Keys, problems: &mut Problems) -> Option<ConversionEndpoint> {
    let known = problems.len();
    if let Some(url) = url::read_url(webhook, problems) {
        if problems.len() == known && !url::has_path(&url.value) {
            let message = "the URL of a conversion webhook needs a path";
            let help = Help::write_key(format!("url = {:?}", format!("{}/convert", url.value)));
            problems.report(url.span, message, help);
        }
        return Some(ConversionEndpoint::Url(url));
    }
    let path = service::read_path(webhook, problems);
    let port = service::read_port(webhook, problems);
    let service = match webhook.text(Key::SERVICE) {
        Some(written) => Some(ServiceReference::parse(&written, problems)?),
        // The value of `service` or `url` had an error, which has been reported.
        None if webhook.mentions(Key::SERVICE) || webhook.mentions(Key::URL) => return None,
        None => None,
    };
    Some(ConversionEndpoint::Service {
        service,
        path,
        port,
    })
}
