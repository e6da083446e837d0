//! Conversion of schemars' JSON schemas into structural schemas.

use genclient_schema::definition::structural_errors;
use serde_json::{Map, Value};

use crate::known::sized_integer;
use crate::model::{JsonType, Schema};
use crate::resolve::schema::union::{self, Conflict, ConflictReason};

/// Converts a JSON schema. Unknown keywords are dropped. Returns `None` for a `$ref`, and for a
/// keyword with a value that a CRD cannot express, such as several types.
pub(super) fn parse_schema(value: Value) -> Option<Schema> {
    serde_json::from_value(normalize(value, SchemaPart::Value)?).ok()
}

/// Role of a schema: it describes a value, or it is a branch.
#[derive(Clone, Copy, PartialEq)]
enum SchemaPart {
    /// Schema of a value.
    Value,
    /// Schema in a branch of `oneOf` or a similar keyword, where types are not allowed.
    Branch,
}

/// Rewrites keywords for CRDs, and drops those that CRDs do not have, as kube does.
fn normalize(value: Value, part: SchemaPart) -> Option<Value> {
    let Value::Object(members) = value else {
        return Some(value);
    };
    let mut kept = Map::new();
    for (key, value) in members {
        let value = match (key.as_str(), value) {
            ("$ref", _) => return None,
            ("properties", Value::Object(properties)) => {
                let normalized: Option<Map<_, _>> = properties
                    .into_iter()
                    .map(|(name, schema)| Some((name, normalize(schema, part)?)))
                    .collect();
                Value::Object(normalized?)
            }
            ("items" | "additionalProperties", schema) => normalize(schema, part)?,
            ("not", schema) => normalize(schema, SchemaPart::Branch)?,
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas
                .into_iter()
                .map(|branch| normalize(branch, SchemaPart::Branch))
                .collect::<Option<_>>()?,
            ("const", value) => {
                kept.insert("enum".to_owned(), Value::Array(vec![value]));
                continue;
            }
            ("type", Value::Array(types)) => {
                let (nulls, mut types): (Vec<_>, Vec<_>) =
                    types.into_iter().partition(|name| name == "null");
                if !nulls.is_empty() {
                    kept.insert("nullable".to_owned(), true.into());
                }
                types.pop().filter(|_| types.is_empty())?
            }
            (_, value) => value,
        };
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let known = serde_json::from_value::<Schema>(alone);
        let unknown = known.is_err_and(|error| error.to_string().starts_with("unknown field"));
        if !unknown && !value.is_null() {
            kept.insert(key, value);
        }
    }
    if kept.contains_key("properties") {
        rewrite_additional_properties(&mut kept);
        if part == SchemaPart::Value {
            kept.entry("type").or_insert("object".into());
        }
    }
    bound_integer_formats(&mut kept);
    Some(Value::Object(kept))
}

/// Rewrites a boolean `additionalProperties`, which CRDs do not have beside `properties`.
fn rewrite_additional_properties(schema: &mut Map<String, Value>) {
    match schema.get("additionalProperties") {
        Some(Value::Bool(true)) => {
            let key = "x-kubernetes-preserve-unknown-fields";
            schema.insert(key.to_owned(), true.into());
        }
        Some(Value::Bool(false)) => {}
        _ => return,
    }
    schema.remove("additionalProperties");
}

/// Replaces integer formats that the API server does not know by a known format and bounds.
fn bound_integer_formats(schema: &mut Map<String, Value>) {
    let integer = match schema.get("format").and_then(Value::as_str) {
        Some("int8") => "i8",
        Some("int16") => "i16",
        Some("int") => "isize",
        Some("uint8") => "u8",
        Some("uint16") => "u16",
        Some("uint32") => "u32",
        Some("uint64" | "uint") => "u64",
        _ => return,
    };
    let Some(known) = sized_integer(integer) else {
        return;
    };
    if let Some(format) = known.format {
        schema.insert("format".to_owned(), format.into());
    }
    for (key, bound) in [("minimum", known.minimum), ("maximum", known.maximum)] {
        if let Some(bound) = bound {
            schema.entry(key).or_insert(bound.into());
        }
    }
}

/// Error for alternatives of several types.
pub(super) struct SeveralTypes;

/// Moves types and fields of alternatives (`oneOf`, `anyOf`) to the schema around them, as kube
/// does. Several types are an error. Returns the schema unchanged if it has other keywords, or if
/// the alternatives cannot be merged for another reason.
pub(super) fn merge_alternatives(schema: Schema) -> Result<Schema, SeveralTypes> {
    let (choices, is_one_of) = match (&schema.one_of[..], &schema.any_of[..]) {
        (choices, []) => (choices, true),
        ([], choices) => (choices, false),
        _ => return Ok(schema),
    };
    let alone = Schema {
        description: schema.description.clone(),
        title: schema.title.clone(),
        one_of: schema.one_of.clone(),
        any_of: schema.any_of.clone(),
        ..Schema::default()
    };
    let choices: Option<Vec<_>> = choices.iter().map(structural_alternative).collect();
    let Some(choices) = choices.filter(|all| !all.is_empty() && schema == alone) else {
        return Ok(schema);
    };
    let union = match union::merge_schemas(&choices.iter().collect::<Vec<_>>()) {
        Ok(union) => union,
        Err(Conflict {
            reason: ConflictReason::Types(..),
            path,
            ..
        }) if path.is_empty() => return Err(SeveralTypes),
        Err(_) => return Ok(schema),
    };
    let mut branches = union.branches;
    // If a branch has no keywords left, it accepts every value, so no branches are written. `anyOf`
    // would restrict nothing, and `oneOf` would refuse every value that another branch accepts.
    if branches.iter().any(|branch| *branch == Schema::default()) {
        branches.clear();
    }
    let (one_of, any_of) = if is_one_of {
        (branches, Vec::new())
    } else {
        (Vec::new(), branches)
    };
    Ok(Schema {
        description: schema.description,
        title: schema.title,
        one_of,
        any_of,
        ..union.structure
    })
}

/// Returns an alternative if it is structural by itself. An `enum` of strings without a type first
/// gets the type `string`.
fn structural_alternative(choice: &Schema) -> Option<Schema> {
    let is_text = choice.type_.is_none()
        && !choice.enum_.is_empty()
        && choice.enum_.iter().all(Value::is_string);
    let choice = Schema {
        type_: choice.type_.or(is_text.then_some(JsonType::String)),
        ..choice.clone()
    };
    structural_errors(&choice).is_empty().then_some(choice)
}
