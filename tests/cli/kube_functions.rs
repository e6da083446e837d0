//! Functions that return schemas, read from source: `schemars(schema_with = ..)`.

use super::package;

/// Body of a function that returns a schema, and the schema; `None` if the body is not supported.
const BODIES: [(&str, Option<&str>); 46] = [
    ("String::json_schema(g)", Some("type: string")),
    ("let s = helper(g); s", Some("type: integer")),
    ("helper(&mut other())", None),
    ("g.settings(); String::json_schema(g)", None),
    (
        "if true { String::json_schema(g) } else { u8::json_schema(g) }",
        None,
    ),
    ("around(g)", None),
    (
        "let mut s = String::json_schema(g); s.insert(\"maxLength\".into(), twice(3).into()); s",
        None,
    ),
    (
        "let mut s = String::json_schema(g); s.insert(\"maxLength\".into(), MOST.into()); s",
        Some("maxLength: 7\n                type: string"),
    ),
    (
        "let mut s = String::json_schema(g); s.insert(\"pattern\".into(), Level::High.into()); s",
        None,
    ),
    (
        "let mut s = String::json_schema(g); s.remove(\"type\"); s.insert(\"type\".into(), \"integer\".into()); s",
        Some("type: integer"),
    ),
    (
        "let mut s = String::json_schema(g); change(&mut s); s",
        None,
    ),
    // A nested part is changed in place.
    (
        "let mut s = json_schema!({ \"type\": \"object\", \"properties\": {} }); s.get_mut(\"properties\").unwrap().as_object_mut().unwrap().insert(\"a\".into(), json!({ \"type\": \"string\" })); s",
        Some(
            "properties:\n                  a:\n                    type: string\n                type: object",
        ),
    ),
    (
        "let mut s = json_schema!({}); let o = s.ensure_object(); o.insert(\"type\".into(), json!(\"string\")); s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); let o = s.clone(); o.insert(\"type\".into(), json!(\"integer\")); s.insert(\"type\".into(), \"string\".into()); s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); if let Some(o) = s.as_object_mut() { o.insert(\"type\".into(), \"string\".into()); } s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); if let Some(o) = s.as_object_mut() { o.clear(); } s",
        None,
    ),
    (
        "let mut s = Level::json_schema(g); s.get_mut(\"oneOf\").unwrap().as_array_mut().unwrap(); s",
        None,
    ),
    // A name that the body redefines is not looked up outside of the body.
    ("use std::u8 as Level; Level::json_schema(g)", None),
    (
        "const MOST: u8 = 3; json_schema!({ \"type\": \"string\", \"maxLength\": MOST })",
        None,
    ),
    (
        "json_schema!({ \"type\": [\"string\", \"null\"], \"const\": \"a\", \"x-other\": MOST })",
        Some(
            "enum:\n                - a\n                nullable: true\n                type: string",
        ),
    ),
    (
        "json_schema!({ \"type\": \"integer\", \"format\": \"uint8\" })",
        Some(
            "format: int32\n                maximum: 255\n                minimum: 0\n                type: integer",
        ),
    ),
    (
        "json_schema!({ \"properties\": { \"a\": { \"type\": \"string\" } }, \"additionalProperties\": false, \"oneOf\": [{ \"required\": [\"a\"] }] })",
        Some(
            "oneOf:\n                - required:\n                  - a\n                properties:\n                  a:\n                    type: string\n                type: object",
        ),
    ),
    ("json_schema!({ \"$ref\": \"#/definitions/Level\" })", None),
    (
        "json_schema!({ \"type\": [\"string\", \"integer\"] })",
        None,
    ),
    (
        "let mut s: SchemaObject = Level::json_schema(g).into(); s.extensions.insert(\"x-kubernetes-validations\".to_owned(), serde_json::from_str(r#\"[{\"rule\": \"self == oldSelf\"}]\"#).unwrap()); s.into()",
        Some(
            "type: string\n                x-kubernetes-validations:\n                - rule: self == oldSelf",
        ),
    ),
    (
        "let mut s = SchemaObject { instance_type: Some(InstanceType::Object.into()), ..Default::default() }; s.object().properties.insert(\"a\".to_owned(), String::json_schema(g)); s.object().required.insert(\"a\".to_owned()); s.metadata().read_only = false; s.metadata().title = Some(\"A\".to_owned()); s.into()",
        Some(
            "properties:\n                  a:\n                    type: string\n                required:\n                - a\n                title: A\n                type: object",
        ),
    ),
    (
        "let g = SchemaSettings::openapi3().with(|s| { s.inline_subschemas = true; }).with_visitor(Other).into_generator(); g.into_root_schema_for::<Level>().schema.into()",
        None,
    ),
    // A part under a `cfg` does not belong to the schema of every build.
    ("twofold(g)", None),
    (
        "let mut s = String::json_schema(g); #[cfg(windows)] s.insert(\"maxLength\".into(), 3.into()); s",
        None,
    ),
    (
        "#[allow(unused_mut)] let mut s = String::json_schema(g); s",
        Some("type: string"),
    ),
    ("SchemaObject { ..default() }.into()", None),
    (
        "json_schema!({ \"type\": \"string\", \"enum\": vec![\"a\", #[cfg(windows)] \"b\"] })",
        None,
    ),
    // No structural schema has several types, nor alternatives that cannot be told apart.
    (
        "json_schema!({ \"anyOf\": [{ \"type\": \"object\", \"properties\": { \"a\": { \"type\": \"string\" } }, \"required\": [\"a\"] }, { \"required\": [\"b\"] }] })",
        None,
    ),
    (
        "json_schema!({ \"oneOf\": [{ \"type\": \"object\", \"properties\": { \"a\": { \"type\": \"string\" } } }, { \"type\": \"object\", \"properties\": { \"b\": { \"type\": \"string\" } }, \"required\": [\"b\"] }] })",
        Some(
            "properties:\n                  a:\n                    type: string\n                  b:\n                    type: string\n                type: object",
        ),
    ),
    (
        "json_schema!({ \"oneOf\": [{ \"type\": \"string\" }, { \"type\": \"integer\" }] })",
        Some("x-kubernetes-preserve-unknown-fields: true"),
    ),
    // A conversion that can fail, from JSON.
    (
        "json!({ \"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true }).try_into().unwrap()",
        Some("type: object\n                x-kubernetes-preserve-unknown-fields: true"),
    ),
    (
        "let s = TryFrom::try_from(json!({ \"type\": \"string\" })); s.unwrap()",
        Some("type: string"),
    ),
    ("Level::High.try_into().unwrap()", None),
    // A block with variables of its own.
    (
        "Schema::Object(SchemaObject { instance_type: Some(InstanceType::Object.into()), extensions: { let mut map = schemars::Map::new(); map.insert(\"x-kubernetes-preserve-unknown-fields\".to_string(), Value::Bool(true)); map }, ..Default::default() })",
        Some("type: object\n                x-kubernetes-preserve-unknown-fields: true"),
    ),
    (
        "let mut s = String::json_schema(g); let most = { s.insert(\"minLength\".into(), 1.into()); MOST }; s.insert(\"maxLength\".into(), most.into()); s",
        Some("maxLength: 7\n                minLength: 1\n                type: string"),
    ),
    (
        "let s = String::json_schema(g); let other = { let s = u8::json_schema(g); s }; s",
        None,
    ),
    ("let s = { return u8::json_schema(g); }; s", None),
    // Generic functions, with the arguments of their call.
    (
        "set_of::<u8>(g)",
        Some(
            "items:\n                  format: int32\n                  maximum: 255\n                  minimum: 0\n                  type: integer\n                type: array\n                x-kubernetes-list-type: set",
        ),
    ),
    (
        "nested::<String>(g)",
        Some(
            "items:\n                  items:\n                    type: string\n                  type: array\n                  x-kubernetes-list-type: set\n                type: array",
        ),
    ),
    (
        "at_most::<5>(g)",
        Some("maxLength: 5\n                type: string"),
    ),
    ("at_most::<{ twice(2) }>(g)", None),
];

