//! Every schema keyword on every type and in every position: imported, and generated again.
//!
//! A field of the generated CRD equals the imported one, or the import warned of it.
//! `import_keywords.txt` records what happens to each keyword; `UPDATE_EXPECT=1` rewrites it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};

use crate::cli::package::Package;

/// Types: a name, the schema, a value of the type.
const TYPES: &[(&str, &str, &str)] = &[
    ("boolean", r#"{"type": "boolean"}"#, "true"),
    ("integer", r#"{"type": "integer"}"#, "3"),
    ("number", r#"{"type": "number"}"#, "1.5"),
    ("string", r#"{"type": "string"}"#, r#""a""#),
    (
        "choice",
        r#"{"type": "string", "enum": ["a", "b"]}"#,
        r#""a""#,
    ),
    (
        "texts",
        r#"{"type": "array", "items": {"type": "string"}}"#,
        r#"["a"]"#,
    ),
    (
        "objects",
        r#"{"type": "array", "items": {"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}}"#,
        r#"[{"name": "a"}]"#,
    ),
    (
        "struct",
        r#"{"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}"#,
        r#"{"name": "a"}"#,
    ),
    (
        "open struct",
        r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}"#,
        r#"{"name": "a"}"#,
    ),
    (
        "open object",
        r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true}"#,
        r#"{"name": "a"}"#,
    ),
    (
        "map",
        r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
        r#"{"name": "a"}"#,
    ),
    (
        "any",
        r#"{"x-kubernetes-preserve-unknown-fields": true}"#,
        "1",
    ),
    (
        "int or string",
        r#"{"x-kubernetes-int-or-string": true}"#,
        "1",
    ),
];

/// Members to add to a schema. `"VALUE"` stands for a value of the type.
const KEYWORDS: &[&str] = &[
    r#"{"description": "A text."}"#,
    r#"{"title": "A title"}"#,
    r#"{"example": "VALUE"}"#,
    r#"{"externalDocs": {"url": "https://example.com"}}"#,
    r#"{"nullable": true}"#,
    r#"{"default": "VALUE"}"#,
    r#"{"enum": ["VALUE"]}"#,
    r#"{"minimum": 1}"#,
    r#"{"maximum": 9}"#,
    r#"{"minimum": 1, "exclusiveMinimum": true}"#,
    r#"{"exclusiveMaximum": true}"#,
    r#"{"multipleOf": 3}"#,
    r#"{"maximum": 9223372036854775807}"#,
    r#"{"minLength": 1}"#,
    r#"{"maxLength": 63}"#,
    r#"{"pattern": "^a"}"#,
    r#"{"format": "int32"}"#,
    r#"{"format": "int64"}"#,
    r#"{"format": "float"}"#,
    r#"{"format": "double"}"#,
    r#"{"format": "date"}"#,
    r#"{"format": "date-time"}"#,
    r#"{"format": "binary"}"#,
    r#"{"items": {"type": "string"}}"#,
    r#"{"minItems": 1}"#,
    r#"{"maxItems": 9}"#,
    r#"{"uniqueItems": true}"#,
    r#"{"properties": {"name": {"type": "string", "maxLength": 5}}}"#,
    r#"{"required": ["name"]}"#,
    r#"{"required": ["absent"]}"#,
    r#"{"minProperties": 1}"#,
    r#"{"maxProperties": 9}"#,
    r#"{"additionalProperties": {"type": "string", "maxLength": 5}}"#,
    r#"{"additionalProperties": true}"#,
    r#"{"additionalProperties": false}"#,
    r#"{"allOf": [{"maxLength": 5}]}"#,
    r#"{"anyOf": [{"required": ["name"]}, {"required": ["size"]}]}"#,
    r#"{"oneOf": [{"minimum": 1}, {"pattern": "^a"}]}"#,
    r#"{"not": {"required": ["name"]}}"#,
    r#"{"allOf": [{"format": "int64"}]}"#,
    r#"{"allOf": [{"properties": {"name": {"maxItems": 5}}}]}"#,
    r#"{"x-kubernetes-preserve-unknown-fields": true}"#,
    r#"{"x-kubernetes-embedded-resource": true}"#,
    r#"{"x-kubernetes-int-or-string": true}"#,
    r#"{"x-kubernetes-list-type": "atomic"}"#,
    r#"{"x-kubernetes-list-type": "set"}"#,
    r#"{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}"#,
    r#"{"x-kubernetes-map-type": "atomic"}"#,
    r#"{"x-kubernetes-validations": [{"rule": "true", "message": "no"}]}"#,
    r#"{"x-unknown": true}"#,
];

/// Places of a schema: a name, and whether the field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    Field,
    RequiredField,
    Item,
    MapValue,
}

impl Position {
    const ALL: [Self; 4] = [Self::Field, Self::RequiredField, Self::Item, Self::MapValue];

    fn place(self, schema: Value) -> Value {
        match self {
            Self::Field | Self::RequiredField => schema,
            Self::Item => json!({ "type": "array", "items": schema }),
            Self::MapValue => json!({ "type": "object", "additionalProperties": schema }),
        }
    }
}

/// A keyword on a type in a position, as a field of the spec.
struct Case {
    keyword: &'static str,
    type_: &'static str,
    position: Position,
    schema: Value,
}

/// What happens to a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Equal,
    /// Warned of, and the generated schema differs.
    Changed,
    /// Warned that `update` refuses it.
    Refused,
}

