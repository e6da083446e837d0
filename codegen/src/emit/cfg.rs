//! `#[cfg(…)]` conditions of generated items, taken from the types that they concern.

use crate::model::{Group, Resource};

/// The `#[cfg(…)]` attributes for conditions.
pub(super) fn cfg(conditions: &[String]) -> String {
    conditions
        .iter()
        .map(|condition| format!("#[cfg({condition})]\n"))
        .collect()
}

/// The conditions common to all `resources`, for the module that contains them.
pub(super) fn common_cfg<'a>(resources: impl IntoIterator<Item = &'a Resource>) -> Vec<String> {
    let mut resources = resources.into_iter();
    let Some(first) = resources.next() else {
        return Vec::new();
    };
    let mut common = first.cfg.clone();
    for resource in resources {
        common.retain(|condition| resource.cfg.contains(condition));
    }
    common
}

/// The conditions common to all kinds of a group.
pub(super) fn group_cfg(group: &Group) -> Vec<String> {
    common_cfg(group.versions.iter().flat_map(|version| &version.resources))
}
