//! Intended exceptions of golden types: CEL rules, schemas that are looser than their types, and
//! types that lose values.

use serde_json::{Error, Value};

use super::kinds::Kind;
use crate::mutants;

/// Place of a value: `case::Kind/v1` and `spec.list[].name`.
type Place = (&'static str, &'static str);

/// Values of places with a CEL rule, or with a check of the API server alone.
const RULES: &str = include_str!("rules.txt");

/// Values of places at which the schema is looser than the type.
const TYPES: &str = include_str!("types.txt");

/// Kinds without a value that is both admitted and read, with the reason.
const NO_VALUES: &[(&str, &str)] = &[
    (
        "applyconfiguration/collections::Collected/v1",
        "a stated schema admits integers below 0",
    ),
    (
        "applyconfiguration/conflicting::TestType/v1",
        "the type requires a status, which a stored object may lack",
    ),
    (
        "applyconfiguration/cronjob::CronJob/v1",
        "stated schemas and embedded objects differ from their types",
    ),
    (
        "applyconfiguration/hard_cases::Gateway/v1",
        "a union is flattened beside a struct",
    ),
    (
        "applyconfiguration/whole::Whole/v1",
        "stated schemas differ from their types",
    ),
    (
        "schema/merged_constraints::Widget/v1",
        "a number is said to be a date",
    ),
    (
        "schema/overrides::Crate/v1",
        "a map of strings is said to be an object with metadata",
    ),
];

/// Places below which a type loses values that the schema admits.
const LOST: &[(Place, &str)] = &[
    (
        ("schema/collections::Shelf/v1", "spec.objects"),
        "a set, of which the API server does not know: it compares no objects",
    ),
    (("schema/data_enums::Choice/v1", "open"), OTHER_WORDS),
    (("schema/data_enums::Choice/v1", "untagged"), OTHER_VARIANTS),
    (("schema/data_enums::Choice/v1", "mixed"), OTHER_VARIANTS),
    (("schema/data_enums::Choice/v1", "beside"), OTHER_VARIANTS),
    (
        ("schema/default_values::Deploy/v1", "spec.tagged"),
        OTHER_VARIANTS,
    ),
    (("schema/flatten::Flat/v1", "spec"), OTHER_VARIANTS),
    (
        ("schema/serde_shapes::Shape/v1", "read_only"),
        "`#[serde(skip_serializing)]`",
    ),
    (
        ("schema/serde_shapes::Shape/v1", "write_only"),
        "`#[serde(skip_deserializing)]`",
    ),
];

const OTHER_WORDS: &str = "a word that nobody knows is `#[serde(other)]`";
const OTHER_VARIANTS: &str = "a variant may have the fields of others, which it does not read";

/// Places that a type writes and its schema lacks, with the reason.
const PRUNED: &[(Place, &str)] = &[(
    ("kube/schemars::Form/v1", "spec.hidden"),
    "`#[schemars(skip)]`",
)];

/// Returns false for a kind with a type and a schema that contradict each other.
pub fn has_values(kind: &Kind) -> bool {
    let name = kind.name();
    NO_VALUES.iter().all(|row| row.0 != name)
}

/// Returns the schema of a kind, with the values above as enums.
pub fn schema(kind: &Kind) -> Value {
    let mut schema = kind.schema.clone();
    let name = kind.name();
    for ((_, place), values) in rows(RULES).chain(rows(TYPES)).filter(|row| row.0.0 == name) {
        let found = at(&mut schema, place).unwrap_or_else(|| panic!("{name} has no {place}"));
        found["enum"] = serde_json::from_str(values).unwrap_or_else(|e| panic!("{values}: {e}"));
    }
    schema
}

/// Returns the rows of a table: a place and values.
fn rows(table: &'static str) -> impl Iterator<Item = (Place, &'static str)> {
    let lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut cells = line.splitn(3, ' ');
        let mut cell = || {
            cells
                .next()
                .unwrap_or_else(|| panic!("{line}: three cells"))
        };
        ((cell(), cell()), cell())
    })
}

fn at<'a>(schema: &'a mut Value, place: &str) -> Option<&'a mut Value> {
    let mut schema = schema;
    for step in place.split('.') {
        let name = step.trim_end_matches("[]");
        schema = schema.get_mut("properties")?.get_mut(name)?;
        if step.ends_with("[]") {
            schema = schema.get_mut("items")?;
        }
    }
    Some(schema)
}

/// Returns whether the type may lose the value at this place.
pub fn may_be_lost(kind: &Kind, place: &str) -> bool {
    below(kind, place, LOST.iter().copied())
}

/// Returns whether the API server may admit a mutant that the type does not read.
pub fn may_not_be_read(kind: &Kind, value: &Value, changed: &Value, error: &Error) -> bool {
    let place = difference(value, changed);
    let has_format = at(&mut kind.schema.clone(), &place)
        .is_some_and(|schema| schema.to_string().contains(r#""format""#));
    below(kind, &place, rows(TYPES))
        || mutants::is_admitted_everywhere(error)
        // The API server admits any list in place of a string with a format.
        || has_format && error.to_string().contains("invalid type: sequence, expected")
}

fn below(kind: &Kind, place: &str, rows: impl Iterator<Item = (Place, &'static str)>) -> bool {
    let name = kind.name();
    let mut rows = rows.filter(|row| row.0.0 == name);
    rows.any(|((_, above), _)| {
        place
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// Returns the place of the innermost property that contains every difference.
fn difference(first: &Value, second: &Value) -> String {
    let (Value::Object(a), Value::Object(b)) = (first, second) else {
        return String::new();
    };
    let mut names: Vec<_> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| a.get(*name) != b.get(*name));
    match &names[..] {
        [name] => {
            let none = Value::Null;
            let inner = difference(a.get(*name).unwrap_or(&none), b.get(*name).unwrap_or(&none));
            if inner.is_empty() {
                (*name).clone()
            } else {
                format!("{name}.{inner}")
            }
        }
        _ => String::new(),
    }
}

/// Returns the written object without properties that the API server prunes.
pub fn pruned(kind: &Kind, mut written: Value) -> Value {
    let name = kind.name();
    for ((_, place), _) in PRUNED.iter().filter(|row| row.0.0 == name) {
        let pointer = format!("/{}", place.replace('.', "/"));
        let (above, member) = pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(members)) = written.pointer_mut(above) {
            members.remove(member);
        }
    }
    written
}
