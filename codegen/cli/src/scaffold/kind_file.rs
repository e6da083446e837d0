//! Source file of a scaffolded kind: new, or copied from another version.

use genclient_codegen::rust;

use super::conversion::{self, STORAGE_ATTRIBUTE};
use super::existing::{ExistingProject, parent_path};
use super::files::Scaffold;
use super::kind::KindNames;
use super::modules;
use crate::insert;

/// Marks the only existing version of a kind as the storage version. Otherwise a new version could
/// become the storage version.
pub(super) fn mark_only_version_stored(
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let mut versions = existing.versions(&kind.group, &kind.kind);
    if let (Some((_, version, resource)), None) = (versions.next(), versions.next())
        && version.name != kind.version
        && let Some((file, text)) =
            modules::find_source(parent_path(&resource.type_path), kind, existing, files)
        && !states_storage(&text, &kind.kind)
    {
        let what = format!("add `{STORAGE_ATTRIBUTE}` to {}", kind.kind);
        files.insert(&file, &what, |text| {
            insert::add_attribute(text, &kind.kind, STORAGE_ATTRIBUTE)
        });
    }
}

/// True if a `#[crd(..)]` attribute of the type has the key `storage`.
fn states_storage(text: &str, kind: &str) -> bool {
    let attrs = insert::type_attributes(text, kind).into_iter();
    let mut tokens_of_crd = attrs
        .filter(|attr| attr.path().is_ident("crd"))
        .flat_map(|attr| {
            let tokens = attr.meta.require_list().map(|list| list.tokens.clone());
            tokens.unwrap_or_default()
        });
    tokens_of_crd.any(|token| token.to_string() == "storage")
}

/// The text of the kind's file in the version `other`, adapted to the version `kind`; `None` if
/// the kind has no file of its own in `other`.
pub(super) fn copy_kind_file(
    kind: &KindNames,
    other: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> Option<String> {
    let (file, text) = modules::find_source(&other.module_path, kind, existing, files)?;
    let is_its_own = file.ends_with(&format!("/{}.rs", kind.file));
    let old = format!("`{}`", other.api_version);
    let new = format!("`{}`", kind.api_version);
    let text = text.replacen(&old, &new, 1);
    // Imports of names that the new version's module also has keep `super`. In other imports,
    // `super` becomes the path of the copied version's module.
    let folder = modules::module_folder(&kind.module_path, existing);
    let text = insert::rebase_imports(&text, &other.module_path, |name| {
        modules::module_has(&folder, name, files)
    })?;
    is_its_own.then(|| conversion::unmark_stored(&text, &kind.kind).map_or(text, |(text, _)| text))
}

/// The text that the file of an existing kind was created with.
pub(super) enum Origin {
    New,
    /// The text of this other version.
    Copy(Box<KindNames>),
}

/// Returns the origin of the kind's file, or `None` if the user has edited the file. `new` is the
/// text of a new kind. Marks of the storage version do not count: other commands add and move them.
pub(super) fn find_origin(
    kind: &KindNames,
    path: &str,
    new: &str,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> Option<Origin> {
    let present = files.read_text(path)?;
    let present = conversion::unmark_stored(&present, &kind.kind).map_or(present, |(text, _)| text);
    let others: Vec<_> = existing
        .versions(&kind.group, &kind.kind)
        .filter(|(_, version, _)| version.name != kind.version)
        .map(KindNames::from_project)
        .collect();
    // The new text is the first choice: a copy of it in another version equals it.
    if files.formatted(path, new) == present {
        return Some(Origin::New);
    }
    others.into_iter().find_map(|other| {
        let text = copy_kind_file(kind, &other, existing, files)?;
        (files.formatted(path, &text) == present).then(|| Origin::Copy(Box::new(other)))
    })
}

pub(super) fn render_kind_file(kind: &KindNames, plural: Option<&str>) -> String {
    let KindNames {
        kind,
        group,
        api_version,
        namespaced,
        ..
    } = kind;
    let (spec, status) = (format!("{kind}Spec"), format!("{kind}Status"));
    let plural = plural.map_or_else(String::new, |plural| format!("plural = \"{plural}\","));
    let scope = if *namespaced {
        ""
    } else {
        "scope = \"Cluster\","
    };
    rust!(kind, group, api_version, plural, scope, spec, status =>
        include_str!("templates/kind.rs.tmpl"))
}
