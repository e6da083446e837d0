//! Keys that cannot stand together, or that have no effect together.

use proc_macro2::Span;

use super::{ListType, SchemaAttrs};
use crate::keys::Keys;
use crate::{Problems, Shape, Spanned};

/// Reports what contradicts itself. The API server lets most of it pass; nothing of it can ever work.
pub(super) fn check(attrs: &SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    check_numbers(attrs, keys, problems);
    check_order(
        "min_length",
        "max_length",
        &attrs.min_length,
        &attrs.max_length,
        problems,
    );
    check_order(
        "min_items",
        "max_items",
        &attrs.min_items,
        &attrs.max_items,
        problems,
    );
    check_order(
        "min_properties",
        "max_properties",
        &attrs.min_properties,
        &attrs.max_properties,
        problems,
    );
    check_room(attrs, problems);
    check_topology(attrs, keys, problems);
    check_one_of(attrs, problems);
    for (left, right) in EXCLUSIVE {
        if let (Some(_), Some(key)) = (keys.get(left), keys.get(right)) {
            problems.report(
                key.span,
                format!("`{left}` and `{right}` contradict each other"),
                "keep one of them",
            );
        }
    }
    // Of a type that can be seen, one of the two has been refused.
    if let (Some(_), Some(key), Shape::Unknown) =
        (keys.get("map_type"), keys.get("struct_type"), shape)
    {
        problems.report(
            key.span,
            "`map_type` and `struct_type` contradict each other",
            "keep one of them",
        );
    }
    check_replaced(keys, problems);
}

const EXCLUSIVE: &[(&str, &str)] = &[
    ("optional", "required"),
    ("default", "no_default"),
    ("type", "int_or_string"),
];

fn check_numbers(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    check_order(
        "minimum",
        "maximum",
        &attrs.minimum,
        &attrs.maximum,
        problems,
    );
    if let Some(factor) = attrs
        .multiple_of
        .as_ref()
        .filter(|factor| factor.value.as_f64() <= 0.0)
    {
        problems.report(
            factor.span,
            "`multiple_of` is above 0",
            "write `multiple_of = 1`",
        );
    }
    let bounds = [
        ("minimum", attrs.exclusive_minimum),
        ("maximum", attrs.exclusive_maximum),
    ];
    for (bound, exclusive) in bounds {
        if let Some(span) = exclusive.span().filter(|_| !keys.mentions(bound)) {
            problems.report(
                span,
                format!("`exclusive_{bound}` needs a `{bound}`"),
                format!("add `{bound} = 0`"),
            );
        }
    }
}

fn check_order<T: PartialOrd>(
    least: &str,
    greatest: &str,
    low: &Option<Spanned<T>>,
    high: &Option<Spanned<T>>,
    problems: &mut Problems,
) {
    if let (Some(low), Some(high)) = (low, high)
        && low.value > high.value
    {
        problems.report(
            high.span,
            format!("`{greatest}` is below `{least}`"),
            "swap the two",
        );
    }
}

/// A bound of 0 leaves room for nothing but the empty value.
fn check_room(attrs: &SchemaAttrs, problems: &mut Problems) {
    let bounds = [
        ("max_length", &attrs.max_length),
        ("max_items", &attrs.max_items),
        ("max_properties", &attrs.max_properties),
    ];
    for (key, bound) in bounds {
        if let Some(bound) = bound.as_ref().filter(|bound| bound.value == 0) {
            let message = format!("`{key} = 0` leaves room for nothing");
            problems.report(
                bound.span,
                message,
                "write a greater number, or remove the field",
            );
        }
    }
}

fn check_topology(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    let is_map = attrs
        .list_type
        .as_ref()
        .filter(|list_type| list_type.value == ListType::Map);
    match (is_map, attrs.list_map_keys.first()) {
        (Some(list_type), None) if !keys.mentions("list_map_keys") => {
            problems.report(
                list_type.span,
                "a `map` list needs `list_map_keys`",
                "add `list_map_keys = [\"name\"]`",
            );
        }
        (None, Some(key)) if (attrs.list_type.is_some() || !keys.mentions("list_type")) => {
            problems.report(
                key.span,
                "`list_map_keys` needs a `map` list",
                "add `list_type = \"map\"`",
            );
        }
        _ => {}
    }
}

fn check_one_of(attrs: &SchemaAttrs, problems: &mut Problems) {
    for rule in &attrs.one_of {
        if rule.fields.len() < 2 {
            problems.report(
                rule.span,
                "a choice needs two fields or more",
                "name them: `[\"a\", \"b\"]`",
            );
        }
        for field in rule.fields.iter().filter(|field| field.value.contains('.')) {
            problems.report(
                field.span,
                "a choice is between fields of this type",
                "write the rule on the inner type",
            );
        }
    }
}

/// `schema` replaces everything that would come from the type and from other keys.
fn check_replaced(keys: &Keys, problems: &mut Problems) {
    const KEPT: &[&str] = &[
        "schema",
        "optional",
        "required",
        "nullable",
        "default",
        "no_default",
        "immutable",
        "validation",
    ];
    if keys.get("schema").is_none() {
        return;
    }
    let lost: Vec<(&str, Span)> = keys.iter().map(|key| (key.name, key.span)).collect();
    for (name, span) in lost
        .into_iter()
        .filter(|(name, _)| is_schema_key(name) && !KEPT.contains(name))
    {
        problems.report(
            span,
            format!("`schema` replaces the whole schema, and `{name}` with it"),
            "write it inside `schema`",
        );
    }
}

fn is_schema_key(name: &str) -> bool {
    crate::table::find(name).any(|entry| entry.sites != [crate::Site::Resource])
}
