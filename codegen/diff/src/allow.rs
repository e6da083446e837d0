//! Allowed breaking changes: `diff-allow` in `[package.metadata.genclient]`.

use super::change::Change;
use super::kinds::ChangeKind;

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

    /// Returns whether a change is at the place that the allowance names.
    pub fn is_at(&self, change: &Change) -> bool {
        self.crd == change.crd
            && self.path == change.path
            && (self.version.is_none() || self.version == change.version)
    }
}

/// Marks the allowed breaking changes, and returns the unused allowances.
pub fn allow<'a>(changes: &mut [Change], allowances: &'a [Allowance]) -> Vec<&'a Allowance> {
    let mut idle = Vec::new();
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
            idle.push(allowance);
        }
    }
    idle
}
