//! File names and line numbers of changes, from YAML documents parsed with line numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use genclient_schema::yaml;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::change::Change;
use super::definition::{Definition, Text};
use super::path::{ITEMS_SUFFIX, VALUES_SUFFIX, append_property};

/// Adds package, file and line to each change. They locate the change in the new definition, or in
/// the old definition if there is no new one. A field that this definition lacks gets the line of
/// its nearest ancestor there.
pub fn locate(changes: &mut [Change], old: &[Definition], new: &[Definition]) {
    let mut texts = ParsedTexts::default();
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
        let document = documents.find_map(|document| find_definition(document, &crd));
        for change in changes {
            change.package.clone_from(&text.package);
            change.file = Some(text.label.clone());
            change.line = document.map(|document| find_line(document, change));
        }
    }
}

/// The parsed documents of texts. Each text is parsed only once, since a text may contain the CRDs
/// of a whole cluster.
#[derive(Default)]
struct ParsedTexts<'t> {
    texts: Vec<(&'t Arc<Text>, Vec<Located>)>,
}

impl<'t> ParsedTexts<'t> {
    fn documents(&mut self, text: &'t Arc<Text>) -> &[Located] {
        let known = self
            .texts
            .iter()
            .position(|(known, _)| Arc::ptr_eq(known, text));
        let at = known.unwrap_or_else(|| {
            self.texts.push((text, parse_documents(&text.text)));
            self.texts.len() - 1
        });
        &self.texts[at].1
    }
}

/// The definition with that name: the document itself, or an item of a `List`.
fn find_definition<'m>(document: &'m Located, name: &str) -> Option<&'m Located> {
    let has_name = |document: &&Located| {
        let metadata = document.value.get("metadata");
        metadata.is_some_and(|metadata| metadata.value.has("name", name))
    };
    let items = document.value.get("items");
    let items = items.map(|items| items.value.items()).unwrap_or_default();
    std::iter::once(document).chain(items).find(has_name)
}

fn find_line(definition: &Located, change: &Change) -> u64 {
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
        (Some(root), Some(path)) => find_schema(root, path).line,
        _ => version.line,
    }
}

/// The schema of the field at `path`, or of its nearest existing ancestor.
fn find_schema<'m>(root: &'m Located, path: &str) -> &'m Located {
    let (mut schema, mut rest) = (root, path);
    while let Some((next, below)) = step_into(&schema.value, rest) {
        (schema, rest) = (next, below);
    }
    schema
}

/// The schema at the first segment of `path`, and the rest of the path.
fn step_into<'m, 'p>(schema: &'m LocatedValue, path: &'p str) -> Option<(&'m Located, &'p str)> {
    for (mark, key) in [
        (ITEMS_SUFFIX, "items"),
        (VALUES_SUFFIX, "additionalProperties"),
    ] {
        if let Some(rest) = path.strip_prefix(mark) {
            return Some((schema.get(key)?, rest));
        }
    }
    schema
        .get("properties")?
        .value
        .members()
        .find_map(|(name, property)| {
            let rest = path.strip_prefix(&append_property("", name))?;
            let is_whole = rest.is_empty() || rest.starts_with(['.', '[', '{']);
            is_whole.then_some((property, rest))
        })
}

/// A value with the line of its key, or with the line where the value starts if it has no key.
struct Located {
    line: u64,
    value: LocatedValue,
}

/// A YAML value, reduced to what line lookups need.
enum LocatedValue {
    Map(BTreeMap<String, Located>),
    List(Vec<Located>),
    Text(String),
    Other,
}

/// The documents of a text; empty if the text cannot be parsed.
fn parse_documents(text: &str) -> Vec<Located> {
    let documents: Vec<Spanned<LocatedValue>> = yaml::documents(text, "").unwrap_or_default();
    documents.into_iter().map(Located::from).collect()
}

impl LocatedValue {
    fn get(&self, key: &str) -> Option<&Located> {
        match self {
            Self::Map(members) => members.get(key),
            _ => None,
        }
    }

    /// True if the property `key` is the string `value`.
    fn has(&self, key: &str, value: &str) -> bool {
        let member = self.get(key).map(|member| &member.value);
        matches!(member, Some(Self::Text(text)) if text == value)
    }

    fn members(&self) -> impl Iterator<Item = (&String, &Located)> {
        let members = match self {
            Self::Map(members) => Some(members),
            _ => None,
        };
        members.into_iter().flatten()
    }

    fn items(&self) -> &[Located] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

impl From<Spanned<LocatedValue>> for Located {
    fn from(spanned: Spanned<LocatedValue>) -> Self {
        Self {
            line: spanned.referenced.line(),
            value: spanned.value,
        }
    }
}

impl<'de> Deserialize<'de> for LocatedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LocatedVisitor)
    }
}

struct LocatedVisitor;

impl<'de> Visitor<'de> for LocatedVisitor {
    type Value = LocatedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LocatedValue, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let line = key.referenced.line();
            let value = map.next_value()?;
            members.insert(key.value, Located { line, value });
        }
        Ok(LocatedValue::Map(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<LocatedValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<LocatedValue>>()? {
            items.push(item.into());
        }
        Ok(LocatedValue::List(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Other)
    }

    fn visit_unit<E>(self) -> Result<LocatedValue, E> {
        Ok(LocatedValue::Other)
    }
}
