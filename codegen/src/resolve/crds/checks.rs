//! Custom resource definitions as they are checked, and checks of a whole definition: keywords at
//! the root of schemas, fields named `items`, selectable fields, defaults, size, and names in the
//! group.
//!
//! The API server accepts a definition whose names are in use, but does not serve it, and its
//! condition `NamesAccepted` is false.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use genclient_schema::definition::crd::{APPROVAL, is_approved};
use genclient_schema::definition::default_errors;
use genclient_syntax::is_grammar;
use proc_macro2::{Span, TokenStream, TokenTree};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{Crd, Origin, Schema};
use crate::project::Project;
use crate::resolve::cel::{FieldOrigin, SchemaDialect};
use crate::resolve::explanation::Explanation;
use crate::resolve::kind::Kind;
use crate::resolve::paths::Paths;
use crate::resolve::schema::explain_schema_error;
use crate::sources::Sources;

/// Sources of definitions.
#[derive(Clone, Copy)]
pub(in crate::resolve) struct CrdSources<'s, 'a> {
    pub(in crate::resolve) sources: &'a Sources,
    pub(in crate::resolve) paths: &'s Paths<'a>,
    pub(in crate::resolve) project: &'s Project,
}

/// A definition apart from the kinds that declare it.
#[derive(Clone)]
pub(in crate::resolve) struct Defined {
    pub(super) crd: Crd,
    /// Index of the stored version.
    pub(super) stored: usize,
    /// True if a version or the definition has an error.
    pub(super) faulty: bool,
}

pub(super) struct CrdOfKinds<'a> {
    pub(super) crd: Crd,
    /// The kind that declares the storage version.
    pub(super) stored: &'a Kind<'a>,
    pub(super) versions: Vec<&'a Kind<'a>>,
    /// True if a version or the definition has an error. Conversions and selectable fields are then
    /// not checked.
    pub(super) faulty: bool,
}

impl<'a> CrdOfKinds<'a> {
    /// Joins a definition with the kinds that declare its versions, in the order of the versions.
    pub(super) fn new(defined: Defined, versions: Vec<&'a Kind<'a>>) -> Self {
        Self {
            crd: defined.crd,
            stored: versions[defined.stored],
            versions,
            faulty: defined.faulty,
        }
    }

    /// True if a version is declared with kube's attributes.
    fn is_kube(&self) -> bool {
        self.versions.iter().any(|kind| kind.kube.is_some())
    }

    /// Location of the storage version's type.
    pub(super) fn locate(&self, sources: &Sources) -> Location {
        self.stored.location(sources)
    }

    fn shares_version(&self, other: &Self) -> bool {
        let mut names = self.versions.iter().map(|kind| &kind.version.value);
        names.any(|name| {
            other
                .versions
                .iter()
                .any(|kind| kind.version.value == *name)
        })
    }

    /// Location of a version's type, or of the storage version's type if there is no such version.
    pub(super) fn locate_version(&self, version: &str, sources: &Sources) -> Location {
        let mut versions = self.versions.iter();
        let kind = versions
            .find(|kind| kind.version.value == version)
            .unwrap_or(&self.stored);
        kind.location(sources)
    }
}

/// Reports keywords that the API server refuses at the root of a schema if the kind has a status
/// subresource (`allowedFieldsAtRootSchema`).
pub(super) fn check_root_keywords(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    for (version, kind) in definition.crd.versions.iter().zip(&definition.versions) {
        if !version.status {
            continue;
        }
        for key in refused_root_keywords(&version.schema) {
            let span = key_span(kind, key)
                .or_else(|| key_span(kind, "schema"))
                .unwrap_or(kind.attrs.ident.span());
            let finding = Diagnostic::error(format!(
                "`{key}` is not allowed on a kind with a status subresource"
            ));
            sink.push(finding.at(kind.locate(sources, span)).help(
                "write it on the type of `spec`, or use a rule instead: `validation(rule = \"..\")`",
            ));
        }
    }
}

