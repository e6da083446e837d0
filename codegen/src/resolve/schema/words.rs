//! Messages and help for findings of the schema checks.

use genclient_schema::definition::bounds::Trap;
use genclient_schema::definition::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, StructureRule, ValidationRule,
};
use genclient_schema::formats;
use genclient_schema::values::{self, BranchRule, Limit, ViolationKind};
use genclient_syntax::suggest;
use serde_json::Number;

/// Predicate of a sentence about the value, such as `is below the minimum 1`.
pub(super) fn violation(kind: &ViolationKind) -> String {
    match kind {
        ViolationKind::Type { found: "null", .. } => "may not be null".to_owned(),
        ViolationKind::Type { expected, .. } => {
            format!("must be of type {}", name_of_type(expected))
        }
        ViolationKind::Range {
            format: Some(format),
            ..
        } if format != "int64" => "does not fit into 32 bits".to_owned(),
        ViolationKind::Range { .. } => format!("must be of type {}", name_of_type("int64")),
        ViolationKind::Enum(_) => "is none of the values of `enum`".to_owned(),
        ViolationKind::Minimum { bound, exclusive } => match exclusive {
            true => format!("is not above {}", written(bound)),
            false => format!("is below the minimum {}", written(bound)),
        },
        ViolationKind::Maximum { bound, exclusive } => match exclusive {
            true => format!("is not below {}", written(bound)),
            false => format!("is above the maximum {}", written(bound)),
        },
        ViolationKind::MultipleOf(factor) => format!("is not a multiple of {}", written(factor)),
        ViolationKind::Limit(Limit::MinLength(least)) => {
            format!("has fewer than {least} characters")
        }
        ViolationKind::Limit(Limit::MaxLength(most)) => format!("has more than {most} characters"),
        ViolationKind::Limit(Limit::MinItems(least)) => format!("has fewer than {least} items"),
        ViolationKind::Limit(Limit::MaxItems(most)) => format!("has more than {most} items"),
        ViolationKind::Limit(Limit::MinProperties(least)) => {
            format!("has fewer than {least} members")
        }
        ViolationKind::Limit(Limit::MaxProperties(most)) => format!("has more than {most} members"),
        ViolationKind::Pattern(_) => "does not match the pattern".to_owned(),
        ViolationKind::Format(format) => format!("has not the format {format}"),
        ViolationKind::NonPositiveFactor(factor) => format!(
            "is a whole number, for which `multipleOf` is truncated to {}",
            written(factor)
        ),
        ViolationKind::NotAnObject => "must be of type object".to_owned(),
        ViolationKind::DuplicateItem => "stands there twice".to_owned(),
        ViolationKind::DuplicateKeys(_) => "has the keys of an item before it".to_owned(),
        ViolationKind::Required(name) => format!("lacks `{name}`"),
        ViolationKind::ForbiddenMember(name) => format!("must not have `{name}`"),
        ViolationKind::UnknownField => "is not a field of the type".to_owned(),
        ViolationKind::Branches(BranchRule::AnyOf) => "is none of the alternatives".to_owned(),
        ViolationKind::Branches(BranchRule::OneOf { .. }) => {
            "is not one of the alternatives, and no other".to_owned()
        }
        ViolationKind::Branches(BranchRule::AllOf { .. } | BranchRule::Not) => {
            "is what it may not be".to_owned()
        }
    }
}

