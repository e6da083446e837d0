//! The schemas that the API server publishes for its own types.
//!
//! `hack/kubernetes-schemas.sh` takes them from a running one. Nothing is parsed before it is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;

use super::{markers, special};
use crate::model::Schema;

/// One definition a line, sorted: its name, a tab, its schema.
pub(super) const PUBLISHED: &str = include_str!("../../../../data/kubernetes.tsv");

/// A definition that cannot be written out, as it contains itself.
#[derive(Debug, PartialEq)]
pub(super) struct Circle;

/// A published schema; a reference stands in the place of what it names, and may have a description of its own.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Published {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    description: Option<String>,
    #[serde(rename = "type")]
    type_: Option<String>,
    format: Option<String>,
    default: Option<Value>,
    #[serde(rename = "enum")]
    enum_: Vec<Value>,
    items: Option<Box<Published>>,
    properties: BTreeMap<String, Published>,
    required: BTreeSet<String>,
    additional_properties: Option<Box<Published>>,
    #[serde(rename = "x-kubernetes-list-type")]
    list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    map_type: Option<String>,
}

/// True if a definition has that name.
pub(super) fn contains(name: &str) -> bool {
    find(name).is_some()
}

/// The names of all definitions, sorted.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DEFINITIONS.iter().map(|(name, _)| *name)
}

/// The names and texts of all definitions, sorted.
static DEFINITIONS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = PUBLISHED.lines();
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// The text of the definition with that name.
fn find(name: &str) -> Option<&'static str> {
    let found = DEFINITIONS.binary_search_by_key(&name, |(name, _)| name);
    found.ok().map(|at| DEFINITIONS[at].1)
}

/// Writes definitions out, with everything that they refer to.
#[derive(Default)]
pub(super) struct Definitions {
    /// Each is parsed once, however often it is referred to.
    parsed: BTreeMap<&'static str, Rc<Published>>,
    /// The definitions being written out, to find a circle.
    open: Vec<String>,
}

impl Definitions {
    /// The schema of a definition, if there is one of that name.
    pub(super) fn schema(&mut self, name: &str) -> Option<Result<Schema, Circle>> {
        if let Some(schema) = special::instead(name) {
            return Some(Ok(schema));
        }
        let text = find(name)?;
        if special::holds_itself(name) || self.open.iter().any(|open| open == name) {
            return Some(Err(Circle));
        }
        let parsed = self.parsed.entry(text).or_insert_with(|| parsed(text));
        let published = Rc::clone(parsed);
        self.open.push(name.to_owned());
        let schema = self.written_out(&published);
        self.open.pop();
        Some(schema.map(|mut schema| {
            markers::add(name, &mut schema);
            schema
        }))
    }

    fn written_out(&mut self, published: &Published) -> Result<Schema, Circle> {
        if let Some(name) = &published.reference {
            return self.referred(name, published);
        }
        let mut properties = BTreeMap::new();
        for (name, property) in &published.properties {
            properties.insert(name.clone(), self.written_out(property)?.into());
        }
        Ok(Schema {
            description: published.description.clone(),
            type_: published.type_.clone(),
            format: published.format.clone(),
            default: published.default.clone(),
            enum_: published.enum_.clone(),
            items: self.shared(published.items.as_deref())?,
            properties,
            required: published.required.clone(),
            additional_properties: self.shared(published.additional_properties.as_deref())?,
            list_type: published.list_type.clone(),
            list_map_keys: published.list_map_keys.clone(),
            map_type: published.map_type.clone(),
            ..Schema::default()
        })
    }

    fn shared(&mut self, schema: Option<&Published>) -> Result<Option<Arc<Schema>>, Circle> {
        schema
            .map(|schema| self.written_out(schema).map(Arc::new))
            .transpose()
    }

    /// A definition as a place refers to it, which may say more exactly what it is there.
    #[expect(clippy::expect_used, reason = "a test follows every reference")]
    fn referred(&mut self, name: &str, place: &Published) -> Result<Schema, Circle> {
        let schema = self.schema(name).expect("a published definition")?;
        Ok(Schema {
            description: place.description.clone().or(schema.description),
            map_type: place.map_type.clone().or(schema.map_type),
            ..schema
        })
    }
}

#[expect(clippy::expect_used, reason = "a test parses every definition")]
fn parsed(text: &str) -> Rc<Published> {
    serde_json::from_str(text)
        .map(Rc::new)
        .expect("a published schema")
}
