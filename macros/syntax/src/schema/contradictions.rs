//! Checks across schema keys: exclusive keys, missing keys, crossed bounds, keys without effect.

use proc_macro2::Span;

use super::{OneOfKind, SchemaAttrs};
use crate::keys::Keys;
use crate::table::{self, Key};
use crate::{ListType, Number, Problems, Shape, Spanned};

/// Reports conflicts, including those that the API server accepts.
pub(super) fn check(attrs: &SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    check_numbers(attrs, keys, problems);
    check_sizes(attrs, problems);
    check_topology(attrs, keys, problems);
    check_one_of(attrs, problems);
    keys.check_exclusive(EXCLUSIVE, problems);
    // For a known shape, whichever of `map_type` and `struct_type` does not fit has been reported.
    if *shape == Shape::Unknown {
        keys.check_exclusive(&[(Key::MAP_TYPE, Key::STRUCT_TYPE)], problems);
    }
    check_replaced(keys, problems);
}

/// Reports bounds that no value satisfies, if at least one of the two bounds comes from an
/// attribute of another crate. `stated` has only the bounds in `#[crd(…)]`, which [`check`] has
/// checked.
pub(crate) fn check_merged(stated: &SchemaAttrs, merged: &SchemaAttrs, problems: &mut Problems) {
    for (found, reported) in crossed(merged).into_iter().zip(crossed(stated)) {
        if let (Some(span), None) = (found, reported) {
            let message = "no value can satisfy these bounds";
            problems.report(span, message, "swap the two numbers");
        }
    }
    if let Some(items) = &merged.items {
        let none = SchemaAttrs::default();
        check_merged(stated.items.as_deref().unwrap_or(&none), items, problems);
    }
}

/// Returns the span of each upper bound that is less than its lower bound: for numbers, for lengths
/// and for counts of properties.
fn crossed(attrs: &SchemaAttrs) -> [Option<Span>; 3] {
    // For an unknown shape, `length` of schemars sets the bounds of strings and of lists. Only one
    // of the two pairs is reported.
    let length = upper(&attrs.min_length, &attrs.max_length);
    [
        upper(&attrs.minimum, &attrs.maximum),
        length.or_else(|| upper(&attrs.min_items, &attrs.max_items)),
        upper(&attrs.min_properties, &attrs.max_properties),
    ]
}

/// Returns the span of the upper bound if it is less than the lower bound.
fn upper<T: PartialOrd>(low: &Option<Spanned<T>>, high: &Option<Spanned<T>>) -> Option<Span> {
    let (low, high) = low.as_ref().zip(high.as_ref())?;
    (low.value > high.value).then_some(high.span)
}

const EXCLUSIVE: &[(Key, Key)] = &[
    (Key::OPTIONAL, Key::REQUIRED),
    (Key::DEFAULT, Key::NO_DEFAULT),
    (Key::TYPE, Key::INT_OR_STRING),
];

fn check_numbers(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    check_order(
        Key::MINIMUM,
        Key::MAXIMUM,
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
            "`multiple_of` must be greater than 0",
            "write `multiple_of = 1`",
        );
    }
    let bound = |number: &Option<Spanned<Number>>| number.as_ref().map(|n| n.value.as_f64());
    let below = bound(&attrs.maximum).map_or(0.0, |most| most.ceil() - 1.0);
    let above = bound(&attrs.minimum).map_or(1.0, |least| least.floor() + 1.0);
    let bounds = [
        (Key::MINIMUM, attrs.exclusive_minimum, below),
        (Key::MAXIMUM, attrs.exclusive_maximum, above),
    ];
    for (bound, exclusive, sample) in bounds {
        if let Some(span) = exclusive.span().filter(|_| !keys.mentions(bound)) {
            problems.report(
                span,
                format!("`exclusive_{bound}` needs `{bound}`"),
                format!("add `{bound} = {sample}`"),
            );
        }
    }
}

