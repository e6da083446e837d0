//! Validation of list types, map types and merge keys, with the API server's wording.

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use super::dump;
use super::json_schema_props::{Props, SchemaOr, key};
use super::options::Options;

pub(super) fn causes(
    schema: Props<'_>,
    path: &str,
    options: &Options<'_>,
    causes: &mut Vec<Cause>,
) {
    map_type(schema, path, causes);
    list_type(schema, path, options, causes);
    if !schema.list("x-kubernetes-list-map-keys").is_empty() {
        let field = format!("{path}.x-kubernetes-list-type");
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match schema.list_type() {
            Some("map") => {}
            None => causes.push(Cause::required(field, detail)),
            Some(other) => causes.push(Cause::invalid(field, &other.into(), detail)),
        }
    }
    if schema.list_type() == Some("map") {
        map_list(schema, path, causes);
    }
    if options.map_keys {
        causes.extend(key_causes(schema, path));
    }
}

fn wrong_type(schema: Props<'_>, path: &str, detail: &str) -> Cause {
    let field = format!("{path}.type");
    match schema.type_() {
        "" => Cause::required(field, detail),
        type_ => Cause::invalid(field, &type_.into(), detail),
    }
}

fn map_type(schema: Props<'_>, path: &str, causes: &mut Vec<Cause>) {
    let Some(map_type) = schema.map_type() else {
        return;
    };
    if schema.type_() != "object" {
        let detail = "must be object if x-kubernetes-map-type is specified";
        causes.push(wrong_type(schema, path, detail));
    }
    let known = ["atomic", "granular"];
    if !known.contains(&map_type) {
        let field = format!("{path}.x-kubernetes-map-type");
        causes.push(Cause::not_supported(field, &map_type.into(), &known));
    }
}

fn list_type(schema: Props<'_>, path: &str, options: &Options<'_>, causes: &mut Vec<Cause>) {
    let Some(list_type) = schema.list_type() else {
        return;
    };
    if schema.type_() != "array" {
        let detail = "must be array if x-kubernetes-list-type is specified";
        causes.push(wrong_type(schema, path, detail));
    } else if options.atomic_sets
        && let Some(keyword) = granular_items(schema)
    {
        let field = format!("{path}.items.{keyword}");
        // The API server prints the list type even if the map type is the error.
        let printed = schema.items_schema().and_then(Props::list_type);
        let printed = printed.map_or(Value::Null, Value::from);
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        causes.push(Cause::invalid_text(
            field,
            &genclient_apimachinery::go::json(&printed),
            detail,
        ));
    }
    let known = ["atomic", "set", "map"];
    if !known.contains(&list_type) {
        let field = format!("{path}.x-kubernetes-list-type");
        causes.push(Cause::not_supported(field, &list_type.into(), &known));
    }
}

/// If a set has granular items, which the API server rejects, returns the keyword to correct:
/// `x-kubernetes-list-type` or `x-kubernetes-map-type` of the items.
pub(super) fn granular_items(schema: Props<'_>) -> Option<&'static str> {
    let items = schema.items_schema()?;
    if schema.list_type() != Some("set") {
        return None;
    }
    match items.type_() {
        "array" if items.list_type().is_some_and(|it| it != "atomic") => {
            Some("x-kubernetes-list-type")
        }
        "object" if items.map_type() != Some("atomic") => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn map_list(schema: Props<'_>, path: &str, causes: &mut Vec<Cause>) {
    let keys = schema.list("x-kubernetes-list-map-keys");
    let keys_field = format!("{path}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        causes.push(Cause::required(&*keys_field, detail));
    }
    let items_path = format!("{path}.items");
    let items = match schema.items() {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            return causes.push(Cause::required(items_path, detail));
        }
        Some(SchemaOr::Other(_)) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            let printed = dump::items(schema.items());
            return causes.push(Cause::invalid_text(items_path, &printed, detail));
        }
        Some(SchemaOr::Schema(items)) => items,
    };
    if items.type_() != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let type_ = items.type_().into();
        return causes.push(Cause::invalid(format!("{items_path}.type"), &type_, detail));
    }
    let printed = Value::Array(keys.to_vec());
    for (at, name) in keys.iter().enumerate() {
        let text = name.as_str().unwrap_or_default();
        match items.property(text) {
            Some(property) if ["array", "object"].contains(&property.type_()) => {
                let field = key(&items_path, "properties", text);
                let detail =
                    "must be a scalar type if parent array's x-kubernetes-list-type is map";
                causes.push(Cause::invalid(
                    format!("{field}.type"),
                    &"object".into(),
                    detail,
                ));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                causes.push(Cause::invalid(&*keys_field, &printed, detail));
            }
        }
        if keys[..at].contains(name) {
            let detail = "must not contain duplicate entries";
            causes.push(Cause::invalid(&*keys_field, &printed, detail));
        }
    }
}

/// Checks that items of sets and map lists are not nullable. The keys of map lists must not be
/// nullable, and must be required or have a default (`validateMapListKeysMapSet`).
pub(super) fn key_causes(schema: Props<'_>, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let list_type = schema.list_type().filter(|it| ["set", "map"].contains(it));
    let (Some(items), Some(list_type)) = (schema.items_schema(), list_type) else {
        return causes;
    };
    if items.is_set("nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        causes.push(Cause::forbidden(format!("{path}.items.nullable"), &detail));
    }
    if list_type == "set" {
        return causes;
    }
    for name in schema.list("x-kubernetes-list-map-keys") {
        let text = name.as_str().unwrap_or_default();
        let Some(property) = items.property(text) else {
            continue;
        };
        let field = key(&format!("{path}.items"), "properties", text);
        let is_required = items.list("required").contains(name);
        if !is_required && property.get("default").is_none() {
            causes.push(Cause::required(
                format!("{field}.default"),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be \
                 a required property",
            ));
        }
        if property.is_set("nullable") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            causes.push(Cause::forbidden(format!("{field}.nullable"), detail));
        }
    }
    causes
}
