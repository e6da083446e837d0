//! Version `v1` of the group `library.example.com`.

use genclient::prelude::*;

/// A book.
#[genclient]
#[group = "library.example.com"]
#[crd(
    scope = "Cluster",
    storage,
    annotation("example.com/owner", "team"),
    label("app", "books"),
    conversion(webhook(service = "library-system/webhook"))
)]
pub struct Book {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// How many pages it has.
    pub pages: i32,
}
