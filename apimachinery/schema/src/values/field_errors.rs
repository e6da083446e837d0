//! Messages for violations, as in `details.causes` of the API server's 422 responses.

use genclient_apimachinery::field::{self, printed};
use genclient_apimachinery::go::{float, json, printed_number, quoted};
use serde_json::{Number, Value};

use super::correlated::Correlated;
use super::lists;
use super::validation::{default_violations, schema_violations};
use super::violation::{BranchRule, Limit, Step, Violation, ViolationKind};
use crate::{JsonType, Schema};

/// Returns the API server's error for a violation in the value at path `root`, or `None` for an
/// unknown field, which the API server prunes.
///
/// ```
/// use genclient_schema::values::{cause, violations};
///
/// let schema = serde_json::from_str(r#"{ "type": "integer", "maximum": 9 }"#)?;
/// let value = serde_json::json!(10);
/// let violations = violations(&schema, &value);
/// let cause = cause("spec.replicas", &value, &violations[0]).ok_or("no cause")?;
/// assert_eq!(
///     cause.message,
///     "Invalid value: 10: spec.replicas in body should be less than or equal to 9"
/// );
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn cause(root: &str, value: &Value, violation: &Violation) -> Option<field::Error> {
    let path = path_of_schemas(root, &violation.path);
    worded(Prefix::OBJECT, path, root, value, violation)
}

/// Path of the validated value in its object or definition, such as `status` in a status update.
/// Paths in messages are relative to the value; [`field::Error::field`] is the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix<'p>(pub &'p str);

impl Prefix<'_> {
    /// Empty path, for an object itself.
    pub const OBJECT: Self = Self("");

    /// Returns [`field::Error::field`] for a path in a message.
    fn field(self, path: &str) -> String {
        match (self.0, path.strip_prefix('.').unwrap_or(path)) {
            ("", "") => "<nil>".to_owned(),
            (prefix, "") => prefix.to_owned(),
            ("", path) => path.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        }
    }
}

/// Returns the API server's errors for a value, without those of [`list_causes`]. On update,
/// `correlated` has the old value, and errors in unchanged parts are omitted
/// (`ValidateCustomResource`, `ValidateCustomResourceUpdate`).
pub fn validate_value(
    schema: &Schema,
    value: &Value,
    correlated: Option<Correlated<'_>>,
    prefix: Prefix<'_>,
) -> field::ErrorList {
    all_worded(schema_violations(schema, value, correlated), value, prefix)
}

/// Returns the API server's errors for a default in a definition that is created or updated. For
/// such a default, the API server ignores `x-kubernetes-int-or-string` and checks `format` whatever
/// the type (`ToKubeOpenAPI`).
pub(crate) fn default_causes(
    schema: &Schema,
    default: &Value,
    prefix: Prefix<'_>,
) -> field::ErrorList {
    all_worded(default_violations(schema, default), default, prefix)
}

fn all_worded(violations: Vec<Violation>, value: &Value, prefix: Prefix<'_>) -> field::ErrorList {
    let worded = violations.iter().filter_map(|violation| {
        let path = path_of_schemas("", &violation.path);
        worded(prefix, path, "", value, violation)
    });
    worded.collect()
}

/// Returns errors for duplicate items of sets and map lists in an object
/// (`ValidateListSetsAndMaps`).
pub fn list_causes(schema: &Schema, object: &Value) -> field::ErrorList {
    let repeated = lists::list_violations(schema, object);
    let worded = repeated
        .iter()
        .filter_map(|violation| cause("", object, violation));
    worded.collect()
}

