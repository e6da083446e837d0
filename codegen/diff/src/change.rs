//! A change, and the log that comparisons append changes to.

use serde::Serialize;
use serde_json::Value;

use super::kinds::ChangeKind;

/// A difference between two sets of definitions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The definition: `gputasks.falldio.com`.
    pub crd: String,
    /// The version; absent if the change concerns the whole definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The old version that `version` was compared with, if the names differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The field: `.spec.ports[*].name`, `.spec.labels{*}`; absent if the change concerns no field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The package that the definition belongs to; absent if the user named a path or stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The file with the new definition, or with the old one if the definition was removed;
    /// `REV:path` in a revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in `file`, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The kind of change.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// The old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Side>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Side>,
    /// True if the change can break a user.
    pub breaking: bool,
    /// The reason why the change breaks users or does not, in one sentence.
    pub why: &'static str,
    /// The reason why the package allows the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

impl Change {
    /// True if the change breaks users and is not allowed.
    pub fn fails(&self) -> bool {
        self.breaking && self.allowed.is_none()
    }

    /// True if clients may find unexpected values. Only `--strict` counts that as breaking.
    pub(super) fn widens(&self) -> bool {
        self.why == self.kind.widens
    }
}

/// The old or the new value of a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Side {
    /// Text about the schema, such as a type name; printed without quotes.
    Word(String),
    /// A JSON value from the schema; a string is printed in quotes.
    Value(Value),
}

impl From<&str> for Side {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<String> for Side {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl From<Value> for Side {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Marks changes as breaking if clients may find unexpected values (`--strict`).
pub fn strict(changes: &mut [Change]) {
    for change in changes.iter_mut() {
        change.breaking |= change.widens();
    }
    sort(changes);
}

/// Sorts by definition; the breaking changes of each come first.
pub(super) fn sort(changes: &mut [Change]) {
    changes.sort_by(|one, other| (&one.crd, !one.breaking).cmp(&(&other.crd, !other.breaking)));
}

/// The changes of one definition, or of one version of it.
pub(super) struct Log {
    crd: String,
    version: Option<String>,
    against: Option<String>,
    pub(super) changes: Vec<Change>,
}

impl Log {
    pub(super) fn of_definition(crd: &str) -> Self {
        Self {
            crd: crd.to_owned(),
            version: None,
            against: None,
            changes: Vec::new(),
        }
    }

    pub(super) fn of_version(crd: &str, version: &str) -> Self {
        Self {
            version: Some(version.to_owned()),
            ..Self::of_definition(crd)
        }
    }

    /// A log for a change of the storage version from `old` to `version`. Objects that are written
    /// again must fit the schema of `version`, so changes that would break users within one version
    /// are recorded, and no others. They are recorded with `breaking: false`, since no client
    /// decodes objects of the old version as the new one.
    pub(super) fn against(crd: &str, version: &str, old: &str) -> Self {
        Self {
            against: Some(old.to_owned()),
            ..Self::of_version(crd, version)
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