/// Returns the keywords of a root schema that are refused there, each as the key of `#[crd(…)]`
/// that sets it. `additionalProperties` has no such key. `int_or_string` sets `anyOf` as well, so
/// `any_of` is not returned for it.
fn refused_root_keywords(schema: &Schema) -> impl Iterator<Item = &'static str> {
    let refused = [
        ("all_of", !schema.all_of.is_empty()),
        ("any_of", !schema.any_of.is_empty() && !schema.int_or_string),
        ("one_of", !schema.one_of.is_empty()),
        ("not", schema.not.is_some()),
        ("min_properties", schema.min_properties.is_some()),
        ("max_properties", schema.max_properties.is_some()),
        ("struct_type", schema.map_type.is_some()),
        ("default", schema.default.is_some()),
        ("nullable", schema.nullable),
        ("enum", !schema.enum_.is_empty()),
        ("int_or_string", schema.int_or_string),
        ("embedded_resource", schema.embedded_resource),
        ("list_type", schema.list_type.is_some()),
        ("list_map_keys", !schema.list_map_keys.is_empty()),
        (
            "additionalProperties",
            schema.additional_properties.is_some(),
        ),
    ];
    refused
        .into_iter()
        .filter_map(|(key, stands)| stands.then_some(key))
}

/// Location of a key in the attributes of a kind's type.
fn key_span(kind: &Kind<'_>, key: &str) -> Option<Span> {
    let attributes = kind
        .attributes()
        .iter()
        .filter(|attr| attr.path().get_ident().is_some_and(is_grammar));
    let lists = attributes.filter_map(|attr| attr.meta.require_list().ok());
    let mut keys = lists.flat_map(|list| argument_names(list.tokens.clone()));
    keys.find(|(name, _)| name == key).map(|(_, span)| span)
}

/// Names in a list of arguments, without those in nested brackets.
fn argument_names(arguments: TokenStream) -> impl Iterator<Item = (String, Span)> {
    arguments.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some((name.to_string(), name.span())),
        _ => None,
    })
}

/// Checks that no version has a field `items` beside `spec`. The API server decodes an object with
/// such a field as a list, so the object cannot be created.
pub(super) fn check_items_field(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    for version in &definition.crd.versions {
        if version.schema.properties.contains_key("items") {
            sink.push(
                Diagnostic::error(format!(
                    "`{}` cannot be created: the API server decodes an object with a field `items` as a list",
                    definition.crd.kind
                ))
                .at(definition.locate_version(&version.name, sources))
                .help("move `items` into `spec`, or rename it: `#[serde(rename = \"…\")]`"),
            );
        }
    }
}

/// Checks that the versions differ in both schemas and selectable fields, or in neither. Versions
/// without selectable fields may differ in their schemas.
///
/// The API server moves whatever is equal in all versions to the definition's top level
/// (`Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`). It
/// accepts selectable fields only at the same level as the schema
/// (kubernetes/kubernetes#140689). Subresources and columns may be at another level.
pub(super) fn check_selectable_fields(
    definition: &CrdOfKinds<'_>,
    sources: &Sources,
    sink: &mut Sink,
) {
    let [first, others @ ..] = &definition.crd.versions[..] else {
        return;
    };
    let other_schema = others.iter().find(|other| other.schema != first.schema);
    let other_fields = others
        .iter()
        .find(|other| other.selectable_fields != first.selectable_fields);
    let (same, different, label, help, other) = match (other_schema, other_fields) {
        (Some(other), None) if !first.selectable_fields.is_empty() => (
            "selectable fields",
            "schemas",
            "a different schema",
            "remove `selectable_field` from the new version, since removing it from a released one \
             breaks its users; or use the same type for all versions, including its docs"
                .to_owned(),
            other,
        ),
        (None, Some(other)) => (
            "schema",
            "selectable fields",
            "different selectable fields",
            format!("write `{}` on every version", all_selectable_fields(definition)),
            other,
        ),
        _ => return,
    };
    let place = |name: &str| definition.locate_version(name, sources);
    sink.push(
        Diagnostic::error(format!(
            "the versions of `{}` have the same {same} and different {different}, which the API server refuses",
            definition.crd.kind
        ))
        .at(place(&other.name))
        .label(place(&first.name), format!("a version with {label}"))
        .help(help),
    );
}

