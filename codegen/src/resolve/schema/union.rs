//! Combination of schemas: the union of several, with one structure and a branch for each schema's
//! differences, and conditions added to a schema.
//!
//! A structural schema states types, descriptions, defaults and rules once. The branches of `oneOf`
//! and `anyOf` hold only constraints, such as bounds, patterns, `enum` values and required names.

use std::collections::BTreeSet;

use genclient_apimachinery::strfmt;
use serde_json::Value;

use crate::model::{JsonType, Schema};

pub(super) struct Union {
    /// Keywords that the schemas have in common, and keywords that branches cannot hold.
    pub(super) structure: Schema,
    /// For each schema, in order, the constraints that the structure does not express.
    pub(super) branches: Vec<Schema>,
}

/// Reason why two schemas cannot be merged.
pub(super) struct Conflict {
    /// Path of the field in which the schemas differ.
    pub(super) path: Vec<String>,
    /// Indexes of the two schemas in the argument of [`merge_schemas`].
    pub(super) between: (usize, usize),
    pub(super) reason: ConflictReason,
}

/// The difference that a branch cannot express.
pub(super) enum ConflictReason {
    /// Two types, by their names in messages.
    Types(String, String),
    /// A default of a field that another schema lacks. The API server would set the field in values
    /// of the other schema as well.
    Default,
    /// Another keyword that a branch cannot hold, by its name in messages.
    Keyword(&'static str),
}

/// Merges schemas, of which there must be at least one.
pub(super) fn merge_schemas(schemas: &[&Schema]) -> Result<Union, Conflict> {
    let members: Vec<_> = schemas.iter().copied().enumerate().collect();
    let count = schemas.len();
    Merge { count }.schemas(&members, &mut Vec::new())
}

/// Moves the `enum` of a schema into `allOf`, and adds `null` to it, so that `null` passes. Callers
/// check that the schema is nullable.
///
/// The API server refuses `null` for an `enum` beside `nullable`, even if the `enum` lists `null`.
/// It does not apply `allOf` to `null`. Other validators do, so `null` is added for them.
pub(super) fn admit_null(schema: &mut Schema) {
    let mut values = std::mem::take(&mut schema.enum_);
    if !values.is_empty() {
        if !values.contains(&Value::Null) {
            values.push(Value::Null);
        }
        schema.all_of.push(Schema {
            enum_: values,
            ..Schema::default()
        });
    }
}

/// Returns the schema without the keywords that are for people only.
fn without_annotations(schema: &Schema) -> Schema {
    Schema {
        description: None,
        title: None,
        example: None,
        external_docs: None,
        ..schema.clone()
    }
}

/// Schemas to merge: those passed to [`merge_schemas`], or the schemas of one of their fields or of
/// their items. The number before a schema is the index of the whole schema in the argument of
/// [`merge_schemas`].
type Members<'a> = [(usize, &'a Schema)];

struct Merge {
    /// Number of schemas passed to [`merge_schemas`].
    count: usize,
}

/// Moves keywords into the branches unless they are equal in all schemas.
macro_rules! move_differing_to_branches {
    ($members:ident, $union:ident, $($field:ident),+) => {
        if $members.iter().any(|(_, schema)| ($(&schema.$field,)+) != ($(&$members[0].1.$field,)+)) {
            $($union.structure.$field = Default::default();)+
            for (branch, (_, schema)) in $union.branches.iter_mut().zip($members) {
                $(branch.$field = schema.$field.clone();)+
            }
        }
    };
}

impl Merge {
    fn schemas(&self, members: &Members<'_>, path: &mut Vec<String>) -> Result<Union, Conflict> {
        let first = without_annotations(members[0].1);
        let equal = |(_, schema): &(usize, &Schema)| without_annotations(schema) == first;
        let known = members.iter().all(|(_, schema)| !schema.is_unknown());
        let described = members
            .iter()
            .find(|(_, schema)| schema.description.is_some());
        let mut union = Union {
            structure: described.unwrap_or(&members[0]).1.clone(),
            branches: vec![Schema::default(); members.len()],
        };
        if members.iter().all(equal) || !known {
            return Ok(union);
        }
        let description = &members[0].1.description;
        let agree = |(_, schema): &(usize, &Schema)| schema.description == *description;
        union.structure = if members.iter().all(agree) {
            members[0].1.clone()
        } else {
            // The description of one schema does not apply to the others.
            first
        };
        self.compare(members, path)?;
        union.structure.nullable = members.iter().any(|(_, schema)| schema.nullable);
        union.structure.preserve_unknown_fields = members
            .iter()
            .any(|(_, schema)| schema.preserve_unknown_fields);
        if union.structure.type_.is_none() {
            union.structure.type_ = members.iter().find_map(|(_, schema)| schema.type_);
        }
        merge_bounds(members, &mut union);
        merge_values(members, &mut union);
        self.items(members, &mut union, path)?;
        self.properties(members, &mut union, path)?;
        merge_required(members, &mut union);
        Ok(union)
    }

