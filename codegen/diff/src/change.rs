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
pub fn mark_strict(changes: &mut [Change]) {
    for change in changes.iter_mut() {
        change.breaking |= change.widens();
    }
    sort_changes(changes);
}

/// Sorts by definition; the breaking changes of each come first.
pub(super) fn sort_changes(changes: &mut [Change]) {
    changes.sort_by(|one, other| (&one.crd, !one.breaking).cmp(&(&other.crd, !other.breaking)));
}

/// An entry of `diff-allow`, which allows breaking changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The definition: `gputasks.falldio.com`.
    pub crd: String,
    /// The version; `None` for every version.
    pub version: Option<String>,
    /// The field, as `diff` prints it; `None` for a change that concerns no field.
    pub path: Option<String>,
    /// The kind of change.
    pub change: ChangeKind,
    /// Why the change is allowed.
    pub reason: String,
}

impl Allowance {
    fn covers(&self, change: &Change) -> bool {
        self.change == change.kind && self.is_at(change)
    }

    /// Returns whether a change is at the definition, version and field of the allowance.
    pub fn is_at(&self, change: &Change) -> bool {
        self.crd == change.crd
            && self.path == change.path
            && (self.version.is_none() || self.version == change.version)
    }
}

/// Marks the allowed breaking changes, and returns the unused allowances.
pub fn mark_allowed<'a>(changes: &mut [Change], allowances: &'a [Allowance]) -> Vec<&'a Allowance> {
    let mut unused = Vec::new();
    for allowance in allowances {
        let mut used = false;
        for change in changes.iter_mut().filter(|change| allowance.covers(change)) {
            // A change that breaks only with `--strict` uses its allowance in every run. Otherwise
            // a run without `--strict` would report the allowance as unused.
            used |= change.breaking || change.widens();
            if change.breaking {
                change.allowed = Some(allowance.reason.clone());
            }
        }
        if !used {
            unused.push(allowance);
        }
    }
    unused
}
