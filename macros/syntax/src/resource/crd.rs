//! CRD options of a kind: scale, columns, selectable fields, deprecation, metadata, conversion.

use proc_macro2::Span;

use crate::dns;
use crate::keys::{KeyValue, Keys};
use crate::service::{self, ServiceReference};
use crate::table::Key;
use crate::{Flag, Problems, Spanned, suggest, url};

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

pub(super) fn scale(crd: &Keys, problems: &mut Problems) -> Option<Scale> {
    let (arguments, _) = crd.arguments(Key::SCALE).next()?;
    let mut path = |key, parents, sample| {
        let path = arguments.text(key)?;
        check_below(&path, parents, sample, problems);
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

fn check_below(path: &Spanned<String>, parents: &[&str], sample: &str, problems: &mut Problems) {
    let leads_below = |path: &str| {
        let mut below = parents
            .iter()
            .filter_map(|parent| path.strip_prefix(parent));
        below.any(|rest| rest.len() > 1 && rest.starts_with('.'))
    };
    if !leads_below(&path.value) {
        let message = format!("the path must be below {}", suggest::either(parents));
        let written = dotted(&path.value);
        let meant = Some(&written).filter(|written| leads_below(written));
        let help = format!("write `{:?}`", meant.map_or(sample, String::as_str));
        problems.report(path.span, message, help);
    }
}

/// Returns the path with a leading dot, without the `$` and `{…}` of other tools.
fn dotted(path: &str) -> String {
    let path = path.trim_start_matches(['$', '{', '.']);
    format!(".{}", path.trim_end_matches('}'))
}

pub(super) fn printcolumns(crd: &Keys, problems: &mut Problems) -> Vec<PrintColumn> {
    let columns = crd.arguments(Key::PRINTCOLUMN);
    columns
        .filter_map(|(arguments, _)| printcolumn(arguments, problems))
        .collect()
}

fn printcolumn(arguments: &Keys, problems: &mut Problems) -> Option<PrintColumn> {
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
        let help = match dotted(&path.value).as_str() {
            "." => "write the path of a field with its JSON names: `\".spec.name\"`".to_owned(),
            path => format!("write `{path:?}`"),
        };
        problems.report(path.span, "a JSON path must start with a dot", help);
    }
}

/// Maximum number of selectable fields, from the API server.
const MAX_SELECTABLE: usize = 8;

pub(super) fn selectable_fields(crd: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    let mut paths: Vec<Spanned<String>> = Vec::new();
    for path in crd.all(Key::SELECTABLE_FIELD).filter_map(KeyValue::text) {
        check_path(&path, problems);
        if path.value.starts_with(".metadata.") {
            let help = "remove it: `metadata.name` and `metadata.namespace` are always selectable";
            problems.report(
                path.span,
                "a field of `metadata` is not allowed as a selectable field",
                help,
            );
        }
        if paths.contains(&path) {
            problems.report(
                path.span,
                format!("duplicate selectable field `{}`", path.value),
                "remove it",
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

pub(super) fn deprecated(crd: &Keys) -> Option<Deprecated> {
    let flag = crd.flag(Key::DEPRECATED);
    flag.is_set().then(|| Deprecated {
        warning: crd.text(Key::DEPRECATED),
        flag,
    })
}

pub(super) fn annotations(crd: &Keys, problems: &mut Problems) -> Vec<Pair> {
    let pairs = crd.pairs(Key::ANNOTATION);
    check_pairs(Key::ANNOTATION, &pairs, dns::is_annotation_key, problems);
    pairs
}

pub(super) fn labels(crd: &Keys, problems: &mut Problems) -> Vec<Pair> {
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

pub(super) fn conversion(crd: &Keys, problems: &mut Problems) -> Option<Conversion> {
    let (conversion, span) = crd.arguments(Key::CONVERSION).next()?;
    let (webhook, _) = conversion.arguments(Key::WEBHOOK).next()?;
    let others = [Key::SERVICE, Key::PATH, Key::PORT].map(|key| (key, Key::URL));
    webhook.check_exclusive(&others, problems);
    Some(Conversion {
        endpoint: conversion_endpoint(webhook, problems)?,
        review_versions: webhook.texts(Key::REVIEW_VERSIONS),
        span,
    })
}

fn conversion_endpoint(webhook: &Keys, problems: &mut Problems) -> Option<ConversionEndpoint> {
    let known = problems.len();
    if let Some(url) = url::read(webhook, problems) {
        if problems.len() == known && !url::has_path(&url.value) {
            let message = "the URL of a conversion webhook needs a path";
            let help = format!("write `url = \"{}/convert\"`", url.value);
            problems.report(url.span, message, help);
        }
        return Some(ConversionEndpoint::Url(url));
    }
    let path = service::path(webhook, problems);
    let port = service::port(webhook, problems);
    let service = match webhook.text(Key::SERVICE) {
        Some(written) => Some(ServiceReference::read(&written, problems)?),
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
