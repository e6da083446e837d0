//! Lints about names and types, which the API decides.

use std::collections::BTreeSet;

use crate::emit::names::snake_case_lint;
use crate::emit::wrap::wrap;
use crate::model::{ApplyForm, ApplyModule, ApplyType, ApplyUnion, ApplyValue};

/// The `allow` attribute for what rustc or clippy would report; empty if that is nothing.
pub(super) fn allow_attribute(modules: &[ApplyModule]) -> String {
    let mut lints = BTreeSet::new();
    for module in modules {
        let segments = module.path.iter();
        lints.extend(segments.filter_map(|segment| snake_case_lint(segment)));
        lints.extend(module.types.iter().flat_map(type_lints));
    }
    if lints.is_empty() {
        return String::new();
    }
    let names = lints.into_iter().collect::<Vec<_>>().join(", ");
    // `allow`: whether rustc and clippy report these names depends on the types of the fields and
    // on the settings of the package, and `expect` would then be reported itself.
    wrap(&format!(
        "#![allow({names}, reason = \"names and types are those of the API\")]"
    ))
}

fn type_lints(type_: &ApplyType) -> Vec<&'static str> {
    let mut lints: Vec<_> = camel_case_lint(&type_.name).into_iter().collect();
    lints.extend(type_.names_deprecated.then_some("deprecated"));
    match &type_.form {
        ApplyForm::Kind(_, body) | ApplyForm::Struct(body) => {
            for field in &body.fields {
                lints.extend(snake_case_lint(&field.name));
                lints.extend(method_lint(&field.setter));
                lints.extend(placeholder_lint(&field.name));
                lints.extend(complexity_lint(&field.value));
            }
        }
        ApplyForm::Union(union) => {
            lints.extend(variant_size_lint(union));
            let variants = union.variants.iter();
            lints.extend(variants.filter_map(|variant| camel_case_lint(&variant.name)));
        }
    }
    lints
}

fn camel_case_lint(name: &str) -> Option<&'static str> {
    let is_unusual = name.starts_with(char::is_lowercase) || name.contains('_');
    is_unusual.then_some("non_camel_case_types")
}

/// The lint of clippy that expects another signature of a method with this name.
fn method_lint(name: &str) -> Option<&'static str> {
    let operators = [
        "add", "bitand", "bitor", "bitxor", "div", "mul", "rem", "shl", "shr", "sub",
    ];
    let prefixes = ["as_", "from_", "into_", "is_", "to_"];
    if operators.contains(&name) {
        Some("clippy::should_implement_trait")
    } else if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
        Some("clippy::wrong_self_convention")
    } else {
        None
    }
}

/// The lint of clippy that takes the name of a parameter for a placeholder.
fn placeholder_lint(name: &str) -> Option<&'static str> {
    let is_placeholder = ["foo", "baz", "quux"].contains(&name);
    is_placeholder.then_some("clippy::disallowed_names")
}

/// The lint of clippy about variants of different sizes. The type may have its content in a `Box`.
fn variant_size_lint(union: &ApplyUnion) -> Option<&'static str> {
    (union.variants.len() > 1).then_some("clippy::large_enum_variant")
}

/// The lint of clippy about types with many arguments, such as maps in lists in maps.
fn complexity_lint(value: &ApplyValue) -> Option<&'static str> {
    (depth(value) >= 3).then_some("clippy::type_complexity")
}

/// How many collections are within each other.
fn depth(value: &ApplyValue) -> usize {
    match value {
        ApplyValue::Text | ApplyValue::Plain(_) | ApplyValue::Config(_) => 0,
        ApplyValue::Option(inner) | ApplyValue::Array(inner, _) => depth(inner),
        ApplyValue::List { item, .. } => 1 + depth(item),
        ApplyValue::Map { key, value, .. } => 1 + depth(key).max(depth(value)),
    }
}
