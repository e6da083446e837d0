//! Intended exceptions of golden types: CEL rules, schemas that are looser than their types, and
//! types that lose values.

use serde_json::{Error, Value};

use super::kinds::Kind;
use crate::mutants;

/// Place of a value: `case::Kind/v1` and `spec.list[].name`.
type Place = (&'static str, &'static str);

/// JSON values for places with a CEL rule, or with a check of the API server alone.
const RULES: &[(Place, &str)] = &[
    // Has a default, and serde skips it if it is empty.
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.defaultedEmptyObject.foo",
        ),
        r#"["a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.kubernetesDefaultedEmptyObject.foo",
        ),
        r#"["a"]"#,
    ),
    (
        ("schema/builtin_types::Service/v1", "spec.every"),
        DURATIONS,
    ),
    (
        ("schema/kubernetes_types::Backup/v1", "spec.every"),
        DURATIONS,
    ),
    // Required, and serde skips it if it is empty.
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.explicitlyRequiredK8s",
        ),
        r#"["a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.explicitlyRequiredKubebuilder",
        ),
        r#"["a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.explicitlyRequiredKubernetes",
        ),
        r#"["a"]"#,
    ),
    // `multiple_of` with a fraction. The API server rejects a whole number once it is stored.
    (
        ("schema/constraints::Quota/v1", "spec.high"),
        "[10.5, 100.5]",
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.float64WithValidations",
        ),
        "[0.5, 1.5]",
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.floatWithValidations",
        ),
        "[-0.5, 0.5]",
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.stringWithEvenLength",
        ),
        r#"["", "ab"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.stringWithEvenLengthAndGoodPrefix",
        ),
        r#"["good-a", "good-bcd"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.stringWithEvenLengthAndMessageExpression",
        ),
        r#"["", "ab"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.onlyAllowSettingOnUpdate",
        ),
        "[0]",
    ),
    (
        ("controller_gen/cronjob::CronJob/v1", "spec.forbiddenInt"),
        "[]",
    ),
    (
        ("controller_gen/merging::Merging/v1", "spec.twoRules"),
        r#"[{ "a": "x", "b": "" }, { "a": "x", "b": "y" }]"#,
    ),
    (
        ("controller_gen/merging::Merging/v1", "spec.marksOfField"),
        r#"[{ "a": "x", "b": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.firstCustomTypeAlias",
        ),
        "[100, 1000]",
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.secondCustomTypeAlias",
        ),
        "[100, 1000]",
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.firstTypeWithOneof",
        ),
        r#"[{}, { "foo": "" }, { "bar": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.secondTypeWithOneof",
        ),
        r#"[{}, { "a": "", "d": "" }, { "b": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.firstTypeWithExactOneof",
        ),
        r#"[{ "foo": "" }, { "bar": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.secondTypeWithExactOneof",
        ),
        r#"[{ "a": "", "c": "" }, { "b": "", "d": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.typeWithMultipleAtLeastOneOf",
        ),
        r#"[{ "a": "", "c": "" }, { "a": "", "b": "", "d": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.typeWithAllOneOf",
        ),
        r#"[{ "c": "", "e": "" }, { "a": "", "d": "", "e": "", "f": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.typeWithOmitZero",
        ),
        r#"[{}, { "foo": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.typeWithOmitZeroExact",
        ),
        r#"[{ "a": "" }, { "b": "" }]"#,
    ),
    (
        (
            "controller_gen/oneof::Oneof/v1beta1",
            "spec.typeWithOmitZeroAtLeastOneOf",
        ),
        r#"[{ "c": "" }, { "c": "", "d": "" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.keyPattern"),
        r#"[{}, { "a'\\": "" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.knownKeys"),
        r#"[{}, { "cpu": 1, "it's": 2 }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.shortKeys"),
        r#"[{}, { "ab": "c" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.exactlyOne"),
        r#"[{ "a": "" }, { "if": "" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.atMostOne"),
        r#"[{}, { "a": "" }, { "b-c": "" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.atLeastOne"),
        r#"[{ "b": "" }, { "a": "", "b": "" }]"#,
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.rule.port"),
        "[1001, 65535]",
    ),
    (
        ("schema/every_constraint::Sample/v1", "spec.message"),
        r#"["a"]"#,
    ),
    (
        ("schema/flatten::Flat/v1", "generic.cpu"),
        "[1, 2147483647]",
    ),
    (("schema/flatten::Flat/v1", "spec.cpu"), "[1, 2147483647]"),
    (("kube/derive::Press/v1", "spec.replicas"), "[0, 8]"),
    (("kube/derive::Press/v1", "status.pages"), "[0, 2147483647]"),
    (
        (
            "names/long_names::ClusterInferencePoolSetty/v1beta1",
            "status.replicas",
        ),
        "[0, 2147483647]",
    ),
    (
        (
            "names/long_names::ClusterInferencePoolSetty/v1beta1",
            "spec.replicas",
        ),
        "[0, 2147483647]",
    ),
    (
        ("client/scale::Fleet/v1", "spec.replicas"),
        "[0, 2147483647]",
    ),
    (
        ("client/scale::Fleet/v1", "status.replicas"),
        "[0, 2147483647]",
    ),
];