/// The selectable fields of all versions, as attribute keys.
fn all_selectable_fields(definition: &CrdOfKinds<'_>) -> String {
    let versions = definition.crd.versions.iter();
    let mut fields: Vec<_> = versions.flat_map(|one| &one.selectable_fields).collect();
    let mut seen = BTreeSet::new();
    fields.retain(|field| seen.insert(*field));
    let fields: Vec<_> = fields
        .iter()
        .map(|field| format!("selectable_field = \"{field}\""))
        .collect();
    fields.join(", ")
}

/// Checks all defaults against their schemas. Most mistakes have been reported at an attribute or a
/// function. This check finds the others, such as a default of a type whose field has another list
/// type.
pub(super) fn check_defaults(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    for version in &definition.crd.versions {
        for error in default_errors(&version.schema) {
            let Explanation { message, help } = explain_schema_error(&error, true);
            let place = definition.locate_version(&version.name, sources);
            sink.push(Diagnostic::error(message).at(place).help(help));
        }
    }
}

/// Maximum size of a definition in etcd, in bytes: etcd's limit for one request (1.5 MiB), less
/// some room for what the API server adds.
const MAX_STORED_SIZE: usize = 1_500_000;

/// Maximum size of all annotations of an object, in bytes. Client-side `kubectl apply` stores the
/// whole object in one annotation.
const MAX_ANNOTATIONS_SIZE: usize = 262_144;

/// Checks that a definition fits into etcd and, if `annotated`, into the annotation that
/// client-side `kubectl apply` writes. Only the schemas are counted, because they are nearly all of
/// a definition.
pub(super) fn check_size(
    definition: &CrdOfKinds<'_>,
    annotated: bool,
    sources: &Sources,
    sink: &mut Sink,
) {
    let versions = definition.crd.versions.iter();
    let size: usize = versions.map(|version| json_length(&version.schema)).sum();
    let kind = &definition.crd.kind;
    let shown = size / 1024;
    let finding = if size > MAX_STORED_SIZE {
        Diagnostic::error(format!(
            "the definition of `{kind}` has {shown} KiB, more than etcd can store"
        ))
    } else if size > MAX_ANNOTATIONS_SIZE && annotated {
        Diagnostic::warning(format!(
            "the definition of `{kind}` has {shown} KiB, more than `kubectl apply` can store in an annotation"
        ))
    } else {
        return;
    };
    let largest = definition
        .crd
        .versions
        .iter()
        .max_by_key(|version| json_length(&version.schema));
    let of_field = largest
        .and_then(|version| largest_field(&version.schema))
        .map(|path| format!(", or `#[crd(max_desc_len = 0)]` on `{path}`"))
        .unwrap_or_default();
    let help = if size > MAX_STORED_SIZE {
        format!(
            "write `max-desc-len = 0` in `[package.metadata.genclient]`{of_field}, or use a type without a schema for a part of it"
        )
    } else {
        format!(
            "install it with `kubectl apply --server-side` and write `server-side-apply = true` in `[package.metadata.genclient]`, or `max-desc-len = 0`{of_field}"
        )
    };
    sink.push(finding.at(definition.locate(sources)).help(help));
}

/// Returns the path of the innermost field that is more than half of a schema, such as
/// `spec.template`. `None` if there is none on which `#[crd(…)]` may stand.
fn largest_field(schema: &Schema) -> Option<String> {
    let declared = FieldOrigin {
        dialect: SchemaDialect::Crd,
        has_schema_with: false,
    };
    let half = json_length(schema) / 2;
    let (mut around, mut path) = (schema, Vec::new());
    loop {
        let mut fields = around.properties.iter();
        let most = fields.find(|(_, field)| {
            field.origin.0 == Origin::from(declared).0 && json_length(field) > half
        });
        let Some((name, field)) = most else { break };
        path.push(name.as_str());
        around = field;
    }
    (!path.is_empty()).then(|| path.join("."))
}

/// Length of a schema as JSON, in bytes.
fn json_length(schema: &Schema) -> usize {
    let mut length = Length(0);
    let written = serde_json::to_writer(&mut length, schema);
    written.map_or(0, |()| length.0)
}

