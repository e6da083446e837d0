//! Ownership changes: a write's manager gains the changed fields, and other managers lose them.
//!
//! Source: structured-merge-diff, merge/update.go.

use genclient_apimachinery::fieldpath::{Set, values_equal};
use serde_json::Value;

use super::conflict::{Conflict, WriteFailure, if_version_exists};
use super::field_manager::{FieldManager, Typed};
use super::managers::{Manager, ManagerIdentity, Managers};
use super::prune::prune_merged;
use super::typed::{Comparison, compare, field_set, merge_values, reconcile};

/// Removes the fields that a write changes from all entries in `managers`. Returns the added and
/// modified fields, which the caller gives to the write's manager.
pub(super) fn update(
    kind: &FieldManager,
    live: &Typed<'_>,
    new: &Typed<'_>,
    managers: &mut Managers,
) -> Result<Set, WriteFailure> {
    reconcile_all(kind, live, managers)?;
    let change = Change {
        kind,
        live,
        new,
        applier: None,
        force: true,
    };
    let changed = take_ownership(change, managers)?;
    Ok(remove_ignored(kind, changed))
}

/// Application of a configuration to an object, both with their types.
#[derive(Clone, Copy)]
pub(super) struct TypedApply<'a> {
    pub(super) kind: &'a FieldManager,
    pub(super) live: &'a Typed<'a>,
    pub(super) applied: &'a Typed<'a>,
    pub(super) applier: &'a ManagerIdentity,
    pub(super) force: bool,
}

/// Applies a configuration and updates `managers`. Returns the new object, or `None` if it equals
/// the live one (`Updater.Apply`).
pub(super) fn apply(
    apply: TypedApply<'_>,
    managers: &mut Managers,
) -> Result<Option<Value>, WriteFailure> {
    let TypedApply {
        kind,
        live,
        applied,
        applier,
        force,
    } = apply;
    reconcile_all(kind, live, managers)?;
    let types = &kind.types;
    let merged = merge_values(types, live.type_, &live.value, &applied.value).unwrap_or_default();
    let merged = Typed {
        value: std::borrow::Cow::Owned(merged),
        type_: live.type_,
    };
    // Pruning compares the new entry with the one before.
    let last = managers.get(applier).cloned();
    let set = remove_ignored(kind, field_set(types, applied.type_, &applied.value));
    managers.put(Manager {
        identity: applier.clone(),
        set,
        api_version: kind.api_version.clone(),
    });
    let new = prune_merged(kind, merged, managers, last.as_ref())
        .map_err(|error| error.context("failed to prune fields"))?;
    let change = Change {
        kind,
        live,
        new: &new,
        applier: Some(applier),
        force,
    };
    take_ownership(change, managers)?;
    let same = values_equal(&live.value, &new.value);
    Ok((!same).then(|| new.value.into_owned()))
}

/// Removes the fields that writes to the kind or subresource do not own.
fn remove_ignored(kind: &FieldManager, set: Set) -> Set {
    match kind.ignored(&kind.api_version) {
        Some(ignored) => set.recursive_difference(ignored),
        None => set,
    }
}

/// Reconciles the sets of all managers with the current schema. Drops entries whose version no
/// longer exists.
fn reconcile_all(
    kind: &FieldManager,
    live: &Typed<'_>,
    managers: &mut Managers,
) -> Result<(), WriteFailure> {
    let mut kept = Vec::with_capacity(managers.entries.len());
    for mut entry in std::mem::take(&mut managers.entries) {
        let Some(live) = if_version_exists(kind.converted(live, &entry.api_version), "")? else {
            continue;
        };
        if let Some(set) = reconcile(&kind.types, live.type_, &entry.set) {
            entry.set = set;
        }
        kept.push(entry);
    }
    managers.entries = kept;
    Ok(())
}

/// Comparison of the live and the new object in one version.
struct VersionComparison {
    version: String,
    /// Added and modified paths.
    changed: Set,
    comparison: Comparison,
}

impl VersionComparison {
    fn new(version: &str, comparison: Comparison) -> Self {
        Self {
            version: version.to_owned(),
            changed: comparison.changed(),
            comparison,
        }
    }
}

