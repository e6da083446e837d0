//! Pruning: an apply removes fields that the applier owned and no longer applies.
//!
//! Source: structured-merge-diff, merge/update.go, `prune`.

use std::borrow::Cow;

use genclient_apimachinery::fieldpath::Set;

use super::conflict::{WriteFailure, if_version_exists};
use super::field_manager::{ConversionError, FieldManager, Typed};
use super::managers::{Manager, Managers};
use super::typed::{self, add_named_fields, field_set};

/// Removes from `merged` the fields of `last` that no manager owns now. `merged` is the live object
/// with the applied configuration merged in, and `last` is the applier's previous entry. A list
/// item or map entry remains while a manager owns a field in it.
pub(super) fn prune_merged<'a>(
    kind: &FieldManager,
    merged: Typed<'a>,
    managers: &Managers,
    last: Option<&Manager>,
) -> Result<Typed<'a>, WriteFailure> {
    let Some(last) = last.filter(|last| !last.set.is_empty()) else {
        return Ok(merged);
    };
    let pruned = prune_last_applied(kind, &merged, managers, last)?;
    Ok(pruned.unwrap_or(merged))
}

/// Returns the pruned object. `None` means that `merged` remains unchanged: nothing is removed, or
/// the version of `last` does not exist.
fn prune_last_applied(
    kind: &FieldManager,
    merged: &Typed<'_>,
    managers: &Managers,
    last: &Manager,
) -> Result<Option<Typed<'static>>, WriteFailure> {
    let context = "failed to convert merged object to last applied version: ";
    let Some(converted) = if_version_exists(kind.converted(merged, &last.api_version), context)?
    else {
        return Ok(None);
    };
    let merged = MergedObject {
        set: collect_fields(kind, &converted),
        object: converted,
    };
    let mut last_set = last.set.clone();
    add_named_fields(&kind.types, merged.object.type_, &mut last_set);
    let pruned = remove_fields(kind, &merged.object, &last_set);
    let pruned = add_back_owned(kind, &merged, pruned, &last.api_version, managers)
        .map_err(|error| error.context("failed add back owned items"))?;
    let pruned = add_back_dangling(kind, &merged, &pruned, &last.api_version, &last_set)
        .map_err(|error| error.context("failed add back dangling items"))?;
    match kind.conversion(&pruned, &kind.api_version) {
        Ok(Some(converted)) => Ok(Some(converted)),
        Ok(None) => Ok(match pruned.value {
            Cow::Borrowed(_) => None,
            Cow::Owned(_) => Some(pruned.into_owned()),
        }),
        Err(ConversionError::Failed(error)) => Err(WriteFailure::Internal(error)),
        Err(ConversionError::NoSuchVersion) => {
            let version = &kind.api_version;
            let error = format!("no corresponding type for {version}");
            Err(WriteFailure::Internal(error))
        }
    }
}

/// Merged object in one version, with its fields.
struct MergedObject<'a> {
    object: Typed<'a>,
    /// Fields of the object, from [`collect_fields`].
    set: Set,
}

/// Returns the field set of an object. If the set has a path such as `.spec.replicas`, also adds
/// `.spec`, provided that the schema declares this field. Entries of maps and list items are not
/// added.
fn collect_fields(kind: &FieldManager, object: &Typed<'_>) -> Set {
    let mut set = field_set(&kind.types, object.type_, &object.value);
    add_named_fields(&kind.types, object.type_, &mut set);
    set
}

/// Returns the object without the fields in `set`.
fn remove_fields<'a>(kind: &FieldManager, object: &'a Typed<'_>, set: &Set) -> Typed<'a> {
    Typed {
        value: typed::remove_paths(&kind.types, object.type_, &object.value, set),
        type_: object.type_,
    }
}

/// Adds back to the pruned object the fields that any manager owns now, in one version after the
/// other. The first is `version`, that of the applier's previous entry: conversions to the other
/// versions may need the fields that are added back in the first one.
fn add_back_owned<'a>(
    kind: &FieldManager,
    merged: &'a MergedObject<'_>,
    mut pruned: Typed<'a>,
    version: &str,
    managers: &Managers,
) -> Result<Typed<'a>, WriteFailure> {
    let mut other: Option<MergedObject<'static>> = None;
    for (version, managed) in managed_by_version(managers, version) {
        let current = other.as_ref().map_or(&merged.object, |other| &other.object);
        let context = format!("failed to convert merged object at version {version}: ");
        match if_version_exists(kind.conversion(current, version), &context)? {
            Some(Some(object)) => {
                other = Some(MergedObject {
                    set: collect_fields(kind, &object),
                    object,
                });
            }
            Some(None) => {}
            None => continue,
        }
        let context = format!("failed to convert pruned object at version {version}: ");
        match if_version_exists(kind.conversion(&pruned, version), &context)? {
            Some(Some(converted)) => pruned = converted,
            Some(None) => {}
            None => continue,
        }
        pruned = match &other {
            Some(other) => add_back_managed(kind, other, &pruned, managed).into_owned(),
            None => add_back_managed(kind, merged, &pruned, managed),
        };
    }
    Ok(pruned)
}

/// Returns the owned fields of all managers by version: `first`, then the other versions in the
/// order of the entries.
fn managed_by_version<'a>(managers: &'a Managers, first: &str) -> Vec<(&'a str, Set)> {
    let mut managed: Vec<(&str, Set)> = Vec::new();
    for entry in &managers.entries {
        match managed
            .iter_mut()
            .find(|(known, _)| *known == entry.api_version)
        {
            Some((_, known)) => *known = known.union(&entry.set),
            None => managed.push((&entry.api_version, entry.set.clone())),
        }
    }
    managed.sort_by_key(|(version, _)| *version != first);
    managed
}

/// Returns the merged object without the fields that neither the pruned object has nor a manager
/// owns (`addBackOwnedItemsForVersion`).
fn add_back_managed<'a>(
    kind: &FieldManager,
    merged: &'a MergedObject<'_>,
    pruned: &Typed<'_>,
    mut managed: Set,
) -> Typed<'a> {
    add_named_fields(&kind.types, merged.object.type_, &mut managed);
    let gone = merged.set.difference(&managed);
    remove_fields(
        kind,
        &merged.object,
        &gone.difference(&collect_fields(kind, pruned)),
    )
}

/// Adds back fields that were removed together with a pruned parent, but are not in `last`, the
/// applier's previous set.
fn add_back_dangling<'a>(
    kind: &FieldManager,
    merged: &'a MergedObject<'_>,
    pruned: &Typed<'_>,
    version: &str,
    last: &Set,
) -> Result<Typed<'a>, WriteFailure> {
    let context = "failed to convert pruned object to last applied version: ";
    let Some(pruned) = if_version_exists(kind.converted(pruned, version), context)? else {
        return Ok(remove_fields(kind, &merged.object, &Set::default()));
    };
    let removed = merged.set.difference(&collect_fields(kind, &pruned));
    Ok(remove_fields(
        kind,
        &merged.object,
        &removed.intersection(last),
    ))
}
