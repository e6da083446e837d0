//! Validation of the schema of a version (`validateCustomResourceDefinitionValidation`).

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use super::dump;
use super::go_fields::{KEYWORDS, Kind};
use super::internal::Parts;
use super::json_schema_props::Props;
use super::options::Options;
use super::place::Costs;
use super::schema;
use super::{cel, defaulting, structural};

/// Go fields that may be set at the root of a schema if the status subresource is enabled.
const AT_ROOT: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// Maximum total cost of all rules of a schema.
const TOTAL: u64 = 100_000_000;

pub(super) fn causes(
    parts: Parts<'_>,
    has_status: bool,
    options: &Options<'_>,
    path: &str,
) -> Vec<Cause> {
    let Some(schema) = parts.open_api() else {
        return Vec::new();
    };
    let path = format!("{path}.openAPIV3Schema");
    let mut causes = Vec::new();
    if has_status {
        causes.extend(beside_status(schema, &path));
    }
    if schema.is_set("nullable") {
        let detail = "nullable cannot be true at the root";
        causes.push(Cause::forbidden(format!("{path}.nullable"), detail));
    }
    let conversion = structural::conversion_error(schema).filter(|_| options.structural);
    let mut checks_rules = false;
    if options.structural && conversion.is_none() {
        let mut found = structural::causes(schema, &path);
        if found.is_empty() {
            found = defaulting::causes(schema, &path, options);
        }
        checks_rules = found.is_empty();
        causes.append(&mut found);
    }
    let mut costs = Costs::default();
    let found = schema::causes(schema, &path, options, checks_rules, &mut costs);
    causes.extend(found);
    if let Some(error) = conversion.filter(|_| causes.is_empty()) {
        causes.push(Cause::invalid(&*path, &"".into(), &error));
    }
    if costs.total > TOTAL {
        causes.extend(costs.expensive().map(|field| {
            let detail = "contributed to estimated rule cost total exceeding cost limit for \
                          entire OpenAPIv3 schema";
            Cause::forbidden(field, detail)
        }));
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let detail = cel::exceeds(what, costs.total, TOTAL);
        causes.push(Cause::forbidden(&*path, &detail));
    }
    causes
}

/// Reports the first keyword at the root that a status subresource forbids. The API server
/// validates a status update against the schema of `status` alone. Keywords about the whole object,
/// such as `oneOf`, would not apply.
fn beside_status(schema: Props<'_>, path: &str) -> Option<Cause> {
    // An empty text and a false flag are unset in Go. Fields of other kinds are pointers, lists and
    // maps, which are set even if they are empty.
    let is_empty = |kind: Kind, value: &Value| match kind {
        Kind::Text | Kind::Flag => *value == "" || *value == false,
        _ => false,
    };
    for (name, keyword, kind) in KEYWORDS {
        let value = schema.get(keyword);
        let value = value.filter(|value| !is_empty(kind, value));
        let Some(value) = value else { continue };
        if name == "Type" && schema.type_() != "object" {
            let detail = "only \"object\" is allowed as the type at the root of the schema if the \
                          status subresource is enabled";
            return Some(Cause::invalid(format!("{path}.type"), value, detail));
        }
        if !AT_ROOT.contains(&name) {
            let allowed = AT_ROOT.join(" ");
            let detail = format!(
                "only [{allowed}] fields are allowed at the root of the schema if the status \
                 subresource is enabled"
            );
            return Some(Cause::invalid_text(path, &dump::schema(schema), &detail));
        }
    }
    None
}
