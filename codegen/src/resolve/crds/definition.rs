//! A definition beside the types that it is made of.

use crate::diagnostic::Location;
use crate::model::Crd;
use crate::resolve::kind::Kind;
use crate::sources::Sources;

/// A definition beside the types that it is made of.
pub(super) struct CrdOfKinds<'a> {
    pub(super) crd: Crd,
    /// The version that objects are stored as.
    pub(super) stored: &'a Kind<'a>,
    pub(super) versions: Vec<&'a Kind<'a>>,
    /// True if a version has an error: the versions are not compared then.
    pub(super) faulty: bool,
}

impl CrdOfKinds<'_> {
    /// True if kube's attributes say what it is.
    pub(super) fn is_kube(&self) -> bool {
        self.versions.iter().any(|kind| kind.kube.is_some())
    }

    /// The type of the stored version.
    pub(super) fn locate(&self, sources: &Sources) -> Location {
        self.stored.place(sources)
    }

    pub(super) fn shares_version(&self, other: &Self) -> bool {
        let mut names = self.versions.iter().map(|kind| &kind.version.value);
        names.any(|name| {
            other
                .versions
                .iter()
                .any(|kind| kind.version.value == *name)
        })
    }

    /// The type of a version.
    pub(super) fn locate_version(&self, version: &str, sources: &Sources) -> Location {
        let mut versions = self.versions.iter();
        let kind = versions
            .find(|kind| kind.version.value == version)
            .unwrap_or(&self.stored);
        kind.place(sources)
    }
}