    /// Checks that the schemas agree in the keywords that a branch cannot hold.
    fn compare(&self, members: &Members<'_>, path: &[String]) -> Result<(), Conflict> {
        let (left, first) = members[0];
        for (right, schema) in members.iter().skip(1) {
            let conflict = |reason| {
                Err(Conflict {
                    path: path.to_vec(),
                    between: (left, *right),
                    reason,
                })
            };
            if type_name(first) != type_name(schema) {
                return conflict(ConflictReason::Types(type_name(first), type_name(schema)));
            }
            let keywords = [
                ("default", first.default == schema.default),
                ("rule", first.validations == schema.validations),
                (
                    "list type",
                    (&first.list_type, &first.list_map_keys)
                        == (&schema.list_type, &schema.list_map_keys),
                ),
                ("map type", first.map_type == schema.map_type),
                (
                    "kind of embedded resource",
                    first.embedded_resource == schema.embedded_resource,
                ),
                (
                    "value type",
                    first.additional_properties == schema.additional_properties,
                ),
            ];
            if let Some((what, _)) = keywords.into_iter().find(|(_, equal)| !equal) {
                return conflict(ConflictReason::Keyword(what));
            }
        }
        Ok(())
    }

    fn items(
        &self,
        members: &Members<'_>,
        union: &mut Union,
        path: &mut Vec<String>,
    ) -> Result<(), Conflict> {
        let items: Vec<_> = members
            .iter()
            .filter_map(|(at, schema)| Some((*at, schema.items.as_deref()?)))
            .collect();
        if items.len() < members.len() {
            return Ok(());
        }
        path.push("items".to_owned());
        let inner = self.schemas(&items, path)?;
        path.pop();
        union.structure.items = Some(inner.structure.into());
        for (branch, of_items) in union.branches.iter_mut().zip(inner.branches) {
            branch.items = (of_items != Schema::default()).then(|| of_items.into());
        }
        Ok(())
    }

    fn properties(
        &self,
        members: &Members<'_>,
        union: &mut Union,
        path: &mut Vec<String>,
    ) -> Result<(), Conflict> {
        let names: BTreeSet<&String> = members
            .iter()
            .flat_map(|(_, schema)| schema.properties.keys())
            .collect();
        for name in names {
            path.push(name.clone());
            let indexes: Vec<usize> = (0..members.len())
                .filter(|index| members[*index].1.properties.contains_key(name))
                .collect();
            let having: Vec<_> = indexes
                .iter()
                .map(|index| (members[*index].0, &*members[*index].1.properties[name]))
                .collect();
            self.refuse_default(members, &having, path)?;
            let inner = self.schemas(&having, path)?;
            let of_all = &mut union.structure.properties;
            of_all.insert(name.clone(), inner.structure.into());
            for (index, branch) in indexes.into_iter().zip(inner.branches) {
                if branch != Schema::default() {
                    let of_one = &mut union.branches[index].properties;
                    of_one.insert(name.clone(), branch.into());
                }
            }
            path.pop();
        }
        Ok(())
    }

    /// Refuses a default in a field that some schemas lack: the API server would fill the field in
    /// for all schemas.
    fn refuse_default(
        &self,
        members: &Members<'_>,
        having: &Members<'_>,
        path: &[String],
    ) -> Result<(), Conflict> {
        let defaulted = having.iter().find(|(_, schema)| schema.default.is_some());
        let without = (0..self.count).find(|at| {
            members.iter().any(|(member, _)| member == at)
                && having.iter().all(|(member, _)| member != at)
        });
        match (defaulted, without) {
            (Some((left, _)), Some(right)) => Err(Conflict {
                path: path.to_vec(),
                between: (*left, right),
                reason: ConflictReason::Default,
            }),
            _ => Ok(()),
        }
    }
}

/// Name of a schema's type in messages. Two schemas can be merged only if these names are equal.
fn type_name(schema: &Schema) -> String {
    let name = match schema.type_ {
        _ if schema.int_or_string => "an integer or a string",
        Some(JsonType::Integer) => "an integer",
        Some(JsonType::Array) => "a list",
        Some(JsonType::Object) if schema.additional_properties.is_some() => "a map",
        Some(JsonType::Object) => "an object",
        Some(other) => return format!("a {other}"),
        None => "of any type",
    };
    name.to_owned()
}

