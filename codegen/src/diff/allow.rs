//! Changes that a package means to make: `diff-allow` in `[package.metadata.genclient]`.

use serde::Deserialize;

use super::change::Change;
use super::kinds::ChangeKind;

/// A change that is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Allowance {
    /// The definition: `gputasks.falldio.com`.
    pub crd: String,
    /// The version; every one if it is not written.
    pub version: Option<String>,
    /// The field, as `diff` prints it; not written for a change that is about none.
    pub path: Option<String>,
    /// The kind of change.
    pub change: ChangeKind,
    /// Why it is allowed.
    pub reason: String,
}

impl Allowance {
    fn covers(&self, change: &Change) -> bool {
        self.change == change.kind
            && self.crd == change.crd
            && self.path == change.path
            && (self.version.is_none() || self.version == change.version)
    }
}

/// Marks the breaking changes that are allowed, and returns the allowances that allow nothing.
pub(crate) fn allow<'a>(changes: &mut [Change], allowances: &'a [Allowance]) -> Vec<&'a Allowance> {
    let mut idle = Vec::new();
    for allowance in allowances {
        let mut used = false;
        for change in changes.iter_mut().filter(|change| allowance.covers(change)) {
            // One that only `--strict` needs is used all the same.
            used |= change.breaking || change.widens();
            if change.breaking {
                change.allowed = Some(allowance.reason.clone());
            }
        }
        if !used {
            idle.push(allowance);
        }
    }
    idle
}
