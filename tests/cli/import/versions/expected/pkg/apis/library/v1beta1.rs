//! Version `v1beta1` of the group `library.example.com`.

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

/// A book.
#[genclient]
#[group = "library.example.com"]
#[crd(scope = "Cluster", deprecated)]
pub struct Book {
    /// Name, namespace, labels and what the API server keeps of the object.
    pub metadata: ObjectMeta,

    /// How many pages it has.
    pub pages: i32,
}