/// Change of an object.
#[derive(Clone, Copy)]
struct Change<'a> {
    kind: &'a FieldManager,
    live: &'a Typed<'a>,
    new: &'a Typed<'a>,
    /// Manager whose apply changes the object. It does not conflict with itself.
    applier: Option<&'a ManagerIdentity>,
    force: bool,
}

/// Removes the added, modified and removed fields from all entries except that of the applier.
/// Drops entries that are then empty, and entries whose version does not exist. Returns the added
/// and modified paths in the version of the request (`Updater.update`).
///
/// # Errors
///
/// Conflicts, if `force` is not set and the write adds or modifies fields of other managers. Also
/// if the objects cannot be converted or compared.
fn take_ownership(change: Change<'_>, managers: &mut Managers) -> Result<Set, WriteFailure> {
    let Change {
        kind,
        live,
        new,
        applier,
        force,
    } = change;
    let mut comparisons = vec![VersionComparison::new(
        &kind.api_version,
        compare_typed(kind, live, new, &kind.api_version)?,
    )];
    let mut gone = Vec::new();
    let mut losses = Vec::new();
    for entry in &managers.entries {
        if Some(&entry.identity) == applier {
            continue;
        }
        let known = comparisons
            .iter()
            .position(|known| known.version == entry.api_version);
        let at = match known {
            Some(at) => at,
            None => match compare_in_version(kind, live, new, &entry.api_version)? {
                Some(comparison) => {
                    comparisons.push(VersionComparison::new(&entry.api_version, comparison));
                    comparisons.len() - 1
                }
                None => {
                    gone.push(entry.identity.clone());
                    continue;
                }
            },
        };
        let known = &comparisons[at];
        let conflicts = entry.set.intersection(&known.changed);
        if !conflicts.is_empty() || !known.comparison.removed.is_empty() {
            losses.push((entry.identity.clone(), conflicts, at));
        }
    }
    gone.iter().for_each(|identity| managers.remove(identity));
    if !force {
        check_conflicts(&losses)?;
    }
    for (identity, conflicts, at) in losses {
        let entry = managers
            .entries
            .iter_mut()
            .find(|entry| entry.identity == identity);
        if let Some(entry) = entry {
            let rest = entry.set.difference(&conflicts);
            entry.set = rest.difference(&comparisons[at].comparison.removed);
        }
    }
    managers.drop_empty();
    Ok(comparisons.swap_remove(0).changed)
}

/// Compares two objects in the version `api_version`, which both have, without ignored fields.
fn compare_typed(
    kind: &FieldManager,
    live: &Typed<'_>,
    new: &Typed<'_>,
    api_version: &str,
) -> Result<Comparison, WriteFailure> {
    let mut comparison = compare(&kind.types, live.type_, &live.value, &new.value)
        .map_err(|errors| WriteFailure::Internal(format!("failed to compare objects: {errors}")))?;
    if let Some(ignored) = kind.ignored(api_version) {
        comparison.remove_ignored(ignored);
    }
    Ok(comparison)
}

/// Converts two objects to a version and compares them. Returns `None` if the version does not
/// exist.
fn compare_in_version(
    kind: &FieldManager,
    live: &Typed<'_>,
    new: &Typed<'_>,
    version: &str,
) -> Result<Option<Comparison>, WriteFailure> {
    let live = kind.converted(live, version);
    let Some(live) = if_version_exists(live, "failed to convert old object: ")? else {
        return Ok(None);
    };
    let new = kind.converted(new, version);
    let Some(new) = if_version_exists(new, "failed to convert new object: ")? else {
        return Ok(None);
    };
    compare_typed(kind, &live, &new, version).map(Some)
}

/// Returns an error if a manager would lose fields that the write adds or modifies. A field that
/// the write removes is no conflict.
fn check_conflicts(losses: &[(ManagerIdentity, Set, usize)]) -> Result<(), WriteFailure> {
    let mut owners: Vec<_> = losses
        .iter()
        .filter(|(_, set, _)| !set.is_empty())
        .collect();
    if owners.is_empty() {
        return Ok(());
    }
    owners.sort_by_cached_key(|(identity, ..)| identity.key());
    let conflicts = owners.into_iter().flat_map(|(identity, set, _)| {
        set.paths().into_iter().map(|path| Conflict {
            owner: identity.clone(),
            path,
        })
    });
    Err(WriteFailure::Conflicts(conflicts.collect()))
}
