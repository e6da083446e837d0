//! Lints about names, which the API types decide.

use std::collections::BTreeSet;

use crate::emit::wrap::wrap;
use crate::model::{ApplyForm, ApplyModule, ApplyType};

/// The `allow` attribute for names that rustc or clippy would report; empty if there are none.
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
    let lints: Vec<_> = lints.into_iter().collect();
    let lints = lints.join(", ");
    wrap(&format!(
        "#![allow({lints}, reason = \"names are those of the API types\")]"
    ))
}

fn type_lints(type_: &ApplyType) -> Vec<&'static str> {
    let mut lints: Vec<_> = camel_case_lint(&type_.name).into_iter().collect();
    match &type_.form {
        ApplyForm::Kind(_, body) | ApplyForm::Struct(body) => {
            for field in &body.fields {
                lints.extend(snake_case_lint(&field.name));
                lints.extend(method_lint(&field.setter));
            }
        }
        ApplyForm::Union(union) => {
            let variants = union.variants.iter();
            lints.extend(variants.filter_map(|variant| camel_case_lint(&variant.name)));
        }
    }
    lints
}

fn snake_case_lint(name: &str) -> Option<&'static str> {
    let is_unusual = name.contains(char::is_uppercase) || name.contains("__");
    is_unusual.then_some("non_snake_case")
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