/// A function with an unsupported part is rejected as a whole.
#[test]
fn schema_functions_with_unsupported_parts_are_rejected() {
    for (body, expected) in BODIES {
        let package = package("src/lib.rs");
        package.write(
            "src/inner/crd.rs",
            format!(
                "use schemars::{{JsonSchema, Schema, SchemaGenerator}};
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {{
    #[schemars(schema_with = \"Task::made\")]
    pub field: serde_json::Value,
}}
impl Task {{
    fn made(g: &mut SchemaGenerator) -> Schema {{ {body} }}
}}
const MOST: u8 = 7;
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Level {{ High, Low }}
fn set_of<T: JsonSchema>(g: &mut SchemaGenerator) -> Schema {{
    json_schema!({{ \"type\": \"array\", \"items\": T::json_schema(g), \"x-kubernetes-list-type\": \"set\" }})
}}
fn nested<T: JsonSchema>(g: &mut SchemaGenerator) -> Schema {{
    let items = set_of::<T>(g);
    json_schema!({{ \"type\": \"array\", \"items\": items }})
}}
fn at_most<const N: u64>(_: &mut SchemaGenerator) -> Schema {{
    json_schema!({{ \"type\": \"string\", \"maxLength\": N }})
}}
fn helper(_: &mut SchemaGenerator) -> Schema {{ json_schema!({{ \"type\": \"integer\" }}) }}
fn around(g: &mut SchemaGenerator) -> Schema {{ around(g) }}
fn twice(number: i32) -> i32 {{ number * 2 }}
fn default() -> SchemaObject {{ String::json_schema(&mut SchemaGenerator::default()).into() }}
#[cfg(unix)]
fn twofold(g: &mut SchemaGenerator) -> Schema {{ String::json_schema(g) }}
#[cfg(windows)]
fn twofold(g: &mut SchemaGenerator) -> Schema {{ u8::json_schema(g) }}
"
            ),
        );
        let Some(expected) = expected else {
            package
                .run(&["update"])
                .expect(2)
                .says(&["the schema that `Task::made` returns is known only at run time"]);
            continue;
        };
        package.run(&["update"]).expect(0);
        let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
        assert!(crd.contains(expected), "{body}: {crd}");
    }
}

/// The help names code that the package's version of schemars has.
#[test]
fn help_is_for_the_version_of_schemars() {
    let manifest = package("src/lib.rs").read("Cargo.toml");
    for (version, help) in [
        (
            "0.8",
            "return only `serde_json::from_value(json!({ .. })).unwrap()` from it, or give the schema: `#[schemars(with = \"..\")]`, with a type that has the schema",
        ),
        (
            "1",
            "return only `json_schema!({ .. })` from it, or give the schema: `#[schemars(with = \"..\")]`, with a type that has the schema",
        ),
    ] {
        let package = package("src/lib.rs");
        package.write(
            "Cargo.toml",
            format!("{manifest}schemars = \"{version}\"\n"),
        );
        package.edit(
            "src/inner/crd.rs",
            "pub image: String",
            "#[schemars(schema_with = \"unknown\")]\n    pub image: String",
        );
        package.run(&["update"]).expect(2).says(&[help]);
    }
}
