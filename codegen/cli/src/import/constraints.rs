//! Schema keywords as arguments of `#[crd(…)]`.

use genclient_codegen::{JsonType, Schema, Validation};
use genclient_syntax::Reason;
use serde_json::{Value, json};

use super::attribute::KeyArgument;

/// Whether a type is a struct. On structs, the argument for `x-kubernetes-map-type` is
/// `struct_type`, and on other types `map_type`.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Struct,
    Other,
}

/// The arguments that change a type's schema from `base` to `target`; `None` if attributes cannot
/// express the difference. Descriptions, defaults and `nullable` are ignored.
pub(super) fn arguments_between(
    base: &Schema,
    target: &Schema,
    shape: Shape,
) -> Option<Vec<KeyArgument>> {
    let mut arguments = Vec::new();
    let has_equal_parts = base.type_ == target.type_
        && base.int_or_string == target.int_or_string
        && base.items == target.items
        && base.properties == target.properties
        && base.required == target.required
        && base.additional_properties == target.additional_properties;
    if !has_equal_parts {
        return None;
    }
    add_format(base, target, &mut arguments)?;
    add_flags(base, target, &mut arguments)?;
    add_numbers(base, target, &mut arguments)?;
    add_sizes(target, &mut arguments)?;
    if base.pattern != target.pattern {
        let pattern = target.pattern.as_ref().filter(|_| base.pattern.is_none())?;
        arguments.push(KeyArgument::from_text("pattern", pattern));
    }
    if base.enum_ != target.enum_ {
        arguments.push(KeyArgument::Value("enum", target.enum_.clone().into()));
    }
    add_topology(target, shape, &mut arguments)?;
    add_applicators(base, target, &mut arguments)?;
    add_annotations(target, &mut arguments)?;
    add_rules(&target.validations, &mut arguments)?;
    Some(arguments)
}

fn add_format(base: &Schema, target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    if base.format == target.format {
        return Some(());
    }
    if base.format.is_some() {
        arguments.push(KeyArgument::from_text("type", base.type_?.as_str()));
    }
    if let Some(format) = &target.format {
        arguments.push(KeyArgument::from_text("format", format));
    }
    Some(())
}

fn add_flags(base: &Schema, target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    let mut preserves = base.preserve_unknown_fields;
    if base.embedded_resource != target.embedded_resource {
        if base.embedded_resource {
            return None;
        }
        arguments.push(KeyArgument::Flag("embedded_resource"));
        // The attribute implies it for an object without properties.
        preserves |= target.properties.is_empty();
    }
    if preserves != target.preserve_unknown_fields {
        let is_object = matches!(target.type_, None | Some(JsonType::Object));
        if preserves || !is_object || target.additional_properties.is_some() {
            return None;
        }
        arguments.push(KeyArgument::Flag("preserve_unknown_fields"));
    }
    Some(())
}

fn add_numbers(base: &Schema, target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    if base.minimum.is_some() || base.maximum.is_some() || base.multiple_of.is_some() {
        return None;
    }
    let bounds = [
        ("minimum", &target.minimum),
        ("maximum", &target.maximum),
        ("multiple_of", &target.multiple_of),
    ];
    for (name, number) in bounds {
        if let Some(number) = number {
            arguments.push(KeyArgument::Value(name, integer_if_whole(number)));
        }
    }
    let exclusive = [
        (
            "exclusive_minimum",
            target.exclusive_minimum,
            &target.minimum,
        ),
        (
            "exclusive_maximum",
            target.exclusive_maximum,
            &target.maximum,
        ),
    ];
    for (name, is_set, bound) in exclusive {
        if is_set {
            bound.as_ref()?;
            arguments.push(KeyArgument::Flag(name));
        }
    }
    Some(())
}

/// The number as an integer if its fraction is `.0`.
fn integer_if_whole(number: &serde_json::Number) -> Value {
    let float = number.as_f64().filter(|float| {
        number.as_i64().is_none() && number.as_u64().is_none() && float.fract() == 0.0
    });
    match float {
        Some(float) if float.abs() < 9e15 => json!(float as i64),
        _ => Value::Number(number.clone()),
    }
}

