//! [`Log`]: the list that comparisons append changes to.

use crate::change::{Change, Side};
use crate::kinds::ChangeKind;

/// The changes of one definition, or of one version of it.
pub(super) struct Log {
    crd: String,
    version: Option<String>,
    against: Option<String>,
    pub(super) changes: Vec<Change>,
}

impl Log {
    pub(super) fn new(crd: &str) -> Self {
        Self {
            crd: crd.to_owned(),
            version: None,
            against: None,
            changes: Vec::new(),
        }
    }

    pub(super) fn for_version(crd: &str, version: &str) -> Self {
        Self {
            version: Some(version.to_owned()),
            ..Self::new(crd)
        }
    }

    /// A log for a change of the storage version from `old` to `version`. Objects that are written
    /// again must fit the schema of `version`, so changes that would break users within one version
    /// are recorded, and no others. They are recorded with `breaking: false`, since no client
    /// decodes objects of the old version as the new one.
    pub(super) fn for_storage_change(crd: &str, version: &str, old: &str) -> Self {
        Self {
            against: Some(old.to_owned()),
            ..Self::for_version(crd, version)
        }
    }

    pub(super) fn breaks(
        &mut self,
        kind: ChangeKind,
        path: &str,
        old: Option<Side>,
        new: Option<Side>,
    ) {
        self.push(kind, true, path, old, new);
    }

    pub(super) fn notes(
        &mut self,
        kind: ChangeKind,
        path: &str,
        old: Option<Side>,
        new: Option<Side>,
    ) {
        if self.against.is_none() {
            self.push(kind, false, path, old, new);
        }
    }

    /// Adds a change that breaks users only if `breaking` is true.
    pub(super) fn breaks_if(
        &mut self,
        breaking: bool,
        kind: ChangeKind,
        path: &str,
        old: Option<Side>,
        new: Option<Side>,
    ) {
        if breaking {
            self.breaks(kind, path, old, new);
        } else {
            self.notes(kind, path, old, new);
        }
    }

    fn push(
        &mut self,
        kind: ChangeKind,
        breaking: bool,
        path: &str,
        old: Option<Side>,
        new: Option<Side>,
    ) {
        self.changes.push(Change {
            crd: self.crd.clone(),
            version: self.version.clone(),
            against: self.against.clone(),
            path: (!path.is_empty()).then(|| path.to_owned()),
            package: None,
            file: None,
            line: None,
            kind,
            old,
            new,
            breaking: breaking && self.against.is_none(),
            why: kind.why(breaking),
            allowed: None,
        });
    }
}
