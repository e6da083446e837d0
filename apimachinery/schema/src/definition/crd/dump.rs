//! Formatting of values in messages, as Go prints the API server's internal types: all fields, with
//! their Go names.

use genclient_apimachinery::go::json;
use serde_json::Value;

use super::go_fields::{KEYWORDS, Kind};
use super::internal::Version;
use super::json_schema_props::{Props, SchemaOr};

pub(super) fn schema(schema: Props<'_>) -> String {
    object(KEYWORDS.into_iter().map(|(name, keyword, kind)| {
        let value = schema.get(keyword);
        let printed = match kind {
            Kind::Text => json(value.unwrap_or(&"".into())),
            Kind::Flag => json(value.unwrap_or(&false.into())),
            Kind::Value | Kind::List => json(value.unwrap_or(&Value::Null)),
            Kind::Schema => of_value(value),
            Kind::Schemas => list(value, |it| of_value(Some(it))),
            Kind::Map => map(value, |it| of_value(Some(it))),
            Kind::OrBool => or_bool(value),
            Kind::OrArray => value.map_or("null".to_owned(), |_| items(schema.items())),
            Kind::Dependencies => map(value, dependency),
            Kind::Docs => value.map_or("null".to_owned(), |docs| {
                let text = |name: &str| json(docs.get(name).unwrap_or(&"".into()));
                object([("Description", text("description")), ("URL", text("url"))])
            }),
            Kind::Rules => list(value, rule),
        };
        (name, printed)
    }))
}

pub(super) fn rule(rule: &Value) -> String {
    let text = |name: &str| json(rule.get(name).unwrap_or(&"".into()));
    let pointer = |name: &str| json(rule.get(name).unwrap_or(&Value::Null));
    object([
        ("Rule", text("rule")),
        ("Message", text("message")),
        ("MessageExpression", text("messageExpression")),
        ("Reason", pointer("reason")),
        ("FieldPath", text("fieldPath")),
        ("OptionalOldSelf", pointer("optionalOldSelf")),
    ])
}

pub(super) fn items(items: Option<SchemaOr<'_, &[Value]>>) -> String {
    let (one, several) = match items {
        Some(SchemaOr::Schema(one)) => (schema(one), "null".to_owned()),
        Some(SchemaOr::Other(several)) => {
            let several: Vec<_> = several.iter().map(|it| of_value(Some(it))).collect();
            ("null".to_owned(), format!("[{}]", several.join(",")))
        }
        None => return "null".to_owned(),
    };
    object([("Schema", one), ("JSONSchemas", several)])
}

pub(super) fn versions(spec: &Value, versions: &[Version<'_>]) -> String {
    if !spec.get("versions").is_some_and(Value::is_array) {
        return "null".to_owned();
    }
    let versions: Vec<_> = versions.iter().map(version).collect();
    format!("[{}]", versions.join(","))
}

fn version(version: &Version<'_>) -> String {
    let (value, parts) = (version.value, version.parts);
    let flag = |name: &str| json(value.get(name).unwrap_or(&false.into()));
    let warning = value.get("deprecationWarning").unwrap_or(&Value::Null);
    let text = |value: &Value, name: &str| json(value.get(name).unwrap_or(&"".into()));
    object([
        ("Name", json(&version.name.into())),
        ("Served", flag("served")),
        ("Storage", flag("storage")),
        ("Deprecated", flag("deprecated")),
        ("DeprecationWarning", json(warning)),
        (
            "Schema",
            parts.schema.map_or("null".to_owned(), |schema| {
                object([("OpenAPIV3Schema", of_value(schema.get("openAPIV3Schema")))])
            }),
        ),
        (
            "Subresources",
            parts
                .subresources
                .map_or("null".to_owned(), |subresources| {
                    let get = |name: &str| subresources.get(name).filter(|it| it.is_object());
                    let status = get("status").map_or("null", |_| "{}");
                    let scale = get("scale").map_or("null".to_owned(), |scale| {
                        let selector = scale.get("labelSelectorPath").unwrap_or(&Value::Null);
                        object([
                            ("SpecReplicasPath", text(scale, "specReplicasPath")),
                            ("StatusReplicasPath", text(scale, "statusReplicasPath")),
                            ("LabelSelectorPath", json(selector)),
                        ])
                    });
                    object([("Status", status.to_owned()), ("Scale", scale)])
                }),
        ),
        (
            "AdditionalPrinterColumns",
            list(parts.columns, |column| {
                let priority = column.get("priority").cloned().unwrap_or(0.into());
                object([
                    ("Name", text(column, "name")),
                    ("Type", text(column, "type")),
                    ("Format", text(column, "format")),
                    ("Description", text(column, "description")),
                    ("Priority", json(&priority)),
                    ("JSONPath", text(column, "jsonPath")),
                ])
            }),
        ),
        (
            "SelectableFields",
            list(parts.selectable, |field| {
                object([("JSONPath", text(field, "jsonPath"))])
            }),
        ),
    ])
}

fn of_value(value: Option<&Value>) -> String {
    let schema = value.and_then(Props::of).map(self::schema);
    schema.unwrap_or_else(|| "null".to_owned())
}

fn or_bool(value: Option<&Value>) -> String {
    let (allows, schema) = match value {
        None => return "null".to_owned(),
        Some(Value::Bool(allows)) => (*allows, "null".to_owned()),
        Some(schema) => (true, of_value(Some(schema))),
    };
    object([("Allows", allows.to_string()), ("Schema", schema)])
}

fn dependency(value: &Value) -> String {
    let (schema, names) = match value {
        Value::Array(_) => ("null".to_owned(), json(value)),
        schema => (of_value(Some(schema)), "null".to_owned()),
    };
    object([("Schema", schema), ("Property", names)])
}

fn list(value: Option<&Value>, print: impl Fn(&Value) -> String) -> String {
    let items = value.and_then(Value::as_array);
    items.map_or("null".to_owned(), |items| {
        let items: Vec<_> = items.iter().map(print).collect();
        format!("[{}]", items.join(","))
    })
}

fn map(value: Option<&Value>, print: impl Fn(&Value) -> String) -> String {
    let members = value.and_then(Value::as_object);
    members.map_or("null".to_owned(), |members| {
        let member = |(name, value): (&String, &Value)| {
            format!("{}:{}", json(&name.as_str().into()), print(value))
        };
        let members: Vec<_> = members.iter().map(member).collect();
        format!("{{{}}}", members.join(","))
    })
}

fn object<'n>(members: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let members = members.into_iter();
    let members: Vec<_> = members
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}