fn cases() -> BTreeMap<String, Case> {
    let mut cases = BTreeMap::new();
    for keyword in KEYWORDS {
        for (type_, schema, value) in TYPES {
            let needs_type = ["x-kubernetes-validations", "x-kubernetes-embedded-resource"];
            if *type_ == "any" && needs_type.iter().any(|name| keyword.contains(name)) {
                // The API server refuses these keywords beside no type.
                continue;
            }
            let members = keyword.replace("\"VALUE\"", value);
            let members: Map<String, Value> = serde_json::from_str(&members).unwrap();
            let mut schema: Map<String, Value> = serde_json::from_str(schema).unwrap();
            for (name, member) in members {
                schema.insert(name, member);
            }
            for position in Position::ALL {
                let case = Case {
                    keyword,
                    type_,
                    position,
                    schema: position.place(Value::Object(schema.clone())),
                };
                cases.insert(format!("f{:05}", cases.len()), case);
            }
        }
    }
    cases
}

/// A CRD whose spec has these fields, and a kind for each keyword beside the type of the kind.
fn definitions<'c>(cases: impl Iterator<Item = (&'c String, &'c Case)>) -> String {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, case) in cases {
        properties.insert(name.clone(), case.schema.clone());
        if case.position == Position::RequiredField {
            required.push(name.clone());
        }
    }
    let spec = json!({ "type": "object", "properties": properties, "required": required });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    definition("Field", &schema).to_string()
}

fn definition(kind: &str, schema: &Value) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "names": { "kind": kind, "plural": plural, "singular": kind.to_lowercase() },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

/// Announcement of an error of `update`.
const REFUSED: &str = "warning: `genclient update` will refuse this: ";

/// The places of the import's warnings, except announced errors.
fn places(said: &str) -> impl Iterator<Item = &str> {
    let warnings = said
        .lines()
        .filter(|line| line.starts_with("warning: ") && !line.starts_with(REFUSED));
    warnings.flat_map(|line| {
        let (_, places) = line.rsplit_once(" at ").unwrap();
        places.split(", ")
    })
}

