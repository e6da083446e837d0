//! Comparison of whole definitions: names, scope, conversion, and versions with their subresources.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::change::{Change, Log, Side, sort};
use super::super::definition::Definition;
use super::super::kinds::{self, ChangeKind};
use super::schemas;
use crate::definition::DefinitionVersion;

/// Returns the changes by definition; the breaking changes of each come first.
pub(crate) fn compare(old: &[Definition], new: &[Definition]) -> Vec<Change> {
    let mut moved = Vec::new();
    let mut changes = Vec::new();
    for definition in old {
        if let Some(same) = new.iter().find(|new| new.name == definition.name) {
            changes.extend(both(definition, same));
        } else if let Some((successor, kind)) = successor(definition, old, new) {
            moved.push(&successor.name);
            changes.push(renamed(definition, successor, kind));
        } else {
            let mut log = Log::of_definition(&definition.name);
            log.breaks(kinds::CRD_REMOVED, "", None, None);
            changes.extend(log.changes);
        }
    }
    for definition in new {
        let known = old.iter().any(|old| old.name == definition.name);
        if !known && !moved.contains(&&definition.name) {
            let mut log = Log::of_definition(&definition.name);
            log.notes(kinds::CRD_ADDED, "", None, None);
            changes.extend(log.changes);
        }
    }
    sort(&mut changes);
    changes
}

/// The definition that replaced the removed definition `gone`, and the kind of change: another
/// plural or another group.
fn successor<'d>(
    gone: &Definition,
    old: &[Definition],
    new: &'d [Definition],
) -> Option<(&'d Definition, ChangeKind)> {
    let is_new = |new: &&Definition| old.iter().all(|old| old.name != new.name);
    let come = || {
        new.iter()
            .filter(is_new)
            .filter(|new| new.kind == gone.kind)
    };
    let plural = come().find(|new| new.group == gone.group);
    let group = come().find(|new| new.plural == gone.plural);
    plural
        .map(|new| (new, kinds::PLURAL_CHANGED))
        .or(group.map(|new| (new, kinds::GROUP_CHANGED)))
}

fn renamed(old: &Definition, new: &Definition, kind: ChangeKind) -> Change {
    let mut log = Log::of_definition(&old.name);
    let (from, to) = if kind == kinds::GROUP_CHANGED {
        (&old.group, &new.group)
    } else {
        (&old.plural, &new.plural)
    };
    log.breaks(kind, "", word(from), word(to));
    log.changes.remove(0)
}

fn both(old: &Definition, new: &Definition) -> Vec<Change> {
    let mut log = Log::of_definition(&old.name);
    let names = [
        (kinds::KIND_CHANGED, &old.kind, &new.kind),
        (kinds::LIST_KIND_CHANGED, &old.list_kind, &new.list_kind),
        (kinds::SCOPE_CHANGED, &old.scope, &new.scope),
    ];
    for (kind, old, new) in names.into_iter().filter(|(_, old, new)| old != new) {
        log.breaks(kind, "", word(old), word(new));
    }
    if old.singular != new.singular {
        log.notes(
            kinds::SINGULAR_CHANGED,
            "",
            word(&old.singular),
            word(&new.singular),
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
        names_of(&mut log, removed, added, old, new);
    }
    conversion(&mut log, old, new);
    let mut changes = log.changes;
    changes.extend(versions(old, new));
    changes
}

fn names_of(
    log: &mut Log,
    removed: ChangeKind,
    added: ChangeKind,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) {
    for name in old.difference(new) {
        log.notes(removed, "", word(name), None);
    }
    for name in new.difference(old) {
        log.notes(added, "", None, word(name));
    }
}

fn conversion(log: &mut Log, old: &Definition, new: &Definition) {
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

fn word(word: &str) -> Option<Side> {
    Some(word.into())
}

fn versions(old: &Definition, new: &Definition) -> Vec<Change> {
    let mut changes = Vec::new();
    for version in &old.versions {
        let mut log = Log::of_version(&old.name, &version.name);
        match new.version(&version.name) {
            Some(same) => both_versions(&mut log, version, same),
            None => {
                let used = version.served || version.storage;
                log.breaks_if(used, kinds::VERSION_REMOVED, "", None, None);
            }
        }
        changes.extend(log.changes);
    }
    for version in &new.versions {
        if old.version(&version.name).is_none() {
            let mut log = Log::of_version(&old.name, &version.name);
            log.notes(kinds::VERSION_ADDED, "", None, None);
            changes.extend(log.changes);
        }
    }
    if let (Some(from), Some(to)) = (old.storage(), new.storage())
        && from.name != to.name
    {
        changes.extend(storage(old, from, to));
    }
    changes
}

/// Reports a change of the storage version. Objects that are written again lose properties that
/// only the old storage version has. So the two versions are compared, unless the old definition
/// already has the new one. In that case, `versions` compares the new one with its old schema.
fn storage(
    definition: &Definition,
    from: &DefinitionVersion,
    to: &DefinitionVersion,
) -> Vec<Change> {
    let mut log = Log::of_definition(&definition.name);
    log.notes(
        kinds::STORAGE_VERSION_CHANGED,
        "",
        Some(from.name.as_str().into()),
        Some(to.name.as_str().into()),
    );
    let mut changes = log.changes;
    if definition.version(&to.name).is_none() {
        let mut log = Log::against(&definition.name, &to.name, &from.name);
        schemas::roots(&mut log, &from.schema, &to.schema);
        changes.extend(log.changes);
    }
    changes
}

fn both_versions(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
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
        subresources(log, old, new);
        selectable_fields(log, old, new);
        schemas::roots(log, &old.schema, &new.schema);
    }
}

fn subresources(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
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

fn selectable_fields(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
    for path in old.selectable_fields.difference(&new.selectable_fields) {
        log.breaks(kinds::SELECTABLE_FIELD_REMOVED, path, None, None);
    }
    for path in new.selectable_fields.difference(&old.selectable_fields) {
        log.notes(kinds::SELECTABLE_FIELD_ADDED, path, None, None);
    }
}
