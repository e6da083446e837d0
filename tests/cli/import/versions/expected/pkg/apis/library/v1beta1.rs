//! Version `v1beta1` of the group `library.example.com`.

use genclient::prelude::*;

/// A book.
#[genclient]
#[group = "library.example.com"]
#[crd(scope = "Cluster", deprecated)]
pub struct Book {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// How many pages it has.
    pub pages: i32,
}
