//! File names and line numbers of changes.

use std::sync::Arc;

use super::change::Change;
use super::definition::Definition;
use super::marked::{Marked, MarkedValue, documents};
use super::text::{ITEMS, Text, VALUES, member};

/// Adds package, file and line to each change. They locate the change in the new definition, or in
/// the old definition if there is no new one. A field that this definition lacks gets the line of
/// its nearest ancestor there.
pub fn locate(changes: &mut [Change], old: &[Definition], new: &[Definition]) {
    let mut texts = ReadTexts::default();
    for changes in changes.chunk_by_mut(|one, other| one.crd == other.crd) {
        let Some(crd) = changes.first().map(|change| change.crd.clone()) else {
            continue;
        };
        let named = |one: &&Definition| one.name == crd;
        let Some(definition) = new.iter().find(named).or(old.iter().find(named)) else {
            continue;
        };
        let text = &definition.text;
        let mut documents = texts.documents(text).iter();
        let document = documents.find_map(|document| of_definition(document, &crd));
        for change in changes {
            change.package.clone_from(&text.package);
            change.file = Some(text.place.clone());
            change.line = document.map(|document| line(document, change));
        }
    }
}

/// The parsed documents of texts. Each text is parsed only once, since a text may contain the CRDs
/// of a whole cluster.
#[derive(Default)]
struct ReadTexts<'t> {
    texts: Vec<(&'t Arc<Text>, Vec<Marked>)>,
}

impl<'t> ReadTexts<'t> {
    fn documents(&mut self, text: &'t Arc<Text>) -> &[Marked] {
        let known = self
            .texts
            .iter()
            .position(|(known, _)| Arc::ptr_eq(known, text));
        let at = known.unwrap_or_else(|| {
            self.texts.push((text, documents(&text.text)));
            self.texts.len() - 1
        });
        &self.texts[at].1
    }
}

/// The definition with that name: the document itself, or an item of a `List`.
fn of_definition<'m>(document: &'m Marked, name: &str) -> Option<&'m Marked> {
    let is_it = |place: &&Marked| {
        let metadata = place.value.get("metadata");
        metadata.is_some_and(|metadata| metadata.value.has("name", name))
    };
    let items = document.value.get("items");
    let items = items.map(|items| items.value.items()).unwrap_or_default();
    std::iter::once(document).chain(items).find(is_it)
}

fn line(definition: &Marked, change: &Change) -> u64 {
    let version = change.version.as_deref().and_then(|name| {
        let mut versions = definition
            .value
            .get("spec")?
            .value
            .get("versions")?
            .value
            .items()
            .iter();
        versions.find(|version| version.value.has("name", name))
    });
    let Some(version) = version else {
        return definition.line;
    };
    let schema = version.value.get("schema");
    let root = schema.and_then(|schema| schema.value.get("openAPIV3Schema"));
    match (root, &change.path) {
        (Some(root), Some(path)) => follow(root, path).line,
        _ => version.line,
    }
}

/// The schema of the field at `path`, or of its nearest existing ancestor.
fn follow<'m>(root: &'m Marked, path: &str) -> &'m Marked {
    let (mut schema, mut rest) = (root, path);
    while let Some((next, below)) = step(&schema.value, rest) {
        (schema, rest) = (next, below);
    }
    schema
}

/// The schema at the first segment of `path`, and the rest of the path.
fn step<'m, 'p>(schema: &'m MarkedValue, path: &'p str) -> Option<(&'m Marked, &'p str)> {
    for (mark, key) in [(ITEMS, "items"), (VALUES, "additionalProperties")] {
        if let Some(rest) = path.strip_prefix(mark) {
            return Some((schema.get(key)?, rest));
        }
    }
    schema
        .get("properties")?
        .value
        .members()
        .find_map(|(name, place)| {
            let rest = path.strip_prefix(&member("", name))?;
            let is_whole = rest.is_empty() || rest.starts_with(['.', '[', '{']);
            is_whole.then_some((place, rest))
        })
}
