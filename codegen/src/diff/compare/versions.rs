//! Comparison of versions: added and removed ones, served and storage flags, subresources and
//! selectable fields.

use serde_json::Value;

use super::super::change::{Change, Log, Side};
use super::super::definition::{Definition, DefinitionVersion};
use super::super::kinds;
use super::schemas;

pub(super) fn compare(old: &Definition, new: &Definition) -> Vec<Change> {
    let mut changes = Vec::new();
    for version in &old.versions {
        let mut log = Log::of_version(&old.name, &version.name);
        match new.version(&version.name) {
            Some(same) => both(&mut log, version, same),
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

/// Objects move from one storage version to another, so each property that the new version lacks
/// gets a note.
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

fn both(log: &mut Log, old: &DefinitionVersion, new: &DefinitionVersion) {
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
