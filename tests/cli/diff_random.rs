//! Properties of `diff` that hold for any two definitions, however malformed.

use std::fs;
use std::path::Path;

use genclient_diff::{Change, Definition, compare, parse};
use serde_json::{Map, Value, json};

/// Collects the CRDs below a folder.
fn below(dir: &Path, definitions: &mut Vec<Definition>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, definitions);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            definitions.extend(parse(&fs::read_to_string(&path).unwrap()).unwrap());
        }
    }
}

/// A definition does not differ from itself, and two that differ do so in both directions.
fn check(old: &Definition, new: &Definition) -> Vec<Change> {
    let one = std::slice::from_ref;
    assert_eq!(compare(one(old), one(old)), []);
    let there = compare(one(old), one(new));
    let back = compare(one(new), one(old));
    assert_eq!(there.is_empty(), back.is_empty(), "{there:#?}\n{back:#?}");
    there
}

#[test]
fn golden_definitions_compare_with_each_other() {
    let mut definitions = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    below(&root.join("../golden"), &mut definitions);
    below(&root.join("../../examples"), &mut definitions);
    assert!(definitions.len() > 40, "{}", definitions.len());
    for definition in &mut definitions {
        definition.name = "all.example.com".to_owned();
    }
    for pair in definitions.windows(2) {
        check(&pair[0], &pair[1]);
    }
}

/// A random number generator with a fixed seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

const KEYS: [&str; 31] = [
    "type",
    "type",
    "type",
    "format",
    "nullable",
    "default",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
    "x-kubernetes-embedded-resource",
];

/// Usually a value that the key accepts, sometimes any other.
fn value(key: &str, depth: usize, chance: &mut Chance) -> Value {
    let schemas = |chance: &mut Chance| {
        let count = chance.below(3);
        (0..count)
            .map(|_| schema(depth, chance))
            .collect::<Vec<_>>()
    };
    match key {
        _ if chance.below(12) == 0 => anything(depth, chance),
        "type" => (*chance.pick(&["object", "array", "string", "integer", "number"])).into(),
        "format" | "pattern" => (*chance.pick(&["int32", "int64", "date", "^a"])).into(),
        "properties" => ["a", "b"]
            .map(|name| (name.to_owned(), schema(depth, chance)))
            .into_iter()
            .collect::<Map<_, _>>()
            .into(),
        "items" | "not" | "additionalProperties" => schema(depth, chance),
        "allOf" | "anyOf" | "oneOf" => schemas(chance).into(),
        "enum" | "default" => json!([1, "a", 1.0, null]),
        "required" | "x-kubernetes-list-map-keys" => json!([*chance.pick(&["a", "b", "c"])]),
        "x-kubernetes-list-type" => (*chance.pick(&["map", "set", "atomic"])).into(),
        "x-kubernetes-validations" => json!([{ "rule": "self.a", "optionalOldSelf": true }]),
        _ if key.starts_with("x-") || key.starts_with("excl") || key == "nullable" => true.into(),
        _ => chance
            .pick(&[
                json!(0),
                json!(1),
                json!(5),
                json!(2.5),
                json!(-1e300),
                json!(u64::MAX),
            ])
            .clone(),
    }
}

fn anything(depth: usize, chance: &mut Chance) -> Value {
    let leaf = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(""),
        json!([]),
        json!({}),
        json!([[{}]]),
    ];
    match chance.below(leaf.len() + 1) {
        at if at < leaf.len() => leaf[at].clone(),
        _ => json!([schema(depth, chance)]),
    }
}

fn schema(depth: usize, chance: &mut Chance) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return anything(0, chance);
    };
    let count = chance.below(6);
    let keys: Vec<_> = (0..count).map(|_| *chance.pick(&KEYS)).collect();
    keys.into_iter()
        .map(|key| (key.to_owned(), value(key, depth, chance)))
        .collect()
}

/// A definition with parts that may be missing or malformed.
fn definition(chance: &mut Chance) -> Value {
    let version = |name: &str, chance: &mut Chance| {
        let mut version = json!({
            "name": name, "storage": chance.below(2) == 0, "served": true,
            "schema": { "openAPIV3Schema": schema(6, chance) },
        });
        if chance.below(4) == 0 {
            let part = *chance.pick(&[
                "name",
                "schema",
                "subresources",
                "selectableFields",
                "storage",
            ]);
            version[part] = anything(2, chance);
        }
        version
    };
    let versions = [version("v1", chance), version("v2", chance)];
    let mut definition = json!({
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "a.b" },
        "spec": { "group": "b", "names": { "kind": "A", "plural": "a" }, "versions": versions[..=chance.below(2)] },
    });
    if chance.below(6) == 0 {
        let part = *chance.pick(&["names", "group", "conversion", "scope"]);
        definition["spec"][part] = anything(2, chance);
    }
    definition
}

#[test]
fn arbitrary_definitions_compare_with_each_other() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut kinds = std::collections::BTreeSet::new();
    for _ in 0..3000 {
        let mut read = || {
            parse(&definition(&mut chance).to_string())
                .unwrap()
                .remove(0)
        };
        let changes = check(&read(), &read());
        kinds.extend(changes.iter().map(|change| change.kind.id));
    }
    assert!(kinds.len() > 50, "chance finds only {kinds:?}");
}

#[test]
fn documents_without_a_crd_are_skipped_or_rejected() {
    for text in [
        "",
        "---\n",
        "null",
        "1",
        "[]",
        "kind: 1",
        "spec: {versions: [{}]}",
        "kind: CustomResourceDefinition",
    ] {
        assert_eq!(parse(text).unwrap(), [], "{text}");
    }
    for (text, message) in [
        ("a: [", "is not valid YAML"),
        ("a: 1\na: 2", "is not valid YAML"),
        (
            "{{ if .Values.crds }}\na: b\n{{ end }}",
            "is not valid YAML",
        ),
        (
            "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1",
            "unsupported version `apiextensions.k8s.io/v1beta1`",
        ),
    ] {
        let errors = parse(text).unwrap_err();
        assert!(errors[0].message.contains(message), "{text}: {errors:?}");
    }
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    parse(&deep).unwrap_err();
}
