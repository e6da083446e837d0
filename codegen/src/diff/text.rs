//! YAML texts that contain definitions, and the notation of schema paths:
//! `.spec.ports[*].name`, `.spec.labels{*}`, `.spec["a.b"]`.

use std::path::Path;

/// A YAML text: a file, stdin, or generated output.
#[derive(Debug, PartialEq)]
pub(crate) struct Text {
    /// The package that the text belongs to.
    pub(crate) package: Option<String>,
    /// The place as shown in messages: a path, `REV:path`, `stdin`.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// True for the file extensions of YAML and of JSON, which is a subset of YAML.
pub(crate) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Parser limits large enough for all CRDs of a large cluster in one file.
pub(super) fn options(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 200,
            max_nodes: 20_000_000,
            max_events: 60_000_000,
            max_total_scalar_bytes: 1 << 30,
            max_documents: 100_000,
            // Go admits any number of aliases of one anchor.
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: max_aliased_nodes(text),
        },
        with_snippet: false,
    }
}

/// Returns the maximum number of nodes that aliases may add to a text.
///
/// Go admits aliases for 99 % of the nodes, and for at most 400,000 (`allowedAliasRatio` of
/// `decode.go` in `go.yaml.in/yaml/v2`). Every node takes two bytes at least.
fn max_aliased_nodes(text: &str) -> usize {
    text.len().saturating_mul(50).min(400_000)
}

/// Suffix for the items of a list.
pub(super) const ITEMS: &str = "[*]";

/// Suffix for the values of a map.
pub(super) const VALUES: &str = "{*}";

/// Appends the property `name` to the path of an object. A name with characters other than ASCII
/// letters, digits, `_`, `-` and `$` is quoted: `.spec["a.b"]`.
pub(super) fn member(path: &str, name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !name.is_empty() && name.chars().all(simple) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name:?}]")
    }
}
