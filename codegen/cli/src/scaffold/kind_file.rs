//! Source file of a scaffolded kind: new, or copied from another version.

use genclient_codegen::rust;

use super::existing::{Existing, parent};
use super::files::Scaffold;
use super::hub::{self, STORED};
use super::kind::KindNames;
use super::modules;
use crate::insert;

/// Marks the only existing version of a kind as the storage version. Otherwise a new version could
/// become the storage version.
pub(super) fn mark_only_version_stored(
    about: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) {
    let mut versions = existing.versions(&about.group, &about.kind);
    if let (Some((_, version, resource)), None) = (versions.next(), versions.next())
        && version.name != about.version
        && let Some((file, text)) =
            modules::source(parent(&resource.type_path), about, existing, files)
        && !states_storage(&text, &about.kind)
    {
        let what = format!("add `{STORED}` to {}", about.kind);
        files.insert(&file, &what, |text| {
            insert::attribute(text, &about.kind, STORED)
        });
    }
}

/// True if a `#[crd(..)]` attribute of the type has the key `storage`.
fn states_storage(text: &str, kind: &str) -> bool {
    let attrs = insert::attributes(text, kind).into_iter();
    let mut stated = attrs
        .filter(|attr| attr.path().is_ident("crd"))
        .flat_map(|attr| {
            let tokens = attr.meta.require_list().map(|list| list.tokens.clone());
            tokens.unwrap_or_default()
        });
    stated.any(|token| token.to_string() == "storage")
}

/// The text of the kind's file in the version `other`, adapted to the version `about`; `None` if
/// the kind has no file of its own in `other`.
pub(super) fn copy(
    about: &KindNames,
    other: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) -> Option<String> {
    let (file, text) = modules::source(&other.module_path, about, existing, files)?;
    let is_its_own = file.ends_with(&format!("/{}.rs", about.file));
    let old = format!("`{}`", other.api_version);
    let new = format!("`{}`", about.api_version);
    let text = text.replacen(&old, &new, 1);
    // Imports of names that the new version's module also has keep `super`. In other imports,
    // `super` becomes the path of the copied version's module.
    let folder = modules::folder(&about.module_path, existing);
    let text = insert::moved(&text, &other.module_path, |name| {
        modules::has(&folder, name, files)
    })?;
    is_its_own.then(|| hub::unmark_stored(&text, &about.kind).map_or(text, |(text, _)| text))
}

/// The text that the file of an existing kind was created with.
pub(super) enum Origin {
    New,
    /// The text of this other version.
    Copy(Box<KindNames>),
}

/// Returns the origin of the kind's file, or `None` if the user has edited the file. `new` is the
/// text of a new kind. Marks of the storage version do not count: other commands add and move them.
pub(super) fn origin(
    about: &KindNames,
    path: &str,
    new: &str,
    existing: &Existing,
    files: &mut Scaffold,
) -> Option<Origin> {
    let present = files.text(path)?;
    let present = hub::unmark_stored(&present, &about.kind).map_or(present, |(text, _)| text);
    let others: Vec<_> = existing
        .versions(&about.group, &about.kind)
        .filter(|(_, version, _)| version.name != about.version)
        .map(KindNames::of_project)
        .collect();
    // The new text is the first choice: a copy of it in another version equals it.
    if files.formatted(path, new) == present {
        return Some(Origin::New);
    }
    others.into_iter().find_map(|other| {
        let text = copy(about, &other, existing, files)?;
        (files.formatted(path, &text) == present).then(|| Origin::Copy(Box::new(other)))
    })
}

pub(super) fn kind_file(about: &KindNames, plural: Option<&str>) -> String {
    let KindNames {
        kind,
        group,
        api_version,
        ..
    } = about;
    let (spec, status) = (format!("{kind}Spec"), format!("{kind}Status"));
    let plural = plural.map_or_else(String::new, |plural| format!("plural = \"{plural}\","));
    let scope = if about.namespaced {
        ""
    } else {
        "scope = \"Cluster\","
    };
    rust!(kind, group, api_version, plural, scope, spec, status =>
        include_str!("templates/kind.rs.tmpl"))
}
