//! Fields that never have an owner, such as `metadata.name`.

use std::sync::LazyLock;

use super::managers::{ManagerIdentity, Managers};
use super::set::Set;

/// Fields that identify an object, and metadata that the server sets.
///
/// Source: apimachinery, pkg/util/managedfields/internal/stripmeta.go.
static STRIPPED: LazyLock<Set> = LazyLock::new(|| {
    Set::of_fields(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
});

/// Returns the set without the fields in [`STRIPPED`].
pub(super) fn stripped(set: &Set) -> Set {
    set.difference(&STRIPPED)
}

/// Removes the fields in [`STRIPPED`] from a manager's entry. If the entry's set is then empty,
/// removes the entry.
pub(super) fn strip(managers: &mut Managers, identity: &ManagerIdentity) {
    let entry = managers
        .entries
        .iter_mut()
        .find(|entry| entry.identity == *identity);
    if let Some(entry) = entry {
        entry.set = stripped(&entry.set);
        if entry.set.is_empty() {
            managers.remove(identity);
        }
    }
}
