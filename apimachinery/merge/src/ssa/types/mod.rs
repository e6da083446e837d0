//! Types for server-side apply: how scalars, lists and maps merge, and which of their parts have an
//! owner.

mod custom;
mod published;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// Type of a value: an index into [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeId(u32);

/// Type of schemaless data that has one owner as a whole.
pub(super) const UNTYPED: TypeId = TypeId(0);
/// Type of schemaless data in which each map entry has its own owner. A list has one owner as a
/// whole.
pub(super) const DEDUCED: TypeId = TypeId(1);

/// All types that the versions of a kind refer to.
///
/// Source: structured-merge-diff, schema/elements.go.
#[derive(Clone, Debug)]
pub struct Types {
    atoms: Vec<Atom>,
    /// Types of published definitions that are already in `atoms`, by name.
    named: BTreeMap<String, TypeId>,
}

/// Type of a value. It has a part for each form that the value may have: scalar, list or map.
#[derive(Clone, Debug, Default)]
pub(super) struct Atom {
    pub(super) scalar: Option<Scalar>,
    pub(super) list: Option<List>,
    pub(super) map: Option<Map>,
    /// Whether structured-merge-diff refers to this type by name (`TypeRef.NamedType`).
    named: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Numeric,
    String,
    Boolean,
    Untyped,
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) items: TypeId,
    pub(super) merge: ListMerge,
}

/// Merge of a list: as one value, or item by item, with items matched by identity.
#[derive(Clone, Debug)]
pub(super) enum ListMerge {
    /// The list has one owner as a whole.
    Atomic,
    /// Items are scalars. An item's identity is its value.
    Set,
    /// Items are maps. An item's identity consists of the values of these fields.
    Map(Keys),
}

/// Fields that identify the items of a list.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// Names in the order of `x-kubernetes-list-map-keys`.
    pub(super) names: Vec<String>,
    /// The same keys, sorted by name.
    pub(super) sorted: Vec<ListKey>,
}

/// Field that identifies the items of a list.
#[derive(Clone, Debug)]
pub(super) struct ListKey {
    pub(super) name: Arc<str>,
    /// Value of the field in items that omit it.
    pub(super) default: Option<Value>,
}

/// Type of a struct, a map, or a combination of both.
#[derive(Clone, Debug)]
pub(super) struct Map {
    /// Sorted by name.
    fields: Vec<(Arc<str>, TypeId)>,
    /// Type of undeclared entries. `None` if such entries are not allowed.
    pub(super) others: Option<TypeId>,
    pub(super) atomic: bool,
}

impl Map {
    fn new(mut fields: Vec<(Arc<str>, TypeId)>, others: Option<TypeId>, atomic: bool) -> Self {
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self {
            fields,
            others,
            atomic,
        }
    }

    /// Returns the name and type of a declared field.
    pub(super) fn field(&self, name: &str) -> Option<&(Arc<str>, TypeId)> {
        let found = self
            .fields
            .binary_search_by(|(field, _)| (**field).cmp(name));
        found.ok().map(|at| &self.fields[at])
    }

    pub(super) fn field_type(&self, name: &str) -> Option<TypeId> {
        self.field(name)
            .map_or(self.others, |(_, type_)| Some(*type_))
    }

    /// Returns the name and type of a field or entry, and whether it is declared.
    pub(super) fn entry(&self, name: &str) -> (Arc<str>, Option<TypeId>, bool) {
        match self.field(name) {
            Some((name, type_)) => (Arc::clone(name), Some(*type_), true),
            None => (name.into(), self.others, false),
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl Types {
    /// Creates a collection that contains only the types of schemaless data.
    pub fn new() -> Self {
        Self {
            atoms: vec![
                schemaless_atom(UNTYPED, true),
                schemaless_atom(DEDUCED, false),
            ],
            named: BTreeMap::new(),
        }
    }

    pub(super) fn atom(&self, type_: TypeId) -> &Atom {
        &self.atoms[type_.0 as usize]
    }

    /// Adds an empty type, so that other types can refer to it before it is set.
    fn reserve(&mut self) -> TypeId {
        self.add(Atom::default())
    }

    #[expect(clippy::cast_possible_truncation, reason = "a schema has fewer types")]
    fn add(&mut self, atom: Atom) -> TypeId {
        self.atoms.push(atom);
        TypeId(self.atoms.len() as u32 - 1)
    }

    fn set(&mut self, type_: TypeId, atom: Atom) {
        self.atoms[type_.0 as usize] = atom;
    }

    fn name(&mut self, type_: TypeId, atom: Atom) {
        let named = true;
        self.set(type_, Atom { named, ..atom });
    }

    /// Returns whether a map declares no fields, and its entries have the type [`DEDUCED`] or an
    /// unnamed type that allows any scalar. Owned paths in such a map are not reconciled.
    ///
    /// Source: structured-merge-diff, typed/reconcile_schema.go, `isUntypedDeducedMap`.
    pub(super) fn is_deduced(&self, map: &Map) -> bool {
        let untyped = |type_: TypeId| match type_ {
            UNTYPED => false,
            DEDUCED => true,
            type_ => {
                let atom = self.atom(type_);
                !atom.named && atom.scalar == Some(Scalar::Untyped)
            }
        };
        map.fields.is_empty() && map.others.is_some_and(untyped)
    }

    /// Returns the keys of a list. `default` returns the default of a key field.
    fn keys(names: &[String], default: impl Fn(&str) -> Option<Value>) -> Keys {
        let key = |name: &String| ListKey {
            name: name.as_str().into(),
            default: default(name).filter(|default| !default.is_null()),
        };
        let mut sorted: Vec<_> = names.iter().map(key).collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        Keys {
            names: names.to_vec(),
            sorted,
        }
    }
}

/// Returns the type of schemaless data. Map entries have the type `maps`.
fn schemaless_atom(maps: TypeId, atomic: bool) -> Atom {
    Atom {
        scalar: Some(Scalar::Untyped),
        list: Some(List {
            items: UNTYPED,
            merge: ListMerge::Atomic,
        }),
        map: Some(Map::new(Vec::new(), Some(maps), atomic)),
        named: true,
    }
}

/// Returns the scalar type of a JSON type with a format. A string with a format other than `byte`
/// may be any scalar.
///
/// Source: kube-openapi, pkg/schemaconv/smd.go, `convertPrimitive`.
fn scalar(type_: genclient_schema::JsonType, format: Option<&str>) -> Scalar {
    use genclient_schema::JsonType;
    match (type_, format) {
        (JsonType::Integer | JsonType::Number, _) => Scalar::Numeric,
        (JsonType::String, None | Some("" | "byte")) => Scalar::String,
        (JsonType::Boolean, _) => Scalar::Boolean,
        _ => Scalar::Untyped,
    }
}
