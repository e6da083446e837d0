//! Fields that never have an owner, such as `metadata.name`.

use std::sync::LazyLock;

use genclient_apimachinery::fieldpath::Set;

use super::managers::{ManagerIdentity, Managers};

/// Fields that identify an object, and metadata that the server sets.
///
/// Source: apimachinery, pkg/util/managedfields/internal/stripmeta.go.
static UNOWNED_FIELDS: LazyLock<Set> = LazyLock::new(|| {
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

/// Returns the set without the fields in [`UNOWNED_FIELDS`].
pub(super) fn without_unowned_fields(set: &Set) -> Set {
    set.difference(&UNOWNED_FIELDS)
}

/// Removes the fields in [`UNOWNED_FIELDS`] from a manager's entry. If the entry's set is then
/// empty, removes the entry.
pub(super) fn strip_entry(managers: &mut Managers, identity: &ManagerIdentity) {
    let entry = managers
        .entries
        .iter_mut()
        .find(|entry| entry.identity == *identity);
    if let Some(entry) = entry {
        entry.set = without_unowned_fields(&entry.set);
        if entry.set.is_empty() {
            managers.remove(identity);
        }
    }
}
