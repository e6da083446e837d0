//! Published schemas of Kubernetes' built-in types.
//!
//! `hack/kubernetes-schemas.sh` fetches them from a running API server. A definition is parsed on
//! first use and cached.

mod release;
mod special;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use crate::{JsonType, ListType, MapType, Schema};
pub use release::Release;
pub use special::{QUANTITY, anything, open_object};

/// The definitions, one per line and sorted. A line is a name, a tab and a schema.
pub const PUBLISHED: &str = include_str!("../../data/kubernetes.tsv");

/// Error for a recursive definition, which cannot be expanded.
#[derive(Debug, PartialEq)]
pub struct RecursiveDefinition;

/// A published schema, in which `$ref` names other definitions. A description and a map type beside
/// `$ref` override those of the definition.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of the keywords")]
pub struct Published {
    #[serde(rename = "$ref")]
    pub reference: Option<String>,
    pub description: Option<String>,
    #[serde(rename = "type")]
    pub type_: Option<JsonType>,
    pub format: Option<String>,
    pub default: Option<Value>,
    /// The values of a Go type with `+enum`. They are not used as a constraint, because the API
    /// server accepts other values: `""` in some optional fields, such as `effect` of a toleration,
    /// and new values in a later release.
    #[serde(rename = "enum")]
    _enum: Vec<Value>,
    /// The two types of Quantity and IntOrString, which have schemas of their own.
    #[serde(rename = "oneOf")]
    _one_of: Vec<Value>,
    pub items: Option<Box<Published>>,
    pub properties: BTreeMap<String, Published>,
    pub required: BTreeSet<String>,
    pub additional_properties: Option<Box<Published>>,
    #[serde(rename = "x-kubernetes-list-type")]
    pub list_type: Option<ListType>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    pub map_type: Option<MapType>,
}

/// A named schema, as unparsed JSON.
struct Definition {
    name: &'static str,
    text: &'static str,
    /// Whether it describes a kind, once somebody has asked.
    is_kind: OnceLock<bool>,
}

impl Definition {
    fn is_kind(&self) -> bool {
        *self.is_kind.get_or_init(|| {
            let published = parsed(self.text);
            let has = |property| published.properties.contains_key(property);
            has("apiVersion") && has("kind") && has("metadata") && !has("items")
        })
    }
}

/// Cache of expanded definitions, by release and name.
type Written = BTreeMap<(Release, &'static str), Arc<Schema>>;

static WRITTEN: Mutex<Written> = Mutex::new(Written::new());

/// All definitions, sorted by name.
static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let lines = PUBLISHED.lines();
    let named = lines.filter_map(|line| line.split_once('\t'));
    named
        .map(|(name, text)| Definition {
            name,
            text,
            is_kind: OnceLock::new(),
        })
        .collect()
});

fn find(name: &str) -> Option<&'static Definition> {
    let found = DEFINITIONS.binary_search_by_key(&name, |definition| definition.name);
    found.ok().map(|at| &DEFINITIONS[at])
}

/// Returns whether a definition of that name exists.
pub fn contains(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the published JSON of a definition, in which `$ref` names other definitions.
pub fn published(name: &str) -> Option<&'static str> {
    find(name).map(|definition| definition.text)
}

/// Returns a definition, in which `$ref` names other definitions.
pub fn definition(name: &str) -> Option<Published> {
    find(name).map(|definition| parsed(definition.text))
}

/// Returns whether a definition describes a kind, not a part of a kind or a list of objects.
pub fn is_kind(name: &str) -> bool {
    find(name).is_some_and(Definition::is_kind)
}

/// Returns the names of all definitions, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    DEFINITIONS.iter().map(|definition| definition.name)
}

/// Returns the schema of a definition with all references expanded, or `None` if the name is
/// unknown. A recursive definition is an error ([`RecursiveDefinition`]).
pub fn schema(name: &str, release: Release) -> Option<Result<Arc<Schema>, RecursiveDefinition>> {
    let open = Vec::new();
    Writer { release, open }.schema(name)
}

/// Expansion of the references in definitions.
struct Writer {
    release: Release,
    /// The definitions being expanded, to detect recursion.
    open: Vec<&'static str>,
}

impl Writer {
    fn schema(&mut self, name: &str) -> Option<Result<Arc<Schema>, RecursiveDefinition>> {
        if let Some(schema) = special::instead(name, self.release) {
            return Some(Ok(Arc::new(schema)));
        }
        let definition = find(name)?;
        let key = (self.release, definition.name);
        let written = || WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = written().get(&key) {
            return Some(Ok(Arc::clone(schema)));
        }
        if special::is_hidden_circle(name) || self.open.contains(&definition.name) {
            return Some(Err(RecursiveDefinition));
        }
        self.open.push(definition.name);
        let mut published = parsed(definition.text);
        let has = |field: &String| self.release.has(name, field);
        published.properties.retain(|field, _| has(field));
        published.required.retain(has);
        let schema = self.written_out(published);
        self.open.pop();
        Some(schema.map(|mut schema| {
            special::add_constraints(name, Arc::make_mut(&mut schema));
            Arc::clone(written().entry(key).or_insert(schema))
        }))
    }

    fn written_out(&mut self, published: Published) -> Result<Arc<Schema>, RecursiveDefinition> {
        if let Some(name) = &published.reference {
            return self.referred(name, &published);
        }
        let mut properties = BTreeMap::new();
        for (name, property) in published.properties {
            properties.insert(name, self.written_out(property)?);
        }
        let items = self.inner(published.items)?;
        let (list_type, list_map_keys) = if is_loose(items.as_deref(), &published.list_map_keys) {
            (Some(ListType::Atomic), Vec::new())
        } else {
            (published.list_type, published.list_map_keys)
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

    fn inner(
        &mut self,
        schema: Option<Box<Published>>,
    ) -> Result<Option<Arc<Schema>>, RecursiveDefinition> {
        schema.map(|schema| self.written_out(*schema)).transpose()
    }

    /// Returns a referenced definition with the description and map type stated at the reference.
    #[expect(clippy::expect_used, reason = "a test follows every reference")]
    fn referred(
        &mut self,
        name: &str,
        place: &Published,
    ) -> Result<Arc<Schema>, RecursiveDefinition> {
        let mut schema = self.schema(name).expect("a published definition")?;
        if place.description.is_some() || place.map_type.is_some() {
            let schema = Arc::make_mut(&mut schema);
            schema.description = place.description.clone().or(schema.description.take());
            schema.map_type = place.map_type.or(schema.map_type);
        }
        Ok(schema)
    }
}

/// Returns whether items may lack a merge key. A built-in type may have a list of such items. A CRD
/// may not, so the list becomes atomic.
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