fn merge_bounds(members: &Members<'_>, union: &mut Union) {
    move_differing_to_branches!(members, union, format);
    move_differing_to_branches!(members, union, minimum, exclusive_minimum);
    move_differing_to_branches!(members, union, maximum, exclusive_maximum);
    move_differing_to_branches!(members, union, multiple_of);
    move_differing_to_branches!(members, union, min_length);
    move_differing_to_branches!(members, union, max_length);
    move_differing_to_branches!(members, union, pattern);
    move_differing_to_branches!(members, union, min_items);
    move_differing_to_branches!(members, union, max_items);
    move_differing_to_branches!(members, union, min_properties);
    move_differing_to_branches!(members, union, max_properties);
    move_differing_to_branches!(members, union, all_of);
    move_differing_to_branches!(members, union, any_of);
    move_differing_to_branches!(members, union, one_of);
    move_differing_to_branches!(members, union, not);
    formats_as_bounds(union);
}

/// Moves numeric formats out of branches, since the API server accepts them only beside a type.
/// `int32` becomes bounds. If every branch has a format, the structure gets the widest.
fn formats_as_bounds(union: &mut Union) {
    let of_branches = union.branches.iter().map(|branch| &branch.format);
    let wider = of_branches
        .flatten()
        .filter(|format| strfmt::is_numeric(format))
        .min_by_key(|format| matches!(format.as_str(), "int32" | "float"));
    let Some(wider) = wider.cloned() else {
        return;
    };
    let all_have_one = union.branches.iter().all(|branch| branch.format.is_some());
    union.structure.format = all_have_one.then_some(wider);
    for branch in &mut union.branches {
        if branch.format.take().as_deref() == Some("int32") {
            branch.minimum.get_or_insert_with(|| i32::MIN.into());
            branch.maximum.get_or_insert_with(|| i32::MAX.into());
        }
    }
}

/// Moves `enum` values that differ into the branches. If every schema has values, the structure
/// lists all of them as well, since editors and `kubectl explain` ignore branches.
fn merge_values(members: &Members<'_>, union: &mut Union) {
    move_differing_to_branches!(members, union, enum_);
    if members.iter().all(|(_, schema)| !schema.enum_.is_empty()) {
        let mut all: Vec<Value> = Vec::new();
        for value in members.iter().flat_map(|(_, schema)| &schema.enum_) {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        union.structure.enum_ = all;
    }
}

fn merge_required(members: &Members<'_>, union: &mut Union) {
    let first = &members[0].1.required;
    if members.iter().all(|(_, schema)| schema.required == *first) {
        return;
    }
    let by_all = |name: &&String| {
        members
            .iter()
            .all(|(_, schema)| schema.required.contains(*name))
    };
    union.structure.required = first.iter().filter(by_all).cloned().collect();
    for (branch, (_, schema)) in union.branches.iter_mut().zip(members) {
        branch.required.clone_from(&schema.required);
    }
}

/// Returns the condition that none of these fields is present.
pub(super) fn forbid_fields(names: &[&String]) -> Schema {
    let mut each: Vec<Schema> = names
        .iter()
        .map(|name| Schema {
            required: [(*name).clone()].into(),
            ..Schema::default()
        })
        .collect();
    let any = match each.len() {
        1 => each.remove(0),
        _ => Schema {
            any_of: each,
            ..Schema::default()
        },
    };
    Schema {
        not: Some(Box::new(any)),
        ..Schema::default()
    }
}

/// Adds a condition to a schema. A keyword of the condition that the schema already has, such as
/// `oneOf`, goes into `allOf`.
pub(super) fn add_condition(schema: &mut Schema, condition: Schema) {
    let none = Schema::default;
    schema.all_of.extend(condition.all_of);
    let parts = [
        Schema {
            one_of: condition.one_of,
            ..none()
        },
        Schema {
            any_of: condition.any_of,
            ..none()
        },
        Schema {
            not: condition.not,
            ..none()
        },
    ];
    for part in parts.into_iter().filter(|part| *part != none()) {
        let taken = (!part.one_of.is_empty() && !schema.one_of.is_empty())
            || (!part.any_of.is_empty() && !schema.any_of.is_empty())
            || (part.not.is_some() && schema.not.is_some());
        if taken {
            schema.all_of.push(part);
        } else {
            schema.one_of.extend(part.one_of);
            schema.any_of.extend(part.any_of);
            schema.not = part.not.or(schema.not.take());
        }
    }
}
