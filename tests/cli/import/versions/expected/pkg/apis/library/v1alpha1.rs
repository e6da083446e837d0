//! Version `v1alpha1` of the group `library.example.com`.

use genclient::prelude::*;

/// A book.
#[genclient]
#[group = "library.example.com"]
#[crd(scope = "Cluster", unserved, deprecated = "use v1")]
pub struct Book {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// How many pages it has.
    pub pages: i32,
}