fn worded(
    prefix: Prefix<'_>,
    path: String,
    root: &str,
    value: &Value,
    violation: &Violation,
) -> Option<field::Error> {
    let part = part(value, &violation.path).unwrap_or(&Value::Null);
    let subject = Subject { prefix, path, part };
    Some(match &violation.kind {
        ViolationKind::Type { expected, found } => subject.missed_type(found, expected),
        ViolationKind::Format(format) => {
            subject.missed_type(part.as_str().unwrap_or_default(), format)
        }
        ViolationKind::Range {
            number,
            type_,
            format,
        } => subject.range(number, *type_, format.as_deref()),
        ViolationKind::Enum(values) => subject.enum_(values),
        ViolationKind::Minimum { bound, exclusive } => subject.bound("greater", bound, *exclusive),
        ViolationKind::Maximum { bound, exclusive } => subject.bound("less", bound, *exclusive),
        ViolationKind::MultipleOf(factor) => {
            let value = subject.compared_with(factor);
            let factor = printed_number(factor);
            subject.invalid(&value, &format!("should be a multiple of {factor}"))
        }
        ViolationKind::Limit(limit) => subject.limit(*limit),
        ViolationKind::Pattern(pattern) => {
            subject.invalid(&printed(part), &format!("should match '{pattern}'"))
        }
        ViolationKind::NonPositiveFactor(factor) => {
            let (path, factor) = (&subject.path, printed_number(factor));
            let message =
                format!("factor MultipleOf declared for {path} must be positive: {factor}");
            subject.cause(
                "FieldValueInvalid",
                format!("Invalid value: {factor}: {message}"),
            )
        }
        ViolationKind::NotAnObject => field::Error {
            field: path_of_lists(root, &violation.path),
            reason: "FieldValueInvalid",
            message: format!(
                "Invalid value: {}: must be an object for an array of list-type map",
                printed(part)
            ),
        },
        ViolationKind::DuplicateItem => duplicate(root, &violation.path, part),
        ViolationKind::DuplicateKeys(keys) => {
            duplicate(root, &violation.path, &Value::Object(keys.clone()))
        }
        ViolationKind::Required(name) => field::Error {
            field: prefix.field(&format!("{}.{name}", subject.path)),
            reason: "FieldValueRequired",
            message: "Required value".to_owned(),
        },
        ViolationKind::ForbiddenMember(name) => subject.forbidden(name),
        ViolationKind::UnknownField => return None,
        ViolationKind::Branches(rule) => subject.branches(*rule),
    })
}

/// The part of a value that a message refers to.
struct Subject<'a> {
    prefix: Prefix<'a>,
    path: String,
    part: &'a Value,
}

impl Subject<'_> {
    fn cause(&self, reason: &'static str, message: String) -> field::Error {
        field::Error {
            field: self.prefix.field(&self.path),
            reason,
            message,
        }
    }

    fn invalid(&self, value: &str, rest: &str) -> field::Error {
        let path = &self.path;
        let message = format!("Invalid value: {value}: {path} in body {rest}");
        self.cause("FieldValueInvalid", message)
    }

    /// Creates an error with the field of the whole value instead of the part.
    fn of_no_field(&self, rest: &str) -> field::Error {
        field::Error {
            field: self.prefix.field(""),
            reason: "FieldValueInvalid",
            message: format!("Invalid value: \"\": {rest}"),
        }
    }

    fn forbidden(&self, name: &str) -> field::Error {
        let (path, value) = (&self.path, quoted(name));
        let message =
            format!("Invalid value: {value}: {path}.{name} in body is a forbidden property");
        self.cause("FieldValueInvalid", message)
    }

    fn missed_type(&self, found: &str, expected: &str) -> field::Error {
        let (path, found) = (&self.path, quoted(found));
        let message =
            format!("Invalid value: {found}: {path} in body must be of type {expected}: {found}");
        self.cause("FieldValueTypeInvalid", message)
    }

    fn range(&self, number: &str, type_: JsonType, format: Option<&str>) -> field::Error {
        let format = match format {
            Some(format) => format!("with format {format}"),
            None => "(default format)".to_owned(),
        };
        let (path, type_) = (&self.path, type_.as_str());
        self.of_no_field(&format!(
            "{number} value must be of type {type_} {format} in {path}"
        ))
    }

    fn enum_(&self, values: &[Value]) -> field::Error {
        let values: Vec<_> = values
            .iter()
            .map(|value| quoted(&unquoted_text(value)))
            .collect();
        let message = format!(
            "Unsupported value: {}: supported values: {}",
            printed(self.part),
            values.join(", ")
        );
        self.cause("FieldValueNotSupported", message)
    }

    fn bound(&self, relation: &str, bound: &Number, exclusive: bool) -> field::Error {
        let than = if exclusive {
            "than"
        } else {
            "than or equal to"
        };
        let value = self.compared_with(bound);
        let bound = printed_number(bound);
        self.invalid(&value, &format!("should be {relation} {than} {bound}"))
    }

    /// Formats the value for a message about its bound: as a float if the bound is a float.
    fn compared_with(&self, bound: &Number) -> String {
        match self.part.as_f64() {
            Some(value) if !bound.is_i64() => float(value),
            _ => printed(self.part),
        }
    }

    fn limit(&self, limit: Limit) -> field::Error {
        let items = self.part.as_array().map_or(0, Vec::len);
        let members = self.part.as_object().map_or(0, |members| members.len());
        match limit {
            Limit::MinLength(least) => {
                let rest = format!("should be at least {least} chars long");
                self.invalid(&printed(self.part), &rest)
            }
            Limit::MaxLength(most) => {
                let bytes = if most == 1 { "byte" } else { "bytes" };
                let message = format!("Too long: may not be more than {most} {bytes}");
                self.cause("FieldValueTooLong", message)
            }
            Limit::MinItems(least) => {
                let rest = format!("should have at least {least} items");
                self.invalid(&items.to_string(), &rest)
            }
            Limit::MaxItems(most) => self.too_many(items, most),
            Limit::MinProperties(least) => {
                let rest = format!("should have at least {least} properties");
                self.invalid(&members.to_string(), &rest)
            }
            Limit::MaxProperties(most) => self.too_many(members, most),
        }
    }

    fn too_many(&self, number: usize, most: u64) -> field::Error {
        let items = if most == 1 { "item" } else { "items" };
        let message = format!("Too many: {number}: must have at most {most} {items}");
        self.cause("FieldValueTooMany", message)
    }

    fn branches(&self, rule: BranchRule) -> field::Error {
        let rest = match rule {
            BranchRule::AnyOf => "must validate at least one schema (anyOf)".to_owned(),
            BranchRule::OneOf { admitting } => {
                let found = match admitting {
                    0 => "Found none valid".to_owned(),
                    number => format!("Found {number} valid alternatives"),
                };
                format!("must validate one and only one schema (oneOf). {found}")
            }
            BranchRule::AllOf { none: true } => {
                "must validate all the schemas (allOf). None validated".to_owned()
            }
            BranchRule::AllOf { none: false } => "must validate all the schemas (allOf)".to_owned(),
            BranchRule::Not => "must not validate the schema (not)".to_owned(),
        };
        self.of_no_field(&format!("\"{}\" {rest}", self.path))
    }
}

