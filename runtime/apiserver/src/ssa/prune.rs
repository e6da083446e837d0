//! Pruning: removal of what an applier owned and does not apply any more.
//!
//! Source: structured-merge-diff, merge/update.go, `prune`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::kind::{ConversionError, Kind, Typed};
use super::managers::{Manager, Managers};
use super::set::Set;
use super::typed::{field_set, remove, with_named_fields};
use super::update::{Failure, unless_gone};

/// Removes from a merged object what the applier's last set has and nobody owns now. List items
/// and map entries below which others own something stay.
pub(super) fn prune<'a>(
    kind: &Kind,
    merged: Typed<'a>,
    managers: &Managers,
    last: Option<&Manager>,
) -> Result<Typed<'a>, Failure> {
    let Some(last) = last.filter(|last| !last.set.is_empty()) else {
        return Ok(merged);
    };
    let context = "failed to convert merged object to last applied version: ";
    let Some(converted) = unless_gone(kind.converted(&merged, &last.api_version), context)? else {
        return Ok(merged);
    };
    let merged = Merged {
        set: all_fields(kind, &converted),
        object: converted,
    };
    let last_set = with_named_fields(&kind.types, merged.object.type_, &last.set);
    let pruned = without(kind, &merged.object, &last_set);
    let pruned = add_back_owned(kind, &merged, pruned, &last.api_version, managers);
    let pruned = pruned.map_err(|error| error.context("failed add back owned items"))?;
    let pruned = add_back_dangling(kind, &merged, &pruned, &last.api_version, &last_set);
    let pruned = pruned.map_err(|error| error.context("failed add back dangling items"))?;
    match kind.conversion(&pruned, &kind.api_version) {
        Ok(converted) => Ok(converted.unwrap_or(pruned)),
        Err(ConversionError::Failed(error)) => Err(Failure::Internal(error)),
        Err(ConversionError::NoSuchVersion) => {
            let version = &kind.api_version;
            Err(Failure::Internal(format!(
                "no corresponding type for {version}"
            )))
        }
    }
}

/// A merged object in one version.
struct Merged<'a> {
    object: Typed<'a>,
    /// Its fields, as [`all_fields`] has them.
    set: Set,
}

/// The fields of an object with the declared ones on the way to them.
fn all_fields(kind: &Kind, object: &Typed<'_>) -> Set {
    let set = field_set(&kind.types, object.type_, &object.value);
    with_named_fields(&kind.types, object.type_, &set)
}

fn without(kind: &Kind, object: &Typed<'_>, set: &Set) -> Typed<'static> {
    let mut value = object.value.clone().into_owned();
    remove(&kind.types, object.type_, &mut value, set);
    Typed {
        value: Cow::Owned(value),
        type_: object.type_,
    }
}

/// Puts back what any manager owns now, in each version that managers use; that of the last set
/// first, as a conversion may need what is missing.
fn add_back_owned(
    kind: &Kind,
    merged: &Merged<'_>,
    mut pruned: Typed<'static>,
    version: &str,
    managers: &Managers,
) -> Result<Typed<'static>, Failure> {
    let mut managed: BTreeMap<&str, Set> = BTreeMap::new();
    for entry in &managers.entries {
        let known = managed.entry(&entry.api_version).or_default();
        *known = known.union(&entry.set);
    }
    let first = managed.remove_entry(version);
    let mut other: Option<Merged<'static>> = None;
    for (version, managed) in first.into_iter().chain(managed) {
        let current = other.as_ref().map_or(&merged.object, |other| &other.object);
        let context = format!("failed to convert merged object at version {version}: ");
        match unless_gone(kind.conversion(current, version), &context)? {
            Some(Some(object)) => {
                other = Some(Merged {
                    set: all_fields(kind, &object),
                    object,
                });
            }
            Some(None) => {}
            None => continue,
        }
        let context = format!("failed to convert pruned object at version {version}: ");
        match unless_gone(kind.conversion(&pruned, version), &context)? {
            Some(Some(converted)) => pruned = converted,
            Some(None) => {}
            None => continue,
        }
        let merged = other.as_ref().unwrap_or(merged);
        pruned = add_back(kind, merged, &pruned, &managed);
    }
    Ok(pruned)
}

fn add_back(kind: &Kind, merged: &Merged<'_>, pruned: &Typed<'_>, managed: &Set) -> Typed<'static> {
    let managed = with_named_fields(&kind.types, merged.object.type_, managed);
    let kept = all_fields(kind, pruned).union(&managed);
    without(kind, &merged.object, &merged.set.difference(&kept))
}

/// Puts back what the applier never owned: what was below something that is pruned.
fn add_back_dangling(
    kind: &Kind,
    merged: &Merged<'_>,
    pruned: &Typed<'_>,
    version: &str,
    last: &Set,
) -> Result<Typed<'static>, Failure> {
    let context = "failed to convert pruned object to last applied version: ";
    let Some(pruned) = unless_gone(kind.converted(pruned, version), context)? else {
        return Ok(without(kind, &merged.object, &Set::default()));
    };
    let removed = merged.set.difference(&all_fields(kind, &pruned));
    Ok(without(kind, &merged.object, &removed.intersection(last)))
}
