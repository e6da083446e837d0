//! Validation of the names in a CustomResourceDefinition, and accessors of JSON fields.

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use genclient_apimachinery::validation::label_1035;

/// Returns a string field, empty if absent.
pub(super) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    let text = value.get(field).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// Returns the items of a list field, empty if absent.
pub(super) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    let items = value.get(field).and_then(Value::as_array);
    items.map(Vec::as_slice).unwrap_or_default()
}

/// Returns a boolean field, false if absent.
pub(super) fn is_set(value: &Value, field: &str) -> bool {
    value.get(field) == Some(&Value::Bool(true))
}

/// Reports required names that are missing.
pub(super) fn required(names: &Value, path: &str) -> Vec<Cause> {
    let fields = ["plural", "singular", "kind", "listKind"].into_iter();
    let missing = fields.filter(|field| text(names, field).is_empty());
    missing
        .map(|field| Cause::required(format!("{path}.{field}"), ""))
        .collect()
}

/// Checks that all names are DNS labels and that kind and list kind differ
/// (`ValidateCustomResourceDefinitionNames`). Kinds may have upper-case letters.
pub(super) fn causes(names: &Value, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for field in ["plural", "singular"] {
        let name = text(names, field);
        if !name.is_empty() {
            label(name, format!("{path}.{field}"), &mut causes);
        }
    }
    for field in ["kind", "listKind"] {
        let name = text(names, field);
        let errors = label_1035(&name.to_lowercase());
        if !name.is_empty() && !errors.is_empty() {
            let errors = errors.join(",");
            let detail = format!("may have mixed case, but should otherwise match: {errors}");
            causes.push(Cause::invalid(
                format!("{path}.{field}"),
                &name.into(),
                &detail,
            ));
        }
    }
    let (kind, list_kind) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list_kind {
        let field = format!("{path}.listKind");
        let detail = "kind and listKind may not be the same";
        causes.push(Cause::invalid(field, &list_kind.into(), detail));
    }
    for field in ["shortNames", "categories"] {
        for (at, name) in list(names, field).iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            label(name, format!("{path}.{field}[{at}]"), &mut causes);
        }
    }
    causes
}

/// Reports a name that is not a DNS label (`IsDNS1035Label`).
pub(super) fn label(name: &str, field: String, causes: &mut Vec<Cause>) {
    let errors = label_1035(name);
    if !errors.is_empty() {
        causes.push(Cause::invalid(field, &name.into(), &errors.join(",")));
    }
}
