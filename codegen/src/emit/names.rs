//! Names of generated items: identifiers, and type names of groups and versions.

use genclient_syntax::names;

use crate::model::{Group, Version};

/// An identifier. A keyword becomes a raw identifier, or gets an underscore if it cannot be raw.
pub(super) fn ident(name: &str) -> String {
    names::ident(name).to_string()
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
