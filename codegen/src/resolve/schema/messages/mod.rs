//! Messages and help for findings of the schema checks.

use genclient_apimachinery::strfmt;
use genclient_schema::definition::bounds::Trap;
use genclient_schema::definition::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, StructureRule, ValidationRule,
};
use genclient_schema::values::{self, BranchRule, Limit, ViolationKind};
use genclient_syntax::{Help, suggest};
use serde_json::Number;

use crate::resolve::explanation::Explanation;

/// Predicate of a sentence about a value that violates its schema: `is below the minimum 1`.
pub(super) fn describe_violation(kind: &ViolationKind) -> String {
    match kind {
        ViolationKind::Type { found: "null", .. } => "must not be null".to_owned(),
        ViolationKind::Type { expected, .. } => {
            format!("must be of type {}", name_of_type(expected))
        }
        ViolationKind::Range {
            format: Some(format),
            ..
        } if format != "int64" => "does not fit into 32 bits".to_owned(),
        ViolationKind::Range { .. } => format!("must be of type {}", name_of_type("int64")),
        ViolationKind::Enum(_) => "is not one of the values of `enum`".to_owned(),
        ViolationKind::Minimum { bound, exclusive } => {
            if *exclusive {
                format!("is not greater than {}", format_number(bound))
            } else {
                format!("is below the minimum {}", format_number(bound))
            }
        }
        ViolationKind::Maximum { bound, exclusive } => {
            if *exclusive {
                format!("is not less than {}", format_number(bound))
            } else {
                format!("is above the maximum {}", format_number(bound))
            }
        }
        ViolationKind::MultipleOf(factor) => {
            format!("is not a multiple of {}", format_number(factor))
        }
        ViolationKind::Limit(Limit::MinLength(least)) => {
            format!("has fewer than {least} characters")
        }
        ViolationKind::Limit(Limit::MaxLength(most)) => format!("has more than {most} characters"),
        ViolationKind::Limit(Limit::MinItems(least)) => format!("has fewer than {least} items"),
        ViolationKind::Limit(Limit::MaxItems(most)) => format!("has more than {most} items"),
        ViolationKind::Limit(Limit::MinProperties(least)) => {
            format!("has fewer than {least} properties")
        }
        ViolationKind::Limit(Limit::MaxProperties(most)) => {
            format!("has more than {most} properties")
        }
        ViolationKind::Pattern(_) => "does not match the pattern".to_owned(),
        ViolationKind::Format(format) => format!("does not match the format {format}"),
        ViolationKind::NonPositiveFactor(factor) => format!(
            "is an integer, for which `multipleOf` is truncated to {}",
            format_number(factor)
        ),
        ViolationKind::NotAnObject => "must be of type object".to_owned(),
        ViolationKind::DuplicateItem => "is a duplicate".to_owned(),
        ViolationKind::DuplicateKeys(_) => "has the same keys as an earlier item".to_owned(),
        ViolationKind::Required(name) => format!("lacks the required field `{name}`"),
        ViolationKind::ForbiddenMember(name) => format!("must not have `{name}`"),
        ViolationKind::UnknownField => "is not a field of the type".to_owned(),
        ViolationKind::Branches(BranchRule::AnyOf) => "matches no schema in `anyOf`".to_owned(),
        ViolationKind::Branches(BranchRule::OneOf { .. }) => {
            "does not match exactly one schema in `oneOf`".to_owned()
        }
        ViolationKind::Branches(BranchRule::AllOf { .. } | BranchRule::Not) => {
            "violates `allOf` or `not`".to_owned()
        }
    }
}

/// Formats a number, without `.0` if it is a whole number.
fn format_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float.to_string(),
        _ => number.to_string(),
    }
}

fn name_of_type(expected: &str) -> &str {
    match expected {
        "integer,string" => "integer or string",
        "integer" | "int64" => "integer (64 bits)",
        "int32" => "integer (32 bits)",
        expected => expected,
    }
}

/// Message and help for an error in a schema. If `is_stated`, the schema is written in JSON, and
/// the help names JSON keys.
pub(in crate::resolve) fn explain_schema_error(
    error: &SchemaError,
    is_stated: bool,
) -> Explanation {
    let mut explanation = match &error.kind {
        SchemaErrorKind::Structure(rule) => explain_structure(rule),
        SchemaErrorKind::Keyword(rule) => explain_keyword(rule),
    };
    if let SchemaErrorKind::Structure(rule) = &error.kind
        && is_stated
        && let Some(help) = help_in_json(rule)
    {
        explanation.help = help.into();
    }
    if !error.path.is_empty() {
        let path: String = error.path.iter().map(ToString::to_string).collect();
        explanation.message = format!("{path}: {}", explanation.message);
    }
    explanation
}

