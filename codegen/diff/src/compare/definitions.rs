//! Comparison of whole definitions: names, scope, conversion, and versions with their subresources.

use std::collections::BTreeSet;

use serde_json::Value;

use super::log::Log;
use super::schemas;
use crate::change::{Change, Side, sort_changes};
use crate::definition::{Definition, DefinitionVersion};
use crate::kinds::{self, ChangeKind};

/// Returns the changes by definition; the breaking changes of each come first.
pub(crate) fn compare(old: &[Definition], new: &[Definition]) -> Vec<Change> {
    let mut moved = Vec::new();
    let mut changes = Vec::new();
    for definition in old {
        if let Some(same) = new.iter().find(|new| new.name == definition.name) {
            changes.extend(compare_definitions(definition, same));
        } else if let Some((successor, kind)) = find_successor(definition, old, new) {
            moved.push(&successor.name);
            changes.push(report_rename(definition, successor, kind));
        } else {
            let mut log = Log::new(&definition.name);
            log.breaks(kinds::CRD_REMOVED, "", None, None);
            changes.extend(log.changes);
        }
    }
    for definition in new {
        let known = old.iter().any(|old| old.name == definition.name);
        if !known && !moved.contains(&&definition.name) {
            let mut log = Log::new(&definition.name);
            log.notes(kinds::CRD_ADDED, "", None, None);
            changes.extend(log.changes);
        }
    }
    sort_changes(&mut changes);
    changes
}

/// The definition that replaced the removed definition `removed`, and the kind of change: another
/// plural or another group.
fn find_successor<'d>(
    removed: &Definition,
    old: &[Definition],
    new: &'d [Definition],
) -> Option<(&'d Definition, ChangeKind)> {
    let is_new = |new: &&Definition| old.iter().all(|old| old.name != new.name);
    let added = || {
        new.iter()
            .filter(is_new)
            .filter(|new| new.kind == removed.kind)
    };
    let plural = added().find(|new| new.group == removed.group);
    let group = added().find(|new| new.plural == removed.plural);
    plural
        .map(|new| (new, kinds::PLURAL_CHANGED))
        .or(group.map(|new| (new, kinds::GROUP_CHANGED)))
}

fn report_rename(old: &Definition, new: &Definition, kind: ChangeKind) -> Change {
    let mut log = Log::new(&old.name);
    let (from, to) = if kind == kinds::GROUP_CHANGED {
        (&old.group, &new.group)
    } else {
        (&old.plural, &new.plural)
    };
    log.breaks(kind, "", word_side(from), word_side(to));
    log.changes.remove(0)
}

fn compare_definitions(old: &Definition, new: &Definition) -> Vec<Change> {
    let mut log = Log::new(&old.name);
    let names = [
        (kinds::KIND_CHANGED, &old.kind, &new.kind),
        (kinds::LIST_KIND_CHANGED, &old.list_kind, &new.list_kind),
        (kinds::SCOPE_CHANGED, &old.scope, &new.scope),
    ];
    for (kind, old, new) in names.into_iter().filter(|(_, old, new)| old != new) {
        log.breaks(kind, "", word_side(old), word_side(new));
    }
    if old.singular != new.singular {
        log.notes(
            kinds::SINGULAR_CHANGED,
            "",
            word_side(&old.singular),
            word_side(&new.singular),
        );
    }
    let sets = [
        (
            kinds::SHORT_NAME_REMOVED,
            kinds::SHORT_NAME_ADDED,
            &old.short_names,
            &new.short_names,
        ),
        (
            kinds::CATEGORY_REMOVED,
            kinds::CATEGORY_ADDED,
            &old.categories,
            &new.categories,
        ),
    ];
    for (removed, added, old, new) in sets {
        compare_name_sets(&mut log, removed, added, old, new);
    }
    compare_conversions(&mut log, old, new);
    let mut changes = log.changes;
    changes.extend(compare_versions(old, new));
    changes
}

fn compare_name_sets(
    log: &mut Log,
    removed: ChangeKind,
    added: ChangeKind,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) {
    for name in old.difference(new) {
        log.notes(removed, "", word_side(name), None);
    }
    for name in new.difference(old) {
        log.notes(added, "", None, word_side(name));
    }
}

