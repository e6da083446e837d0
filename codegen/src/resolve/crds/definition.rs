//! Custom resource definitions: [`Defined`] owns its parts, and [`CrdOfKinds`] refers to the kinds
//! that declare its versions.

use crate::diagnostic::Location;
use crate::model::Crd;
use crate::resolve::kind::Kind;
use crate::sources::Sources;

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
    pub(super) fn is_kube(&self) -> bool {
        self.versions.iter().any(|kind| kind.kube.is_some())
    }

    /// Location of the storage version's type.
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

    /// Location of a version's type, or of the storage version's type if there is no such version.
    pub(super) fn locate_version(&self, version: &str, sources: &Sources) -> Location {
        let mut versions = self.versions.iter();
        let kind = versions
            .find(|kind| kind.version.value == version)
            .unwrap_or(&self.stored);
        kind.place(sources)
    }
}