/// Help for a format that the API server does not support.
pub(super) fn explain_unknown_format(format: &str) -> Help {
    let names = strfmt::KNOWN.iter().copied();
    let of_texts = || names.clone().filter(|name| !strfmt::is_numeric(name));
    match suggest::closest(format, of_texts()) {
        _ if strfmt::is_numeric(format) => Help::remove("remove it: the type implies it"),
        Some(meant) => Help::did_you_mean(format, meant),
        None => format!(
            "write one of {}, or a `pattern`",
            of_texts().collect::<Vec<_>>().join(", ")
        )
        .into(),
    }
}

/// Help for a schema in JSON; `None` if the help of `structure` applies to it as well.
fn help_in_json(rule: &StructureRule) -> Option<&'static str> {
    Some(match rule {
        StructureRule::NoType => {
            "add `\"type\": \"..\"`, `\"x-kubernetes-int-or-string\": true` or \
             `\"x-kubernetes-preserve-unknown-fields\": true`"
        }
        StructureRule::NoItems => "add `\"items\": { .. }`",
        StructureRule::EmbeddedNotObject => "write `\"type\": \"object\"` beside it",
        StructureRule::PreserveNotObject => {
            "remove `\"x-kubernetes-preserve-unknown-fields\"`, or write `\"type\": \"object\"`"
        }
        _ => return None,
    })
}

fn explain_structure(rule: &StructureRule) -> Explanation {
    let (message, help) = match rule {
        StructureRule::NoType => (
            "a schema needs a type",
            "add `type = \"..\"`, `int_or_string` or `preserve_unknown_fields`",
        ),
        StructureRule::NoItems => (
            "a list needs `items`",
            "write `schema = { \"type\": \"array\", \"items\": .. }` instead of `type`",
        ),
        StructureRule::PropertiesAndMap => (
            "`properties` cannot be combined with `additionalProperties`",
            "remove `additionalProperties` or `properties`",
        ),
        StructureRule::EmbeddedNotObject => (
            "an embedded resource must be an object",
            "write `embedded_resource` on an object",
        ),
        StructureRule::EmbeddedEmpty => (
            "an embedded resource without fields must preserve unknown fields",
            "add `\"x-kubernetes-preserve-unknown-fields\": true`",
        ),
        StructureRule::PreserveNotObject => (
            "only an object can preserve unknown fields",
            "write `preserve_unknown_fields` on an object, or inside `items(..)`",
        ),
        StructureRule::RequiredUndeclared(name) => {
            let message = format!("`{name}` is required, but there is no such field");
            return Explanation::new(message, "add it to `properties`");
        }
        StructureRule::KeywordInBranch(key) => {
            let message = format!("`{key}` is not allowed in a branch");
            let help = match *key {
                "type" => Help::remove("remove it: the type is declared outside of the branch"),
                "title" | "description" => Help::remove("remove it: it is never displayed"),
                _ => "write it outside of `allOf`, `anyOf`, `oneOf` and `not`".into(),
            };
            return Explanation::new(message, help);
        }
        StructureRule::UndeclaredInBranch(name) => {
            let message = format!("`{name}` is declared only in a branch");
            return Explanation::new(message, "declare it in `properties`, with its type");
        }
        StructureRule::MetadataInBranch => (
            "`metadata` is not allowed in a branch",
            "write a rule: `validation(rule = \"self.metadata.name.startsWith('a-')\")`",
        ),
    };
    Explanation::new(message, help)
}

fn explain_keyword(rule: &KeywordRule) -> Explanation {
    let (message, help) = match rule {
        KeywordRule::CrossedBounds => (
            "no value can satisfy these bounds".to_owned(),
            "raise the upper bound",
        ),
        KeywordRule::Factor => (
            "`multipleOf` must be greater than 0".to_owned(),
            "write a number above 0",
        ),
        KeywordRule::EnumValue { value, type_ } => (
            format!("expected {}, found {value} in `enum`", type_.as_str()),
            "write values of the type",
        ),
        KeywordRule::KeywordOfOtherType { keyword, type_ } => {
            let message = format!("`{keyword}` does not apply to type {}", type_.as_str());
            return Explanation::new(message, Help::remove("remove it"));
        }
        KeywordRule::DuplicateEnumValue => (
            "duplicate value in `enum`".to_owned(),
            "remove one of the two",
        ),
        KeywordRule::Bound(bound) => return explain_misread_bound(*bound),
        KeywordRule::Default(violation) => {
            let part = match &violation.path[..] {
                [] => "the default".to_owned(),
                path => format!("`{}` of the default", values::display(path)),
            };
            let message = format!("{part} {}", describe_violation(&violation.kind));
            (message, "write a value that the schema accepts")
        }
        KeywordRule::Pattern(error) => (format!("`pattern`: {}", error.message), error.help),
        KeywordRule::UnknownFormat(format) => {
            let message = format!("the API server does not support the format `{format}`");
            return Explanation::new(message, explain_unknown_format(format));
        }
        KeywordRule::Merge(rule) => return explain_merge(rule),
        KeywordRule::Validation(rule) => return explain_validation(rule),
    };
    Explanation::new(message, help)
}