fn add_sizes(target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    let sizes = [
        ("min_length", target.min_length),
        ("max_length", target.max_length),
        ("min_items", target.min_items),
        ("max_items", target.max_items),
        ("min_properties", target.min_properties),
        ("max_properties", target.max_properties),
    ];
    for (name, size) in sizes {
        let Some(size) = size else { continue };
        // The macros refuse a maximum of 0.
        if size == 0 && name.starts_with("max") {
            return None;
        }
        arguments.push(KeyArgument::Value(name, size.into()));
    }
    Some(())
}

fn add_topology(target: &Schema, shape: Shape, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    if let Some(list_type) = target.list_type {
        arguments.push(KeyArgument::from_text("list_type", list_type.as_str()));
    }
    if !target.list_map_keys.is_empty() {
        target.list_type?;
        let keys = target.list_map_keys.clone();
        arguments.push(KeyArgument::Value("list_map_keys", keys.into()));
    }
    if let Some(map_type) = target.map_type {
        let name = match shape {
            Shape::Struct => "struct_type",
            Shape::Other if target.additional_properties.is_some() => "map_type",
            Shape::Other => return None,
        };
        arguments.push(KeyArgument::from_text(name, map_type.as_str()));
    }
    Some(())
}

fn add_applicators(base: &Schema, target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    let lists = [
        ("all_of", &base.all_of, &target.all_of),
        ("any_of", &base.any_of, &target.any_of),
        ("one_of", &base.one_of, &target.one_of),
    ];
    for (name, base, target) in lists {
        if base == target {
            continue;
        }
        if !base.is_empty() {
            return None;
        }
        arguments.push(KeyArgument::Value(name, json!(target)));
    }
    if base.not.is_some() {
        return None;
    }
    if let Some(not) = &target.not {
        arguments.push(KeyArgument::Value("not", json!(not)));
    }
    Some(())
}

fn add_annotations(target: &Schema, arguments: &mut Vec<KeyArgument>) -> Option<()> {
    if let Some(title) = &target.title {
        arguments.push(KeyArgument::from_text("title", title));
    }
    if let Some(example) = &target.example {
        arguments.push(KeyArgument::Value("example", example.clone()));
    }
    if let Some(docs) = &target.external_docs {
        let text = |name: &str| docs.get(name).and_then(Value::as_str);
        let mut docs_arguments = vec![KeyArgument::from_text("url", text("url")?)];
        docs_arguments
            .extend(text("description").map(|text| KeyArgument::from_text("description", text)));
        arguments.push(KeyArgument::List("external_docs", docs_arguments));
    }
    Some(())
}

/// Adds a `validation(…)` for each rule; `None` if attributes cannot express a rule.
fn add_rules(rules: &[Validation], arguments: &mut Vec<KeyArgument>) -> Option<()> {
    for rule in rules {
        let mut rule_arguments = vec![KeyArgument::from_text("rule", &rule.rule)];
        let texts = [
            ("message", &rule.message),
            ("message_expression", &rule.message_expression),
            ("reason", &rule.reason),
            ("field_path", &rule.field_path),
        ];
        for (name, text) in texts {
            rule_arguments.extend(text.as_ref().map(|text| KeyArgument::from_text(name, text)));
        }
        if let Some(reason) = &rule.reason {
            Reason::from_name(reason)?;
        }
        match rule.optional_old_self {
            Some(true) => rule_arguments.push(KeyArgument::Flag("optional_old_self")),
            Some(false) => return None,
            None => {}
        }
        arguments.push(KeyArgument::List("validation", rule_arguments));
    }
    Some(())
}

/// The schema as a `schema` argument, without description, default and `nullable`. Rules are
/// separate arguments if attributes can express all of them.
pub(super) fn schema_arguments(target: &Schema) -> Vec<KeyArgument> {
    let mut schema = Schema {
        description: None,
        default: None,
        nullable: false,
        ..target.clone()
    };
    let mut rules = Vec::new();
    if add_rules(&target.validations, &mut rules).is_some() {
        schema.validations.clear();
    } else {
        rules.clear();
    }
    let mut arguments = vec![KeyArgument::Value("schema", json!(schema))];
    arguments.extend(rules);
    arguments
}

/// The schema that genclient derives from a scalar type.
pub(super) fn scalar_schema(type_: JsonType, format: Option<&str>) -> Schema {
    Schema {
        format: format.map(str::to_owned),
        ..Schema::typed(type_)
    }
}
