//! Texts in which definitions stand.

use std::path::Path;

/// A text that was read: a file, stdin, or what would be written now.
#[derive(Debug, PartialEq)]
pub(crate) struct Text {
    /// The package that it belongs to.
    pub(crate) package: Option<String>,
    /// Where it is, as a message shows it: a path, `REV:path`, `stdin`.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// True if a file name ends as YAML does; JSON is YAML as well.
pub(crate) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Room for all CRDs of a large cluster in one file.
pub(super) fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 200,
            max_nodes: 20_000_000,
            max_events: 60_000_000,
            max_total_scalar_bytes: 1 << 30,
            max_documents: 100_000,
        },
        with_snippet: false,
    }
}
