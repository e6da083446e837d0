//! Schema of all variants of an enum: one structure, with a branch for each variant.

use syn::Ident;

use super::variants::Part;
use super::{Around, Tagging};
use crate::model::{JsonType, Schema};
use crate::resolve::schema::union::{self, Cause, Conflict, Union};
use crate::resolve::schema::{Resolver, flatten};

const STATE_IT: &str = "remove `untagged`, so that each variant has its own property, or give a \
    schema that accepts all values: \
    `#[crd(schema = { \"x-kubernetes-preserve-unknown-fields\": true })]`";

impl Resolver<'_, '_> {
    pub(super) fn choice(&mut self, parts: &[Part<'_>], around: &Around) -> Schema {
        let schemas: Vec<&Schema> = parts.iter().map(|part| &part.schema).collect();
        if let Some(schema) = mixed(&schemas) {
            return schema;
        }
        match union::merge(&schemas) {
            Ok(mut union) => {
                close(&mut union, parts);
                let tagged = !matches!(around.tagging, Tagging::Untagged)
                    && parts.iter().all(|part| !part.member.serde.untagged);
                if tagged {
                    exactly_one(union, around.tagging.tag())
                } else {
                    at_least_one(union)
                }
            }
            Err(Conflict {
                cause: Cause::Types(one, another),
                path,
                between: (left, right),
            }) if path.is_empty() && self.is_of_schemars() => {
                let [left, right] = [left, right].map(|at| &parts[at].member.variant.ident);
                let message = format!("`{left}` is {one} and `{right}` is {another}");
                self.any_value(right, message)
            }
            Err(conflict) => {
                self.report_conflict(&conflict, parts, around);
                Schema::default()
            }
        }
    }

    /// Returns a schema that accepts any value, and warns that values are not validated. It is for
    /// types of kube kinds: an enum with variants of several types, such as a string and an object,
    /// or a function that builds a schema with alternatives of several types.
    pub(in crate::resolve::schema) fn any_value(&mut self, at: &Ident, message: String) -> Schema {
        self.warn(
            at,
            format!("{message}, which a structural schema cannot combine: any value is accepted"),
            "to validate values, serialize all variants as objects: remove `untagged`, and add braces to variants without fields",
        );
        Schema {
            preserve_unknown_fields: true,
            ..Schema::default()
        }
    }

    fn report_conflict(&mut self, conflict: &Conflict, parts: &[Part<'_>], around: &Around) {
        let (left, right) = conflict.between;
        let name = |place: usize| &parts[place].member.variant.ident;
        let (left, variant) = (name(left), name(right));
        let path = conflict.path.join(".");
        let content = match &around.tagging {
            Tagging::Adjacent { content, .. } => Some(content),
            _ => None,
        };
        let on_the_enum = on_the_enum(parts, conflict.between);
        let (message, help) = match &conflict.cause {
            Cause::Types(one, another) if path.is_empty() => (
                format!(
                    "`{left}` is {one} and `{variant}` is {another}, which a structural schema cannot combine"
                ),
                STATE_IT,
            ),
            Cause::Types(one, another) => (
                format!("`{path}` is {one} in `{left}` and {another} in `{variant}`"),
                if conflict.path.first() == content {
                    "remove `content` and `tag`, so that each variant has its own property"
                } else {
                    "give the two fields the same type, or different names"
                },
            ),
            Cause::Default => (
                format!("the default of `{path}` in `{left}` would also apply to `{variant}`"),
                "remove `#[crd(default = …)]`, or add `#[crd(no_default)]`: `#[serde(default)]` \
                 then applies only when reading",
            ),
            Cause::Keyword(what) if path.is_empty() => (
                format!("a {what} of `{left}` would also apply to `{variant}`"),
                on_the_enum.as_str(),
            ),
            Cause::Keyword(what) => (
                format!("`{path}` has one {what} in `{left}` and another in `{variant}`"),
                "make the two fields equal, or give them different names",
            ),
        };
        // In a conflict about a default, the first of the two variants has the default.
        let at = match conflict.cause {
            Cause::Default => left,
            _ => variant,
        };
        self.report(at, message, help);
    }
}

/// Help for a rule on one variant. It suggests writing the rule on the enum, guarded by a field of
/// that variant.
fn on_the_enum(parts: &[Part<'_>], (left, right): (usize, usize)) -> String {
    let fields = |at: usize| parts[at].schema.properties.keys();
    let is_ruled = |at: usize, field: &str| {
        let mut rules = parts[at].schema.validations.iter();
        rules.any(|rule| rule.rule.contains(&format!("self.{field}")))
    };
    let named = [left, right]
        .into_iter()
        .find_map(|at| fields(at).find(|field| is_ruled(at, field)));
    let field = named.map_or("…", String::as_str);
    format!("write it on the enum: `!has(self.{field}) || …`")
}

/// Forbids the fields of other variants in each variant for which serde refuses unknown fields.
fn close(union: &mut Union, parts: &[Part<'_>]) {
    for (branch, part) in union.branches.iter_mut().zip(parts) {
        let others = union.structure.properties.keys();
        let others: Vec<&String> = others
            .filter(|name| !part.schema.properties.contains_key(*name))
            .collect();
        if part.closed && !others.is_empty() {
            flatten::demand(branch, flatten::absent(&others));
        }
    }
}

/// Adds the branches as `oneOf`: exactly one must match. Branches that differ only in the tag are
/// omitted, because every tag that the structure admits matches one of them.
fn exactly_one(union: Union, tag: Option<&str>) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let says_more = |branch: &Schema| {
        let mut rest = branch.clone();
        rest.required
            .retain(|name| !structure.required.contains(name));
        if let Some(tag) = tag {
            rest.properties.remove(tag);
        }
        rest != Schema::default()
    };
    if branches.iter().any(says_more) {
        let one_of = Schema {
            one_of: branches,
            ..Schema::default()
        };
        flatten::demand(&mut structure, one_of);
    }
    structure
}

/// Adds the branches as `anyOf`: at least one must match. If several match a value, serde reads the
/// first of these variants.
///
/// Branches are omitted if they restrict nothing more. That is so if one of them is empty, since
/// every value matches it, or if all contain only `enum` values, since the structure lists them.
fn at_least_one(union: Union) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let values_alone = |branch: &Schema| {
        let rest = Schema {
            enum_: Vec::new(),
            ..branch.clone()
        };
        rest == Schema::default()
    };
    let free = branches.iter().any(|branch| *branch == Schema::default());
    if !free && !branches.iter().all(values_alone) {
        let any_of = Schema {
            any_of: branches,
            ..Schema::default()
        };
        flatten::demand(&mut structure, any_of);
    }
    structure
}

/// Merges schemas of integers and strings, or of integers and floats.
///
/// Returns `None` for other types, and for constraints that need a branch for each schema.
fn mixed(parts: &[&Schema]) -> Option<Schema> {
    let of = |type_: JsonType| -> Vec<&Schema> {
        parts
            .iter()
            .copied()
            .filter(|schema| schema.type_ == Some(type_))
            .collect()
    };
    let (integers, strings, numbers) = (
        of(JsonType::Integer),
        of(JsonType::String),
        of(JsonType::Number),
    );
    if integers.is_empty() || integers.len() + strings.len() + numbers.len() != parts.len() {
        return None;
    }
    match (strings.is_empty(), numbers.is_empty()) {
        (false, true) => int_or_string(&together(&integers)?, &together(&strings)?),
        (true, false) => together(&numbers),
        _ => None,
    }
}

/// Merges schemas of one type. Returns `None` if they cannot be merged without branches.
fn together(parts: &[&Schema]) -> Option<Schema> {
    let Union {
        structure,
        branches,
    } = union::merge(parts).ok()?;
    let free = branches.iter().any(|branch| *branch == Schema::default());
    let only_values = |branch: &Schema| {
        *branch
            == Schema {
                enum_: branch.enum_.clone(),
                ..Schema::default()
            }
    };
    (free || branches.iter().all(only_values)).then_some(structure)
}

/// Merges an integer and a string into one schema. In such a schema, bounds restrict only integers,
/// and lengths and patterns restrict only strings. Returns `None` for an integer with enum values,
/// and for a string with a format.
fn int_or_string(integer: &Schema, string: &Schema) -> Option<Schema> {
    let plain = integer.enum_.is_empty() && string.format.is_none();
    let narrow = integer.format.as_deref() == Some("int32");
    let bound = |stated: &Option<_>, of_format: i32| {
        stated.clone().or_else(|| narrow.then(|| of_format.into()))
    };
    plain.then(|| Schema {
        int_or_string: true,
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        minimum: bound(&integer.minimum, i32::MIN),
        maximum: bound(&integer.maximum, i32::MAX),
        exclusive_minimum: integer.exclusive_minimum,
        exclusive_maximum: integer.exclusive_maximum,
        multiple_of: integer.multiple_of.clone(),
        min_length: string.min_length,
        max_length: string.max_length,
        pattern: string.pattern.clone().or_else(|| names(string)),
        ..Schema::default()
    })
}

/// Converts the enum values of a string into a pattern: an `enum` would forbid every number.
fn names(string: &Schema) -> Option<String> {
    let names: Vec<_> = string
        .enum_
        .iter()
        .filter_map(|value| value.as_str())
        .map(escaped)
        .collect();
    (!names.is_empty()).then(|| format!("^(?:{})$", names.join("|")))
}

fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '/' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
