//! Lines at which changes are to be seen.

use super::change::Change;
use super::definition::Definition;
use super::marked::{Marked, Place, documents};
use super::path::{ITEMS, VALUES, member};

/// Adds package, file and line to each change: those of the new definition, or of the old one if
/// there is no new one. A field that is not there stands at what is left above it.
pub(crate) fn locate(changes: &mut [Change], old: &[Definition], new: &[Definition]) {
    for changes in changes.chunk_by_mut(|one, other| one.crd == other.crd) {
        let Some(crd) = changes.first().map(|change| change.crd.clone()) else {
            continue;
        };
        let named = |one: &&Definition| one.name == crd;
        let Some(definition) = new.iter().find(named).or(old.iter().find(named)) else {
            continue;
        };
        let documents = documents(&definition.text.text);
        let found = documents.iter().find_map(|one| of_definition(one, &crd));
        for change in changes {
            change.package.clone_from(&definition.text.package);
            change.file = Some(definition.text.place.clone());
            change.line = found.map(|document| line(document, change));
        }
    }
}

/// The definition with that name: the document itself, or an item of a list.
fn of_definition<'m>(document: &'m Place, name: &str) -> Option<&'m Place> {
    let is_it = |place: &&Place| {
        let metadata = place.node.get("metadata");
        metadata.is_some_and(|metadata| metadata.node.has("name", name))
    };
    let items = document.node.get("items");
    let items = items.map(|items| items.node.items()).unwrap_or_default();
    std::iter::once(document).chain(items).find(is_it)
}

fn line(definition: &Place, change: &Change) -> u64 {
    let version = change.version.as_deref().and_then(|name| {
        let versions = definition.node.get("spec")?.node.get("versions")?;
        let mut versions = versions.node.items().iter();
        versions.find(|version| version.node.has("name", name))
    });
    let Some(version) = version else {
        return definition.line;
    };
    let schema = version.node.get("schema");
    let root = schema.and_then(|schema| schema.node.get("openAPIV3Schema"));
    match (root, &change.path) {
        (Some(root), Some(path)) => follow(root, path).line,
        _ => version.line,
    }
}

/// The schema of the field at `path`, or of the last one above it that is there.
fn follow<'m>(root: &'m Place, path: &str) -> &'m Place {
    let (mut schema, mut rest) = (root, path);
    while let Some((next, below)) = step(&schema.node, rest) {
        (schema, rest) = (next, below);
    }
    schema
}

/// The schema that the first step of `path` leads to, and the rest of the path.
fn step<'m, 'p>(schema: &'m Marked, path: &'p str) -> Option<(&'m Place, &'p str)> {
    for (mark, key) in [(ITEMS, "items"), (VALUES, "additionalProperties")] {
        if let Some(rest) = path.strip_prefix(mark) {
            return Some((schema.get(key)?, rest));
        }
    }
    schema
        .get("properties")?
        .node
        .members()
        .find_map(|(name, place)| {
            let rest = path.strip_prefix(&member("", name))?;
            let is_whole = rest.is_empty() || rest.starts_with(['.', '[', '{']);
            is_whole.then_some((place, rest))
        })
}