/// A writer that counts bytes and discards them.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reports names that two definitions of a group share, and names that one definition has twice. In
/// a group of Kubernetes, also reports definitions without the approval annotation.
pub(super) fn check_names(definitions: &[CrdOfKinds<'_>], sources: &Sources, sink: &mut Sink) {
    let mut taken: BTreeMap<(&str, bool, String), &CrdOfKinds<'_>> = BTreeMap::new();
    for definition in definitions {
        let crd = &definition.crd;
        let mut collided = false;
        for name in definition_names(crd) {
            let key = (crd.group.as_str(), name.is_kind, name.text.clone());
            match taken.get(&key) {
                Some(first) if first.crd.kind == crd.kind => {
                    warn_of_duplicate_name(definition, &name, sources, sink);
                }
                // One message for each kind is enough.
                Some(_) if collided => {}
                Some(first) => {
                    collided = true;
                    // `resolve::groups` reports equal plurals in one version.
                    let are_plurals = name.what == "plural" && first.crd.plural == name.text;
                    if !are_plurals || !definition.shares_version(first) {
                        report_name_collision(first, definition, &name, sources, sink);
                    }
                }
                None => {
                    taken.insert(key, definition);
                }
            }
        }
        check_group(definition, sources, sink);
    }
}

struct Name {
    what: &'static str,
    text: String,
    /// True for the name of a kind, which cannot collide with the name of a resource.
    is_kind: bool,
}

fn definition_names(crd: &Crd) -> Vec<Name> {
    let resource = |what, text: &String| Name {
        what,
        text: text.clone(),
        is_kind: false,
    };
    let kind = |what, text| Name {
        what,
        text,
        is_kind: true,
    };
    let mut names = vec![resource("plural", &crd.plural)];
    if crd.singular != crd.plural {
        names.push(resource("singular", &crd.singular));
    }
    names.extend(
        crd.short_names
            .iter()
            .map(|name| resource("short name", name)),
    );
    names.push(kind("kind", crd.kind.clone()));
    names.push(kind("list kind", format!("{}List", crd.kind)));
    names
}

/// Warns about a name that the definition already has, such as a short name equal to the plural.
fn warn_of_duplicate_name(
    definition: &CrdOfKinds<'_>,
    name: &Name,
    sources: &Sources,
    sink: &mut Sink,
) {
    sink.push(
        Diagnostic::warning(format!(
            "the {} `{}` is already a name of `{}`",
            name.what, name.text, definition.crd.kind
        ))
        .at(definition.locate(sources))
        .help("remove it, or choose a shorter one"),
    );
}

fn report_name_collision(
    first: &CrdOfKinds<'_>,
    second: &CrdOfKinds<'_>,
    name: &Name,
    sources: &Sources,
    sink: &mut Sink,
) {
    let group = &second.crd.group;
    let (key, attribute) = match (name.what, second.is_kube()) {
        ("kind" | "list kind", false) => ("kind = \"…\"".to_owned(), "genclient"),
        ("kind" | "list kind", true) => ("kind = \"…\"".to_owned(), "kube"),
        ("short name", false) => ("short_names = [\"…\"]".to_owned(), "crd"),
        ("short name", true) => ("shortname = \"…\"".to_owned(), "kube"),
        (what, false) => (format!("{what} = \"…\""), "crd"),
        (what, true) => (format!("{what} = \"…\""), "kube"),
    };
    sink.push(
        Diagnostic::error(format!(
            "the {} `{}` of `{}` is already a name of `{}` in `{group}`, and the API server cannot serve both",
            name.what, name.text, second.crd.kind, first.crd.kind
        ))
        .at(second.locate(sources))
        .label(first.locate(sources), "first defined here")
        .help(format!("rename one of them: `{key}` in `#[{attribute}(..)]`")),
    );
}

fn check_group(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    let crd = &definition.crd;
    let approval = crd.annotations.get(APPROVAL);
    if !is_approved(&crd.group, approval.map_or("", String::as_str)) {
        sink.push(
            Diagnostic::error(format!("the group `{}` belongs to Kubernetes, and the API server requires an approval annotation", crd.group))
                .at(definition.locate(sources))
                .help(format!("use a domain of your own, or write `#[crd(annotation(\"{APPROVAL}\", \"unapproved, experimental\"))]`")),
        );
    }
}
