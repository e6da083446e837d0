//! Conditions of generated items: the `#[cfg(…)]` of the types that they are about.

use crate::model::{Group, Resource};

/// The attributes that keep an item's conditions.
pub(super) fn cfg(conditions: &[String]) -> String {
    conditions
        .iter()
        .map(|condition| format!("#[cfg({condition})]\n"))
        .collect()
}

/// The conditions that hold for all of `resources`: what a module above them is compiled under.
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

/// The conditions that all kinds of a group share.
pub(super) fn group_cfg(group: &Group) -> Vec<String> {
    common_cfg(group.versions.iter().flat_map(|version| &version.resources))
}
