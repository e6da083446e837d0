//! Version `v2` of the group `example.com`.

#![allow(
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    clippy::tabs_in_doc_comments,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    reason = "docs and names are those of the CRD"
)]

use genclient::prelude::*;

/// ---
/// An object of the kind `Oddity`.
#[genclient]
#[group = "example.com"]
pub struct Oddity {
    /// Name, namespace, labels and what the API server keeps of the object.
    pub metadata: ObjectMeta,

    /// ---
    /// The field `spec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<OdditySpec>,
}

/// ---
/// Fields of `.spec` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct OdditySpec {}