/// The fields of the spec that announced errors concern: an error is in a field, or in a type that
/// fields use. `types` is the imported module.
fn refused(said: &str, types: &str) -> BTreeSet<String> {
    let items: Vec<_> = types.split("\n}\n").collect();
    let spec = items
        .iter()
        .find(|item| item.contains("pub struct FieldSpec {"));
    let fields: Vec<_> = spec.unwrap().lines().filter_map(field).collect();
    let mut refused = BTreeSet::new();
    let lines: Vec<_> = said.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with(REFUSED)) {
        let line: usize = pair[1].rsplit(':').nth(1).unwrap().parse().unwrap();
        let before: String = types.split_inclusive('\n').take(line - 1).collect();
        let item = items[before.matches("\n}\n").count()];
        if item.contains("pub struct FieldSpec {") {
            let mut below = types.lines().skip(line - 1);
            refused.insert(below.find_map(field).unwrap().0.to_owned());
        } else {
            let (_, name) = item.split_once("\npub ").unwrap();
            let name = name.split_whitespace().nth(1).unwrap();
            let users: Vec<_> = fields
                .iter()
                .filter(|(_, type_)| {
                    let mut words = type_.split(|c: char| !c.is_alphanumeric());
                    words.any(|word| word == name)
                })
                .map(|(field, _)| (*field).to_owned())
                .collect();
            assert!(!users.is_empty(), "{}: {name}", pair[0]);
            refused.extend(users);
        }
    }
    refused
}

/// The name and type of a field, from the line that declares it.
fn field(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("    pub ")?.split_once(": ")
}