fn duplicate(root: &str, path: &[Step], value: &Value) -> field::Error {
    field::Error {
        field: path_of_lists(root, path),
        reason: "FieldValueDuplicate",
        message: format!("Duplicate value: {}", printed(value)),
    }
}

fn part<'a>(value: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(name) | Step::Key(name) => value.get(name),
        Step::Item(at) => value.get(at),
    })
}

/// Formats a path for errors about list items, with map keys in brackets: `ports[web][0]`.
fn path_of_lists(root: &str, path: &[Step]) -> String {
    let mut out = root.to_owned();
    for step in path {
        match step {
            Step::Member(name) => join(&mut out, name),
            Step::Key(name) => out.push_str(&format!("[{name}]")),
            Step::Item(at) => out.push_str(&format!("[{at}]")),
        }
    }
    out
}

/// Formats a path for errors of schema validation, with map keys as fields: `ports.web[0]`.
fn path_of_schemas(root: &str, path: &[Step]) -> String {
    let mut out = root.to_owned();
    for step in path {
        match step {
            Step::Member(name) => join(&mut out, name),
            Step::Key(name) => out.push_str(&format!(".{name}")),
            Step::Item(at) => out.push_str(&format!("[{at}]")),
        }
    }
    out
}

fn join(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Formats a string unquoted and any other value as JSON.
fn unquoted_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => json(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values;

    /// Recorded messages of the API server. An e2e test compares them with a running server.
    const TABLE: &str = include_str!("../../../../tests/e2e/causes.txt");

    #[test]
    fn cause_messages_match_the_api_server() {
        let mut property = "";
        let mut schema = Schema::default();
        let mut ours = Vec::new();
        for line in TABLE.lines().filter(|line| !line.starts_with("  ")) {
            ours.push(line.to_owned());
            if let Some(row) = line.strip_prefix("schema ") {
                let (name, json) = row.split_once(' ').unwrap();
                property = name;
                schema = serde_json::from_str(json).unwrap();
            }
            if let Some(json) = line.strip_prefix("value ") {
                let mut value = serde_json::from_str(json).unwrap();
                values::fill_in_defaults(&schema, &mut value);
                let path = format!("spec.{property}");
                let violations = values::violations(&schema, &value);
                let causes = violations
                    .iter()
                    .filter_map(|found| cause(&path, &value, found));
                let mut lines: Vec<_> = causes
                    .map(|cause| {
                        format!("  {} | {} | {}", cause.field, cause.reason, cause.message)
                    })
                    .collect();
                lines.sort();
                if lines.is_empty() {
                    lines.push("  accepted".to_owned());
                }
                ours.extend(lines);
            }
        }
        let differs = TABLE
            .lines()
            .zip(&ours)
            .find(|(theirs, ours)| theirs != ours);
        assert_eq!(differs, None);
        assert_eq!(TABLE.lines().count(), ours.len());
    }
}
