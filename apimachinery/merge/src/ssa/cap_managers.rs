//! Limit on the number of `Update` entries in managed fields: the oldest are merged.

use super::managers::{Manager, ManagerIdentity, ManagerOperation, Managers};
use super::time::NEVER;

/// Maximum number of entries with the operation `Update` in an object.
const MAX_UPDATE_ENTRIES: usize = 10;

/// Name of the manager that takes over the fields of the oldest entries.
const ANCIENT_MANAGER: &str = "ancient-changes";

/// Merges the oldest `Update` entries of the same version while there are more than
/// `MAX_UPDATE_ENTRIES`.
///
/// The manager `ancient-changes` may already have an entry in a version, from an earlier merge. If
/// another entry of that version is older, two quirks of kube-apiserver apply. The oldest entry
/// remains as it is, and the entries after it are merged into that of `ancient-changes`. When it
/// is the turn of the `ancient-changes` entry itself, that entry is removed, and its fields lose
/// this owner.
///
/// Source: apimachinery, pkg/util/managedfields/internal/capmanagers.go.
pub(super) fn merge_oldest_updates(managers: &mut Managers) {
    let mut updates: Vec<Manager> = managers
        .entries
        .iter()
        .filter(|entry| entry.identity.operation == ManagerOperation::Update)
        .cloned()
        .collect();
    if updates.len() <= MAX_UPDATE_ENTRIES {
        return;
    }
    updates.sort_by_cached_key(|entry| {
        let time = managers.time(&entry.identity).unwrap_or(NEVER);
        (time.to_owned(), entry.identity.key())
    });
    let mut count = updates.len();
    let mut firsts: Vec<(&str, &ManagerIdentity)> = Vec::new();
    for entry in &updates {
        if count <= MAX_UPDATE_ENTRIES {
            break;
        }
        let version = &*entry.api_version;
        match firsts.iter().find(|(known, _)| *known == version) {
            None => firsts.push((version, &entry.identity)),
            Some((_, first)) => {
                move_to_ancient(managers, entry, first);
                count -= 1;
            }
        }
    }
}

/// Moves the fields of `entry` to the `ancient-changes` entry of its version. If there is none,
/// first renames `first`, the oldest entry of the version, to `ancient-changes`.
fn move_to_ancient(managers: &mut Managers, entry: &Manager, first: &ManagerIdentity) {
    let ancient = ManagerIdentity::new(
        ANCIENT_MANAGER,
        ManagerOperation::Update,
        &entry.api_version,
        "",
    );
    let known = managers.get(&ancient).cloned().or_else(|| {
        let first = managers.get(first).cloned()?;
        managers.remove(&first.identity);
        Some(first)
    });
    let set = known.map(|known| entry.set.union(&known.set));
    managers.put(Manager {
        identity: ancient.clone(),
        set: set.unwrap_or_else(|| entry.set.clone()),
        api_version: entry.api_version.clone(),
    });
    let time = managers.time(&entry.identity).map(str::to_owned);
    managers.remove(&entry.identity);
    managers.set_time(&ancient, time.as_deref());
}
