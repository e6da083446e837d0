//! The schemas that the API server publishes for its own types.
//!
//! `hack/kubernetes-schemas.sh` takes them from a running one. Nothing is parsed before it is asked for, and all kinds share what was.

mod markers;
mod release;
mod special;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use crate::{JsonType, ListType, MapType, Schema};
pub use release::Release;
pub use special::{anything, open_object};

/// One definition a line, sorted: its name, a tab, its schema.
pub const PUBLISHED: &str = include_str!("../../data/kubernetes.tsv");

/// A definition that cannot be written out, as it contains itself.
#[derive(Debug, PartialEq)]
pub struct Circle;

/// A published schema; a reference stands in the place of what it names, and may have a description of its own.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Published {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    description: Option<String>,
    #[serde(rename = "type")]
    type_: Option<JsonType>,
    format: Option<String>,
    default: Option<Value>,
    /// The values of a Go type with `+enum`. They are no constraint: the server admits `""` where
    /// it has a default, `effect: ""` in a toleration, and new values in a later release.
    #[serde(rename = "enum")]
    _enum: Vec<Value>,
    items: Option<Box<Published>>,
    properties: BTreeMap<String, Published>,
    required: BTreeSet<String>,
    additional_properties: Option<Box<Published>>,
    #[serde(rename = "x-kubernetes-list-type")]
    list_type: Option<ListType>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    map_type: Option<MapType>,
}

/// A definition, which is parsed when it is asked for.
struct Definition {
    name: &'static str,
    text: &'static str,
}

/// The definitions that were written out, of each release that was asked for.
type Written = BTreeMap<(Release, &'static str), Arc<Schema>>;

static WRITTEN: Mutex<Written> = Mutex::new(Written::new());

/// All definitions, sorted by name.
static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let lines = PUBLISHED.lines();
    let named = lines.filter_map(|line| line.split_once('\t'));
    named
        .map(|(name, text)| Definition { name, text })
        .collect()
});

fn find(name: &str) -> Option<&'static Definition> {
    let found = DEFINITIONS.binary_search_by_key(&name, |definition| definition.name);
    found.ok().map(|at| &DEFINITIONS[at])
}

/// True if a definition has that name.
pub fn contains(name: &str) -> bool {
    find(name).is_some()
}

/// The published text of a definition, in which `$ref` stands for other definitions by their names.
pub fn published(name: &str) -> Option<&'static str> {
    find(name).map(|definition| definition.text)
}

/// True if a definition is that of an object, not of a part or a list of some.
pub fn is_kind(name: &str) -> bool {
    find(name).is_some_and(|definition| {
        let published = parsed(definition.text);
        let has = |property| published.properties.contains_key(property);
        has("apiVersion") && has("kind") && has("metadata") && !has("items")
    })
}

/// The names of all definitions, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    DEFINITIONS.iter().map(|definition| definition.name)
}

/// The schema of a definition, with everything that it refers to, if there is one of that name.
pub fn schema(name: &str, release: Release) -> Option<Result<Arc<Schema>, Circle>> {
    let open = Vec::new();
    Writer { release, open }.schema(name)
}

/// Writes definitions out.
struct Writer {
    release: Release,
    /// The definitions being written out, to find a circle.
    open: Vec<&'static str>,
}

impl Writer {
    fn schema(&mut self, name: &str) -> Option<Result<Arc<Schema>, Circle>> {
        if let Some(schema) = special::instead(name, self.release) {
            return Some(Ok(Arc::new(schema)));
        }
        let definition = find(name)?;
        let key = (self.release, definition.name);
        let written = || WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = written().get(&key) {
            return Some(Ok(Arc::clone(schema)));
        }
        if special::holds_itself(name) || self.open.contains(&definition.name) {
            return Some(Err(Circle));
        }
        self.open.push(definition.name);
        let mut published = parsed(definition.text);
        let has = |field: &String| self.release.has(name, field);
        published.properties.retain(|field, _| has(field));
        published.required.retain(has);
        let schema = self.written_out(published);
        self.open.pop();
        Some(schema.map(|mut schema| {
            markers::add(name, Arc::make_mut(&mut schema));
            Arc::clone(written().entry(key).or_insert(schema))
        }))
    }

    fn written_out(&mut self, published: Published) -> Result<Arc<Schema>, Circle> {
        if let Some(name) = &published.reference {
            return self.referred(name, &published);
        }
        let mut properties = BTreeMap::new();
        for (name, property) in published.properties {
            properties.insert(name, self.written_out(property)?);
        }
        let items = self.inner(published.items)?;
        let (list_type, list_map_keys) = match is_loose(items.as_deref(), &published.list_map_keys)
        {
            true => (Some(ListType::Atomic), Vec::new()),
            false => (published.list_type, published.list_map_keys),
        };
        Ok(Arc::new(Schema {
            description: published.description,
            type_: published.type_,
            format: published.format,
            default: published.default,
            items,
            properties,
            required: published.required,
            additional_properties: self.inner(published.additional_properties)?,
            list_type,
            list_map_keys,
            map_type: published.map_type,
            ..Schema::default()
        }))
    }

    fn inner(&mut self, schema: Option<Box<Published>>) -> Result<Option<Arc<Schema>>, Circle> {
        schema.map(|schema| self.written_out(*schema)).transpose()
    }

    /// A definition as a place refers to it, which may say more exactly what it is there.
    #[expect(clippy::expect_used, reason = "a test follows every reference")]
    fn referred(&mut self, name: &str, place: &Published) -> Result<Arc<Schema>, Circle> {
        let mut schema = self.schema(name).expect("a published definition")?;
        if place.description.is_some() || place.map_type.is_some() {
            let schema = Arc::make_mut(&mut schema);
            schema.description = place.description.clone().or(schema.description.take());
            schema.map_type = place.map_type.or(schema.map_type);
        }
        Ok(schema)
    }
}

/// Whether items of a list may lack a key: the API server has such lists, and forbids them in a
/// CRD.
fn is_loose(item: Option<&Schema>, keys: &[String]) -> bool {
    item.is_some_and(|item| {
        keys.iter().any(|key| {
            let property = item.properties.get(key);
            let has_default = property.is_some_and(|property| property.default.is_some());
            !has_default && !item.required.contains(key)
        })
    })
}

#[expect(clippy::expect_used, reason = "a test parses every definition")]
fn parsed(text: &str) -> Published {
    serde_json::from_str(text).expect("a published schema")
}