/// kube changes durations with many digits.
const DURATIONS: &str = r#"["0", "1h30m", "-1.5s", "250ms", "9999999999h"]"#;

/// JSON values for places at which the schema is looser than the type: a stated schema, map keys,
/// or a conversion.
const TYPES: &[(Place, &str)] = &[
    (
        ("schema/builtin_types::Service/v1", "spec.object"),
        r#"[{}, { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "b": "" } }]"#,
    ),
    (
        ("controller_gen/cronjob::CronJob/v1", "spec.unprunedFomType"),
        r#"[{ "concreteField": "" }, { "concreteField": "a" }]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.unprunedFomTypeAndField",
        ),
        r#"[{ "concreteField": "" }, { "concreteField": "a" }]"#,
    ),
    (
        ("schema/builtin_types::Service/v1", "spec.claimTemplates"),
        r#"[[], [{ "apiVersion": "v1", "kind": "PersistentVolumeClaim" }]]"#,
    ),
    (
        ("controller_gen/cronjob::CronJob/v1", "spec.schemaless"),
        r#"["", "YQ=="]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "spec.mapOfTextMarshalerKeys",
        ),
        r#"[{}, { "http://a": "" }]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "status.lastActiveLogURL",
        ),
        r#"["http://a"]"#,
    ),
    // One variant admits null, and no branch can exclude null for the others.
    (
        ("schema/data_enums::Choice/v1", "all"),
        r#"[[], [{ "t": "Nothing" }, { "t": "At", "c": { "x": 1, "y": 2 } }, { "t": "maybe", "c": null }]]"#,
    ),
    (
        ("schema/data_enums::Choice/v1", "nullable"),
        r#"[null, { "t": "Sized", "c": { "x": 1, "width": 2 } }]"#,
    ),
    // An externally tagged variant has one property, and the schema admits those of other variants
    // beside it.
    (
        ("schema/data_enums::Choice/v1", "internal"),
        r#"[{ "type": "None" }, { "type": "At", "x": 1, "y": 2 }, { "type": "Near", "x": 1, "howNear": 3 },
            { "type": "Far", "howNear": 100, "note": "" }, { "type": "Chosen", "goOn": 1 }, { "type": "Any", "note": "a" }]"#,
    ),
    (
        ("schema/data_enums::Choice/v1", "by_name"),
        r#"[{}, { "A": { "kind": "Nothing" } }]"#,
    ),
    (
        ("schema/data_enums::Choice/v1", "by_number"),
        r#"[{}, { "0": "", "65535": "a" }]"#,
    ),
    (("schema/every_constraint::Sample/v1", "spec.stated"), "[]"),
    (
        ("schema/serde_shapes::Shape/v1", "values"),
        r#"[{}, { "a": 1, "ß": null }]"#,
    ),
    (
        ("controller_gen/cronjob::CronJob/v1", "spec.noReallySuspend"),
        r#"["true", "false"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "status.lastActiveLogURL2",
        ),
        r#"["http://a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "status.lastActiveLogURL3",
        ),
        r#"["http://a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "status.lastActiveLogURL4",
        ),
        r#"["http://a"]"#,
    ),
    (
        (
            "controller_gen/cronjob::CronJob/v1",
            "status.lastScheduleTime2",
        ),
        "[0, 1]",
    ),
];

/// Kinds without a value that is both admitted and read, with the reason.
const NO_VALUES: &[(&str, &str)] = &[
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
    for ((_, place), values) in RULES.iter().chain(TYPES).filter(|row| row.0.0 == name) {
        let found = at(&mut schema, place).unwrap_or_else(|| panic!("{name} has no {place}"));
        if let Ok(values) = serde_json::from_str::<Value>(values) {
            found["enum"] = values;
        }
    }
    schema
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
    below(kind, place, LOST)
}

/// Returns whether the API server may admit a mutant that the type does not read.
pub fn may_not_be_read(kind: &Kind, value: &Value, changed: &Value, error: &Error) -> bool {
    let place = difference(value, changed);
    let has_format = at(&mut kind.schema.clone(), &place)
        .is_some_and(|schema| schema.to_string().contains(r#""format""#));
    below(kind, &place, TYPES)
        || mutants::is_admitted_everywhere(error)
        // The API server admits any list in place of a string with a format.
        || has_format && error.to_string().contains("invalid type: sequence, expected")
}

fn below(kind: &Kind, place: &str, rows: &[(Place, &str)]) -> bool {
    let name = kind.name();
    let mut rows = rows.iter().filter(|row| row.0.0 == name);
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
