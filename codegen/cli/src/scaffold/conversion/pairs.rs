//! Pairs of corresponding types in two versions, and the state of their conversions.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Field, Item, ItemStruct, Member};

use super::value::{self, FieldType, Pairs};
use super::version_types::{self, TypeId, VersionTypes, are_alike, are_visible};

/// One version of a kind.
#[derive(Clone, Copy)]
pub(super) struct VersionSide<'a> {
    /// `v1`
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
    pub(super) types: &'a VersionTypes,
    /// True for the hub. Generated code names the hub's types by their module, such as `v2::Size`,
    /// and imports each type of the spoke by its name.
    pub(super) is_hub: bool,
}

/// A type of the spoke, and the corresponding type of the hub.
pub(super) type Pair = (TypeId, TypeId);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    ToHub,
    FromHub,
}

impl Direction {
    pub(super) fn back(self) -> Self {
        match self {
            Self::ToHub => Self::FromHub,
            Self::FromHub => Self::ToHub,
        }
    }

    /// The source and target of a pair.
    pub(super) fn source_and_target(self, (spoke, hub): Pair) -> (TypeId, TypeId) {
        match self {
            Self::ToHub => (spoke, hub),
            Self::FromHub => (hub, spoke),
        }
    }

    /// The pair of a source and a target type.
    pub(super) fn pair(self, from: TypeId, to: TypeId) -> Pair {
        self.source_and_target((from, to))
    }
}

/// Conversions between two versions, collected while their code is generated.
pub(super) struct Conversions<'a> {
    pub(super) spoke: VersionSide<'a>,
    pub(super) hub: VersionSide<'a>,
    /// The pair of the kind, and the pairs of all types that its fields use, directly or not.
    pub(super) pairs: Vec<Pair>,
    /// Pairs of types that occur in a box, list, set, map or enum variant. Their fields are not
    /// restored from the spoke's annotation: a list item, for example, has no known counterpart.
    pub(super) nested: BTreeSet<Pair>,
    pub(super) fallible: BTreeSet<(Pair, Direction)>,
    /// Fields that only the hub has, for pairs that are not nested.
    pub(super) hub_only: BTreeMap<Pair, Vec<Member>>,
    pub(super) gaps: Vec<String>,
}

impl<'a> Conversions<'a> {
    /// The version that a conversion in this direction results in.
    pub(super) fn side(&self, direction: Direction) -> VersionSide<'a> {
        match direction {
            Direction::ToHub => self.hub,
            Direction::FromHub => self.spoke,
        }
    }

    /// True if the conversion file can access both types, and neither has generics. Both must be
    /// enums, or structs with visible fields of the same form.
    pub(super) fn is_convertible(&self, (spoke, hub): Pair) -> bool {
        let is_reached = self.spoke.types.path(spoke, false).is_some()
            && self.hub.types.path(hub, true).is_some();
        is_reached
            && match (self.spoke.types.item(spoke), self.hub.types.item(hub)) {
                (Item::Struct(one), Item::Struct(other)) => {
                    let is_open =
                        |it: &ItemStruct| it.generics.params.is_empty() && are_visible(&it.fields);
                    is_open(one) && is_open(other) && are_alike(&one.fields, &other.fields)
                }
                (Item::Enum(one), Item::Enum(other)) => {
                    one.generics.params.is_empty() && other.generics.params.is_empty()
                }
                _ => false,
            }
    }

    /// Whether an existing conversion of the pair can fail; `None` if no conversion exists. Another
    /// kind's file may already convert a shared type.
    pub(super) fn written(&self, pair: Pair, direction: Direction) -> Option<bool> {
        let (spoke, hub) = (self.spoke.name(pair.0), self.hub.name(pair.1));
        let module = self.hub.types.module();
        [("From", false), ("TryFrom", true)]
            .into_iter()
            .find(|(of, _)| {
                self.spoke.types.impls(of).any(|(of, ty)| {
                    let (Some(from), Some(to)) =
                        (value::first_type_argument(of), version_types::type_path(ty))
                    else {
                        return false;
                    };
                    let (spoke_path, hub_path) = match direction {
                        Direction::ToHub => (from, to),
                        Direction::FromHub => (to, from),
                    };
                    value::is_path(spoke_path, None, &spoke)
                        && value::is_path(hub_path, Some(&module), &hub)
                })
            })
            .map(|(_, is_fallible)| is_fallible)
    }
}