fn compare_conversions(log: &mut Log, old: &Definition, new: &Definition) {
    if old.webhook == new.webhook {
        return;
    }
    let shown = |webhook: &Option<Value>| {
        Some(match webhook {
            Some(webhook) => Side::from(webhook.clone()),
            None => "None".into(),
        })
    };
    let lost = new.webhook.is_none() && new.versions.len() > 1;
    let (from, to) = (shown(&old.webhook), shown(&new.webhook));
    log.breaks_if(lost, kinds::CONVERSION_CHANGED, "", from, to);
}

fn word_side(word: &str) -> Option<Side> {
    Some(word.into())
}

fn compare_versions(old: &Definition, new: &Definition) -> Vec<Change> {
    let mut changes = Vec::new();
    for version in &old.versions {
        let mut log = Log::for_version(&old.name, &version.name);
        match new.version(&version.name) {
            Some(same) => compare_version(&mut log, version, same),
            None => {
                let used = version.served || version.storage;
                log.breaks_if(used, kinds::VERSION_REMOVED, "", None, None);
            }
        }
        changes.extend(log.changes);
    }
    for version in &new.versions {
        if old.version(&version.name).is_none() {
            let mut log = Log::for_version(&old.name, &version.name);
            log.notes(kinds::VERSION_ADDED, "", None, None);
            changes.extend(log.changes);
        }
    }
    if let (Some(from), Some(to)) = (old.storage(), new.storage())
        && from.name != to.name
    {
        changes.extend(compare_storage_versions(old, from, to));
    }
    changes
}

/// Reports a change of the storage version. Objects that are written again lose properties that
/// only the old storage version has. So the two versions are compared, unless the old definition
/// already has the new one. In that case, `compare_versions` compares the new one with its old
/// schema.
fn compare_storage_versions(
    definition: &Definition,
    from: &DefinitionVersion,
    to: &DefinitionVersion,
) -> Vec<Change> {
    let mut log = Log::new(&definition.name);
    log.notes(
        kinds::STORAGE_VERSION_CHANGED,
        "",
        Some(from.name.as_str().into()),
        Some(to.name.as_str().into()),
    );
    let mut changes = log.changes;
    if definition.version(&to.name).is_none() {
        let mut log = Log::for_storage_change(&definition.name, &to.name, &from.name);
        schemas::compare_roots(&mut log, &from.schema, &to.schema);
        changes.extend(log.changes);
    }
    changes
}

fn compare_version(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
    match (old.served, new.served) {
        (true, false) => log.breaks(kinds::VERSION_UNSERVED, "", None, None),
        (false, true) => log.notes(kinds::VERSION_SERVED, "", None, None),
        _ => {}
    }
    if !old.deprecated && new.deprecated {
        log.notes(kinds::VERSION_DEPRECATED, "", None, None);
    }
    // A version that is neither served nor stored cannot break anyone.
    if old.served || old.storage {
        compare_subresources(log, old, new);
        compare_selectable_fields(log, old, new);
        schemas::compare_roots(log, &old.schema, &new.schema);
    }
}

fn compare_subresources(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
    match (old.status, new.status) {
        (true, false) => log.breaks(kinds::STATUS_SUBRESOURCE_REMOVED, "", None, None),
        (false, true) => log.breaks(kinds::STATUS_SUBRESOURCE_ADDED, "", None, None),
        _ => {}
    }
    let shown = |scale: &Value| Some(Side::from(scale.clone()));
    match (&old.scale, &new.scale) {
        (Some(old), None) => log.breaks(kinds::SCALE_SUBRESOURCE_REMOVED, "", shown(old), None),
        (None, Some(new)) => log.notes(kinds::SCALE_SUBRESOURCE_ADDED, "", None, shown(new)),
        (Some(old), Some(new)) if old != new => {
            log.breaks(kinds::SCALE_SUBRESOURCE_CHANGED, "", shown(old), shown(new));
        }
        _ => {}
    }
}

fn compare_selectable_fields(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
    for path in old.selectable_fields.difference(&new.selectable_fields) {
        log.breaks(kinds::SELECTABLE_FIELD_REMOVED, path, None, None);
    }
    for path in new.selectable_fields.difference(&old.selectable_fields) {
        log.notes(kinds::SELECTABLE_FIELD_ADDED, path, None, None);
    }
}