/// The field of the spec that a place is in.
fn field_of(place: &str) -> Option<String> {
    let rest = place.strip_prefix("v1.spec.")?;
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

fn package() -> Package {
    let package = Package::empty();
    let manifest = "[package]\nname = \"imported\"\n\n[lib]\npath = \"pkg/lib.rs\"\n\n[dependencies]\ngenclient = \"0.1\"\nserde = \"1\"\n\n[package.metadata.genclient]\n";
    package.write("Cargo.toml", manifest);
    package.write("pkg/lib.rs", "//! A library.\n");
    package
}

#[test]
fn every_keyword_is_generated_again_or_warned_of() {
    let cases = cases();
    let first = package();
    first.write("crd.yaml", definitions(cases.iter()));
    let said = first.run(&["import", "-v", "crd.yaml"]).expect(0).stderr;
    let warned: BTreeSet<_> = places(&said)
        .map(|place| field_of(place).unwrap())
        .collect();
    let refused = refused(&said, &first.read("pkg/apis/example/v1.rs"));
    let second = package();
    let accepted = cases.iter().filter(|(name, _)| !refused.contains(*name));
    second.write("crd.yaml", definitions(accepted));
    second.run(&["import", "crd.yaml"]).expect(0);
    let updated = second.run(&["update", "--only", "crd"]);
    assert_eq!(updated.code, 0, "not warned of:\n{}", updated.stderr);
    let generated = second.read("config/crd/example.com_fields.yaml");
    let generated: Value = serde_saphyr::from_str(&generated).unwrap();
    let schema = &generated["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let fields = &schema["properties"]["spec"]["properties"];
    let mut lost = String::new();
    let mut outcomes: BTreeMap<(&str, &str), BTreeMap<Outcome, Vec<Position>>> = BTreeMap::new();
    for (name, case) in &cases {
        let outcome = if refused.contains(name) {
            Outcome::Refused
        } else if fields[name] == case.schema {
            Outcome::Equal
        } else {
            if !warned.contains(name) {
                writeln!(lost, "{}\n{}", case.schema, fields[name]).unwrap();
            }
            Outcome::Changed
        };
        let outcomes = outcomes.entry((case.keyword, case.type_)).or_default();
        outcomes.entry(outcome).or_default().push(case.position);
    }
    assert!(lost.is_empty(), "lost without a warning:\n{lost}");
    let required: BTreeSet<_> = schema["properties"]["spec"]["required"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let expected = cases.iter().filter(|(name, case)| {
        case.position == Position::RequiredField && !refused.contains(*name)
    });
    assert_eq!(required, expected.map(|(name, _)| name.as_str()).collect());
    check_record(&record(&outcomes));
}

/// The outcomes as a table. A cell is empty if the schemas are equal in all positions.
fn record(outcomes: &BTreeMap<(&str, &str), BTreeMap<Outcome, Vec<Position>>>) -> String {
    let mut text = String::from(
        "What `genclient import` does with a keyword on a type, in a field, a required field, a \
         list item\nand a map value: nothing that `genclient update` would not write again (an \
         empty cell), a change\nthat it warns of (`changed`), or a warning that `update` will \
         refuse it (`refused`).\nThe API server refuses combinations with `–`.\n\n| keyword |",
    );
    for (type_, ..) in TYPES {
        write!(text, " {type_} |").unwrap();
    }
    writeln!(text, "\n|---|{}", "---|".repeat(TYPES.len())).unwrap();
    for keyword in KEYWORDS {
        write!(text, "| `{keyword}` |").unwrap();
        for (type_, ..) in TYPES {
            let Some(outcomes) = outcomes.get(&(*keyword, *type_)) else {
                text.push_str(" – |");
                continue;
            };
            let cells: Vec<_> = outcomes
                .iter()
                .map(|(outcome, positions)| match outcome {
                    Outcome::Equal => "=".to_owned(),
                    _ if outcomes.len() == 1 => format!("{outcome:?}").to_lowercase(),
                    _ => format!("{outcome:?} in {positions:?}").to_lowercase(),
                })
                .collect();
            match cells.join(", ").as_str() {
                "=" => text.push_str(" |"),
                cell => write!(text, " {cell} |").unwrap(),
            }
        }
        text.push('\n');
    }
    text
}

fn check_record(found: &str) {
    const FILE: &str = "../cli/import_keywords.txt";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(FILE, found).unwrap();
    }
    assert_eq!(fs::read_to_string(FILE).unwrap(), found);
}

/// Keywords of the object as a whole.
#[test]
fn every_keyword_of_a_kind_is_generated_again_or_warned_of() {
    let object = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "size": { "type": "integer" } },
    });
    let mut lost = String::new();
    let mut kinds = BTreeMap::new();
    // The API server refuses `nullable` and `default` there.
    let keywords = KEYWORDS.iter().filter(|keyword| {
        let refused = ["nullable", "default"].map(|name| format!("{{\"{name}\":"));
        !refused.iter().any(|start| keyword.starts_with(start))
    });
    for (number, keyword) in keywords.enumerate() {
        let members = keyword.replace("\"VALUE\"", r#"{"name": "a"}"#);
        let members: Map<String, Value> = serde_json::from_str(&members).unwrap();
        let mut schema = object.clone();
        for (name, member) in members {
            schema[name] = member;
        }
        kinds.insert(format!("Kind{number}"), schema);
    }
    let package = package();
    let all: Vec<_> = kinds
        .iter()
        .map(|(kind, schema)| definition(kind, schema).to_string())
        .collect();
    package.write("crd.yaml", all.join("\n---\n"));
    let said = package.run(&["import", "-v", "crd.yaml"]).expect(0).stderr;
    package.run(&["update", "--only", "crd", "--keep-going"]);
    for (kind, schema) in &kinds {
        let plural = format!("{}s", kind.to_lowercase());
        let file = format!("config/crd/example.com_{plural}.yaml");
        let warned = said.contains(&format!("warning: {plural}.example.com: "))
            || said.contains(&format!("/{}.rs:", kind.to_lowercase()));
        let mut generated = Value::Null;
        if package.exists(&file) {
            let text = package.read(&file);
            let definition: Value = serde_saphyr::from_str(&text).unwrap();
            generated = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
            for name in ["apiVersion", "kind", "metadata"] {
                generated["properties"]
                    .as_object_mut()
                    .unwrap()
                    .remove(name);
            }
        }
        if generated != *schema && !warned {
            writeln!(lost, "{schema}\n{generated}").unwrap();
        }
    }
    assert!(lost.is_empty(), "lost without a warning:\n{lost}\n{said}");
}