fn explain_validation(rule: &ValidationRule) -> Explanation {
    let (message, help) = match rule {
        ValidationRule::NoRule => ("the rule is empty", "write a CEL expression over `self`"),
        ValidationRule::NoMessage => (
            "a rule with line breaks needs a `message`",
            "add `\"message\": \"..\"`",
        ),
        ValidationRule::UnusedOldSelf => (
            "`optionalOldSelf` applies only to rules that use `oldSelf`",
            "remove `optionalOldSelf`",
        ),
        ValidationRule::EmptyMessage => ("the message is empty", "write one, or remove it"),
        ValidationRule::MessageLines => (
            "`message` must not contain line breaks",
            "remove the line breaks",
        ),
        ValidationRule::UnknownReason(reason) => {
            let help = "write `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired` or \
                        `FieldValueDuplicate`";
            return Explanation::new(format!("invalid value `{reason}` for `reason`"), help);
        }
    };
    Explanation::new(message, help)
}

fn explain_merge(rule: &MergeRule) -> Explanation {
    let (message, help) = match rule {
        MergeRule::ListTypeOnNonArray => (
            "`x-kubernetes-list-type` applies only to lists",
            "remove it, or write `\"type\": \"array\"`",
        ),
        MergeRule::MapTypeOnNonObject => (
            "`x-kubernetes-map-type` applies only to objects",
            "remove it, or write `\"type\": \"object\"`",
        ),
        MergeRule::KeysWithoutMapType => (
            "`x-kubernetes-list-map-keys` applies only to `map` lists",
            "write `\"x-kubernetes-list-type\": \"map\"` beside them, or remove them",
        ),
        MergeRule::NoKeys => (
            "a `map` list needs `x-kubernetes-list-map-keys`",
            "write `\"x-kubernetes-list-map-keys\": [\"..\"]`",
        ),
        MergeRule::NonObjectItems => (
            "the items of a `map` list must be objects",
            "write `\"x-kubernetes-list-type\": \"set\"` or `\"atomic\"`, and no keys",
        ),
        MergeRule::NullableItems => (
            "the items of a `set` or `map` list must not be nullable",
            "remove `nullable`",
        ),
        MergeRule::GranularItems => (
            "the items of a `set` list must be scalars or atomic",
            "write `\"x-kubernetes-map-type\": \"atomic\"` in `items`, or \
             `\"x-kubernetes-list-type\": \"atomic\"` for lists",
        ),
        MergeRule::DuplicateKey(key) => {
            return Explanation::new(
                format!("duplicate map key `{key}`"),
                "remove one of the two",
            );
        }
        MergeRule::UnknownKey(key) => {
            let message = format!("no such field `{key}` in the items");
            return Explanation::new(message, "add it to the `properties` of `items`");
        }
        MergeRule::CompoundKey(key) => {
            let message = format!("the map key `{key}` must be a scalar");
            return Explanation::new(message, "use a string, number or boolean field");
        }
        MergeRule::NullableKey(key) => {
            let message = format!("the map key `{key}` must not be nullable");
            return Explanation::new(message, "remove its `nullable`");
        }
        MergeRule::OptionalKey(key) => {
            let message = format!("the map key `{key}` must be required or have a default");
            let help = "add it to the `required` of `items`, or give it a default";
            return Explanation::new(message, help);
        }
    };
    Explanation::new(message, help)
}

/// Message and help for a `minimum`, `maximum` or `multipleOf` that the API server misreads.
pub(super) fn explain_misread_bound(trap: Trap) -> Explanation {
    match trap {
        Trap::Fraction => Explanation::new(
            "a bound of an integer must be an integer: the API server refuses every value otherwise",
            "write an integer",
        ),
        Trap::BeyondType => Explanation::new(
            "bound out of range for the type: the API server refuses every value",
            "remove it, as no value of the type exceeds it; or write a smaller number",
        ),
        Trap::Beyond64Bits => Explanation::new(
            "bound out of range: the API server cannot compare integers with a bound beyond 64 bits",
            "remove it, or write a smaller number",
        ),
        Trap::Cut { to, admits } => {
            let wrong = if admits { "admits" } else { "refuses" };
            let message = format!(
                "the API server truncates the bound if the value is an integer: it {wrong} {to:.0}"
            );
            Explanation::new(
                message,
                "write an integer in a smaller unit: 1500 millis instead of 1.5",
            )
        }
        Trap::FactorBelowOne => Explanation::new(
            "the API server refuses integers that are multiples of a factor below 1",
            FACTOR_HELP,
        ),
        Trap::CutFactor(factor) => Explanation::new(
            format!(
                "the API server truncates the factor if the value is an integer: it uses {} instead of {factor}",
                factor.trunc()
            ),
            FACTOR_HELP,
        ),
    }
}

const FACTOR_HELP: &str = "use an integer in a smaller unit: 500 millis instead of 0.5";

#[cfg(test)]
mod tests;