impl<'a> VersionSide<'a> {
    pub(super) fn typed(self, of: TypeId, field: &'a Field) -> FieldType<'a> {
        FieldType {
            types: self.types,
            file: of.file,
            ty: &field.ty,
        }
    }

    /// The path of a type in a conversion file, which imports types of the spoke by name.
    pub(super) fn path(self, id: TypeId) -> String {
        let path = self.types.path(id, self.is_hub).unwrap_or_default();
        if self.is_hub {
            format!("{}::{path}", self.types.module())
        } else {
            path.rsplit("::").next().unwrap_or_default().to_owned()
        }
    }

    /// The path of a type in a conversion file that does not import it by name.
    fn full_path(self, id: TypeId) -> String {
        if self.is_hub {
            self.path(id)
        } else {
            format!("super::{}", self.types.path(id, false).unwrap_or_default())
        }
    }

    pub(super) fn name(self, id: TypeId) -> String {
        let path = self.path(id);
        path.rsplit("::").next().unwrap_or_default().to_owned()
    }
}

/// Conversions in one direction.
pub(super) struct Toward<'c, 'a> {
    pub(super) all: &'c mut Conversions<'a>,
    pub(super) direction: Direction,
}

impl<'a> Toward<'_, 'a> {
    pub(super) fn from(&self) -> VersionSide<'a> {
        self.all.side(self.direction.back())
    }

    pub(super) fn to(&self) -> VersionSide<'a> {
        self.all.side(self.direction)
    }

    pub(super) fn source(&self, of: TypeId, field: &'a Field) -> FieldType<'a> {
        self.from().typed(of, field)
    }

    pub(super) fn target(&self, of: TypeId, field: &'a Field) -> FieldType<'a> {
        self.to().typed(of, field)
    }

    /// Records a field that is missing in the source version of `direction`. Returns the error text
    /// for generated code.
    pub(super) fn lacks(&mut self, direction: Direction, of: &str, name: &Member) -> String {
        let version = self.all.side(direction.back()).version;
        let name = display_member(name);
        self.gap(format!("`{name}` of {of}: {version} has no such field"))
    }

    /// Records a field whose types are incompatible. Returns the error text for generated code.
    pub(super) fn differs(&mut self, of: &str, name: &Member) -> String {
        let (name, hub) = (display_member(name), self.all.hub.version);
        self.gap(format!("`{name}` of {of}: it has another type in {hub}"))
    }

    pub(super) fn gap(&mut self, gap: String) -> String {
        let text = format!("cannot convert {gap}");
        if !self.all.gaps.contains(&gap) {
            self.all.gaps.push(gap);
        }
        text
    }
}

impl Pairs for Toward<'_, '_> {
    fn convert(&mut self, from: TypeId, to: TypeId, is_nested: bool) -> Option<(String, bool)> {
        let pair = self.direction.pair(from, to);
        if !self.all.is_convertible(pair) {
            return None;
        }
        if !self.all.pairs.contains(&pair) {
            self.all.pairs.push(pair);
        }
        if is_nested {
            self.all.nested.insert(pair);
        }
        match self.all.written(pair, self.direction) {
            Some(is_fallible) => Some((self.to().full_path(to), is_fallible)),
            None => {
                let is_fallible = self.all.fallible.contains(&(pair, self.direction));
                Some((self.to().path(to), is_fallible))
            }
        }
    }
}

/// The name or index as source code.
pub(super) fn member_code(name: &Member) -> String {
    match name {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn display_member(name: &Member) -> String {
    member_code(name).trim_start_matches("r#").to_owned()
}