/// Formats a number, without `.0` for a whole one.
fn written(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if !number.is_i64() => float.to_string(),
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

/// Message and help for an error in a schema. The help names keys of `schema = { … }` if it
/// `is_stated`, and those of `#[crd(…)]` otherwise.
pub(super) fn schema_error(error: &SchemaError, is_stated: bool) -> (String, String) {
    let (message, help) = match &error.kind {
        SchemaErrorKind::Structure(rule) => {
            let (message, help) = structure(rule);
            let in_json = is_stated.then(|| in_json(rule)).flatten();
            (message, in_json.unwrap_or(help).to_owned())
        }
        SchemaErrorKind::Keyword(rule) => keyword(rule),
    };
    if error.path.is_empty() {
        (message, help)
    } else {
        let path: String = error.path.iter().map(ToString::to_string).collect();
        (format!("{path}: {message}"), help)
    }
}

/// Help for an unknown string format.
pub(super) fn unknown_format(format: &str) -> String {
    let names = formats::KNOWN.iter().copied();
    let of_texts = || names.clone().filter(|name| !formats::is_numeric(name));
    match suggest::closest(format, of_texts()) {
        _ if formats::is_numeric(format) => "remove it: the type says it".to_owned(),
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "write one of {}, or a `pattern`",
            of_texts().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Help that names other keys in `schema = { … }`.
fn in_json(rule: &StructureRule) -> Option<&'static str> {
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

fn structure(rule: &StructureRule) -> (String, &'static str) {
    let (message, help) = match rule {
        StructureRule::NoType => (
            "a schema has a type",
            "add `type = \"..\"`, `int_or_string` or `preserve_unknown_fields`",
        ),
        StructureRule::NoItems => (
            "a list says what its items are",
            "write `schema = { \"type\": \"array\", \"items\": .. }` in place of `type`",
        ),
        StructureRule::PropertiesAndMap => (
            "fields and a map exclude each other",
            "remove `additionalProperties` or `properties`",
        ),
        StructureRule::EmbeddedNotObject => (
            "an embedded resource is an object",
            "write `embedded_resource` on an object",
        ),
        StructureRule::EmbeddedEmpty => (
            "an embedded resource without fields keeps nothing",
            "add `\"x-kubernetes-preserve-unknown-fields\": true`",
        ),
        StructureRule::PreserveNotObject => (
            "only an object has unknown fields",
            "write `preserve_unknown_fields` on an object, or inside `items(..)`",
        ),
        StructureRule::RequiredUndeclared(name) => {
            let message = format!("`{name}` is required, but there is no such field");
            return (message, "add it to `properties`");
        }
        StructureRule::KeywordInBranch(key) => {
            let message = format!("`{key}` cannot stand in a branch");
            let help = match *key {
                "type" => "remove it: the type stands outside",
                "title" | "description" => "remove it: nobody is shown it",
                _ => "write it outside of `allOf`, `anyOf`, `oneOf` and `not`",
            };
            return (message, help);
        }
        StructureRule::UndeclaredInBranch(name) => {
            let message = format!("`{name}` stands in a branch alone");
            return (message, "declare it in `properties`, with its type");
        }
        StructureRule::MetadataInBranch => (
            "`metadata` cannot stand in a branch",
            "write a rule: `validation(rule = \"self.metadata.name.startsWith('a-')\")`",
        ),
    };
    (message.to_owned(), help)
}

fn keyword(rule: &KeywordRule) -> (String, String) {
    let (message, help) = match rule {
        KeywordRule::CrossedBounds => (
            "no value is within these bounds".to_owned(),
            "raise the upper one",
        ),
        KeywordRule::Factor => (
            "`multipleOf` is above 0".to_owned(),
            "write a number above 0",
        ),
        KeywordRule::EnumValue { value, type_ } => (
            format!("expected {}, found {value} in `enum`", type_.as_str()),
            "write values of the type",
        ),
        KeywordRule::KeywordOfOtherType { keyword, type_ } => (
            format!("`{keyword}` does not apply to type {}", type_.as_str()),
            "remove it",
        ),
        KeywordRule::DuplicateEnumValue => (
            "`enum` has a value twice".to_owned(),
            "remove one of the two",
        ),
        KeywordRule::Bound(bound) => trap(*bound),
        KeywordRule::Default(violation) => {
            let part = match &violation.path[..] {
                [] => "the default".to_owned(),
                path => format!("`{}` of the default", values::display(path)),
            };
            let message = format!("{part} {}", self::violation(&violation.kind));
            (message, "write a value that the schema takes")
        }
        KeywordRule::Pattern(error) => (format!("`pattern`: {}", error.message), error.help),
        KeywordRule::UnknownFormat(format) => {
            let message = format!("the API server knows no format `{format}`");
            return (message, unknown_format(format));
        }
        KeywordRule::Merge(rule) => merge(rule),
        KeywordRule::Validation(rule) => return validation(rule),
    };
    (message, help.to_owned())
}

fn validation(rule: &ValidationRule) -> (String, String) {
    let (message, help) = match rule {
        ValidationRule::NoRule => ("the rule is empty", "write a CEL expression over `self`"),
        ValidationRule::NoMessage => (
            "a rule of several lines needs a message",
            "add `\"message\": \"..\"`",
        ),
        ValidationRule::UnusedOldSelf => (
            "`optionalOldSelf` is for rules that use `oldSelf`",
            "remove it",
        ),
        ValidationRule::EmptyMessage => ("the message is empty", "write one, or remove it"),
        ValidationRule::MessageLines => ("a message has one line", "remove the line breaks"),
        ValidationRule::UnknownReason(reason) => {
            let help = "write `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired` or \
                        `FieldValueDuplicate`";
            return (
                format!("`{reason}` is not a value of `reason`"),
                help.to_owned(),
            );
        }
    };
    (message.to_owned(), help.to_owned())
}

fn merge(rule: &MergeRule) -> (String, &'static str) {
    let (message, help) = match rule {
        MergeRule::ListTypeOnNonArray => (
            "only a list has `x-kubernetes-list-type`",
            "remove it, or write `\"type\": \"array\"`",
        ),
        MergeRule::MapTypeOnNonObject => (
            "only an object has `x-kubernetes-map-type`",
            "remove it, or write `\"type\": \"object\"`",
        ),
        MergeRule::KeysWithoutMapType => (
            "only a `map` list has keys",
            "write `\"x-kubernetes-list-type\": \"map\"` beside them, or remove them",
        ),
        MergeRule::NoKeys => (
            "`x-kubernetes-list-map-keys` is missing",
            "write `\"x-kubernetes-list-map-keys\": [\"..\"]`",
        ),
        MergeRule::NonObjectItems => (
            "the items of a `map` list are objects",
            "write `\"x-kubernetes-list-type\": \"set\"` or `\"atomic\"`, and no keys",
        ),
        MergeRule::NullableItems => (
            "the items of a `set` or a `map` list may not be null",
            "remove `nullable`",
        ),
        MergeRule::GranularItems => (
            "the items of a `set` are compared whole",
            "write `\"x-kubernetes-map-type\": \"atomic\"` in `items`, of lists \
             `\"x-kubernetes-list-type\": \"atomic\"`",
        ),
        MergeRule::DuplicateKey(key) => {
            return (
                format!("the key `{key}` is named twice"),
                "remove one of the two",
            );
        }
        MergeRule::UnknownKey(key) => {
            let message = format!("the items have no field `{key}`");
            return (message, "add it to the `properties` of `items`");
        }
        MergeRule::CompoundKey(key) => {
            let message = format!("`{key}` is not a scalar, which a key has to be");
            return (message, "name a string, a number or a boolean");
        }
        MergeRule::NullableKey(key) => {
            let message = format!("`{key}` may be null, which a key cannot be");
            return (message, "remove its `nullable`");
        }
        MergeRule::OptionalKey(key) => {
            let message = format!("`{key}` may be absent, which a key cannot be");
            let help = "add it to the `required` of `items`, or give it a default";
            return (message, help);
        }
    };
    (message.to_owned(), help)
}

/// Message and help for a bound that the API server reads otherwise than written.
pub(super) fn trap(trap: Trap) -> (String, &'static str) {
    match trap {
        Trap::Fraction => (
            "the API server refuses every whole number where a bound has a fraction".to_owned(),
            "write a whole number",
        ),
        Trap::BeyondType => (
            "the API server refuses every value where a bound is beyond the type".to_owned(),
            "remove it: there are no values beyond the type; or write a smaller number",
        ),
        Trap::Beyond64Bits => (
            "the API server cannot compare whole numbers with a bound beyond 64 bits".to_owned(),
            "remove it, or write a smaller number",
        ),
        Trap::Cut { to, admits } => {
            let wrong = if admits { "admits" } else { "refuses" };
            let message = format!(
                "the API server cuts the fraction of a bound where the value is a whole number: it {wrong} {to:.0}"
            );
            (
                message,
                "write a whole number of a smaller unit: 1500 millis in place of 1.5",
            )
        }
        Trap::FactorBelowOne => (
            "of a factor below 1 the API server refuses multiples that are whole numbers"
                .to_owned(),
            FACTOR_HELP,
        ),
        Trap::CutFactor(factor) => (
            format!(
                "the API server holds a whole number against {} in place of {factor}",
                factor.trunc()
            ),
            FACTOR_HELP,
        ),
    }
}

const FACTOR_HELP: &str = "use a whole number of a smaller unit: 500 millis in place of 0.5";

#[cfg(test)]
mod tests;
