//! Names of generated items, `mod` items for the tree of groups, versions and kinds, and their
//! `#[cfg(…)]` conditions.

use std::collections::BTreeSet;

use genclient_syntax::names;

use super::uses;
use crate::model::{Group, Model, Resource, Version};
use crate::template::{join_with_blank_lines, rust};

/// An identifier. A keyword becomes a raw identifier, or gets an underscore if it cannot be raw.
pub(super) fn ident(name: &str) -> String {
    names::ident(name).to_string()
}

/// The lint that reports the name of a module or field, if it does.
pub(super) fn snake_case_lint(name: &str) -> Option<&'static str> {
    let is_unusual = name.contains(char::is_uppercase) || name.contains("__");
    is_unusual.then_some("non_snake_case")
}

/// The type name of a version: `V1beta1` for `v1beta1`.
pub(super) fn version_type(version: &Version) -> String {
    let mut name = version.module.replace('_', "");
    name[..1].make_ascii_uppercase();
    name
}

/// The type name of a group: `Falldio` for `falldio`, `Group3scale` for `_3scale`.
pub(super) fn group_type(group: &Group) -> String {
    let name = heck::AsUpperCamelCase(&group.module).to_string();
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("Group{name}")
    } else {
        name
    }
}

/// The type name of the client of a version: `FalldioV1`.
pub(super) fn version_client(group: &Group, version: &Version) -> String {
    format!("{}{}", group_type(group), version_type(version))
}

/// A group in a sentence: ``the group `falldio.com` ``, or `the core group`.
pub(super) fn group_title(group: &Group) -> String {
    if group.name.is_empty() {
        "the core group".to_owned()
    } else {
        format!("the group `{}`", group.name)
    }
}

/// The `apiVersion` of objects: `falldio.com/v1`, or `v1` in the core group.
pub(super) fn api_version(group: &Group, version: &Version) -> String {
    if group.name.is_empty() {
        version.name.clone()
    } else {
        format!("{}/{}", group.name, version.name)
    }
}

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

/// The conditions that hold if all conditions of at least one list hold.
pub(super) fn any_of(lists: &BTreeSet<Vec<String>>) -> Vec<String> {
    if lists.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    match lists.len() {
        0 | 1 => lists.first().cloned().unwrap_or_default(),
        _ => {
            let all: Vec<_> = lists.iter().map(|list| all_of(list)).collect();
            vec![format!("any({})", all.join(", "))]
        }
    }
}

fn all_of(conditions: &[String]) -> String {
    match conditions {
        [only] => only.clone(),
        all => format!("all({})", all.join(", ")),
    }
}

/// The conditions common to all kinds of a group.
pub(super) fn group_cfg(group: &Group) -> Vec<String> {
    common_cfg(group.versions.iter().flat_map(|version| &version.resources))
}

/// `pub mod falldio;` for each group.
pub(super) fn group_modules(model: &Model) -> String {
    let groups = model.groups.iter();
    public_modules(groups.map(|group| (&group.module, group_cfg(group))))
}

/// `pub mod falldio { pub mod v1; }` for each group.
pub(super) fn nested_version_modules(model: &Model) -> String {
    join_with_blank_lines(model.groups.iter().map(|group| {
        let (title, conditions) = (group_title(group), cfg(&group_cfg(group)));
        let (module, versions) = (ident(&group.module), version_modules(group));
        rust!(title, conditions, module, versions => "
            /// Versions of $title.
            $conditions
            pub mod $module {
                $versions
            }
        ")
    }))
}

/// `pub mod v1;` for each version.
pub(super) fn version_modules(group: &Group) -> String {
    let versions = group.versions.iter();
    public_modules(versions.map(|version| (&version.module, common_cfg(&version.resources))))
}

fn public_modules<'a>(modules: impl Iterator<Item = (&'a String, Vec<String>)>) -> String {
    sort_lines(modules.map(|(module, conditions)| {
        let line = format!("{}pub mod {};\n", cfg(&conditions), ident(module));
        (module.as_str(), line)
    }))
}

/// `mod gpu_task;` and `pub use gpu_task::GPUTasks;` for each kind.
pub(super) fn client_modules(version: &Version) -> (String, String) {
    let resources = version.resources.iter();
    let lines = |line: fn(&str, &Resource) -> String| {
        sort_lines(resources.clone().map(|resource| {
            let line = line(&ident(&resource.names.module), resource);
            (
                resource.names.module.as_str(),
                cfg(&resource.cfg) + &line + "\n",
            )
        }))
    };
    (
        lines(|module, _| format!("mod {module};")),
        lines(|module, resource| format!("pub use {module}::{};", resource.names.client)),
    )
}

/// Sorts lines by their modules, with a blank line where rustfmt's style editions would sort
/// differently.
pub(super) fn sort_lines<'a>(lines: impl Iterator<Item = (&'a str, String)>) -> String {
    let runs = uses::split_into_runs(lines.collect(), |(module, _)| vec![*module]);
    let texts = runs
        .into_iter()
        .map(|run| run.into_iter().map(|(_, line)| line).collect());
    join_with_blank_lines(texts)
}