fn check_sizes(attrs: &SchemaAttrs, problems: &mut Problems) {
    let lengths = (&attrs.min_length, &attrs.max_length);
    let items = (&attrs.min_items, &attrs.max_items);
    let properties = (&attrs.min_properties, &attrs.max_properties);
    for (least, greatest, (low, high)) in [
        (Key::MIN_LENGTH, Key::MAX_LENGTH, lengths),
        (Key::MIN_ITEMS, Key::MAX_ITEMS, items),
        (Key::MIN_PROPERTIES, Key::MAX_PROPERTIES, properties),
    ] {
        if check_order(least, greatest, low, high, problems) {
            check_room(greatest, high, problems);
        }
    }
}

/// Returns whether the bounds are in order, and reports them otherwise.
fn check_order<T: PartialOrd>(
    least: Key,
    greatest: Key,
    low: &Option<Spanned<T>>,
    high: &Option<Spanned<T>>,
    problems: &mut Problems,
) -> bool {
    if let Some(span) = upper(low, high) {
        problems.report(
            span,
            format!("`{greatest}` must not be less than `{least}`"),
            "swap the two numbers",
        );
        return false;
    }
    true
}

/// Reports an upper bound of 0, which only the empty value satisfies.
fn check_room(key: Key, bound: &Option<Spanned<u64>>, problems: &mut Problems) {
    if let Some(bound) = bound.as_ref().filter(|bound| bound.value == 0) {
        problems.report(
            bound.span,
            format!("`{key} = 0` allows only an empty value"),
            "write a greater number, or remove the field",
        );
    }
}

fn check_topology(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    let is_map = attrs
        .list_type
        .as_ref()
        .filter(|list_type| list_type.value == ListType::Map);
    match (is_map, attrs.list_map_keys.first()) {
        (Some(list_type), None) if !keys.mentions(Key::LIST_MAP_KEYS) => {
            problems.report(
                list_type.span,
                "`list_type = \"map\"` needs `list_map_keys`",
                "add `list_map_keys = [\"name\"]`",
            );
        }
        (None, Some(key)) if (attrs.list_type.is_some() || !keys.mentions(Key::LIST_TYPE)) => {
            let help = match attrs.list_type {
                Some(_) => "remove `list_map_keys`, or change `list_type` to `\"map\"`",
                None => "add `list_type = \"map\"`",
            };
            problems.report(
                key.span,
                "`list_map_keys` needs `list_type = \"map\"`",
                help,
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
                "expected at least two fields",
                "list them: `[\"a\", \"b\"]`",
            );
        }
        let key = match rule.kind {
            OneOfKind::AtMost => Key::AT_MOST_ONE_OF,
            OneOfKind::Exactly => Key::EXACTLY_ONE_OF,
            OneOfKind::AtLeast => Key::AT_LEAST_ONE_OF,
        };
        for field in &rule.fields {
            if let Some((outer, _)) = field.value.split_once('.') {
                problems.report(
                    field.span,
                    "expected a field of this type, found a path",
                    format!("write `#[crd({key} = ..)]` on the type of `{outer}`"),
                );
            }
        }
    }
}

/// Reports keys that have no effect beside `schema`, which replaces the whole schema of the type.
fn check_replaced(keys: &Keys, problems: &mut Problems) {
    const KEPT: [Key; 8] = [
        Key::SCHEMA,
        Key::OPTIONAL,
        Key::REQUIRED,
        Key::NULLABLE,
        Key::DEFAULT,
        Key::NO_DEFAULT,
        Key::IMMUTABLE,
        Key::VALIDATION,
    ];
    if keys.get(Key::SCHEMA).is_none() {
        return;
    }
    let is_lost = |key: Key| is_schema_key(key) && !KEPT.contains(&key);
    for lost in keys.iter().filter(|found| is_lost(found.key)) {
        problems.report(
            lost.span,
            format!(
                "`{}` has no effect with `schema`, which replaces the whole schema",
                lost.key
            ),
            "move it into `schema`",
        );
    }
}

fn is_schema_key(key: Key) -> bool {
    table::find(key.as_str()).any(|entry| entry.sites != [crate::Site::Resource])
}
