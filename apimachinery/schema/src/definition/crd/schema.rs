//! Validation of the schema of a version (`validateCustomResourceDefinitionValidation`): its
//! keywords, list types and merge keys, with the API server's wording.

use genclient_apimachinery::field;
use genclient_apimachinery::go::json;
use serde_json::Value;

use super::cel::{self, CelContext, TotalCost};
use super::internal::VersionParts;
use super::json_schema_props::{
    GoFieldType, JsonSchemaProps, JsonSchemaPropsOr, KEYWORDS, key, print_items, print_schema,
};
use super::options::ValidationOptions;
use super::{defaulting, structural};

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

pub(super) fn validate_schema(
    parts: VersionParts<'_>,
    has_status: bool,
    options: &ValidationOptions<'_>,
    path: &str,
) -> field::ErrorList {
    let Some(schema) = parts.open_api() else {
        return Vec::new();
    };
    let path = format!("{path}.openAPIV3Schema");
    let mut causes = Vec::new();
    if has_status {
        causes.extend(validate_root_keywords(schema, &path));
    }
    if schema.is_set("nullable") {
        let detail = "nullable cannot be true at the root";
        causes.push(field::Error::forbidden(format!("{path}.nullable"), detail));
    }
    let conversion =
        structural::conversion_error(schema).filter(|_| options.require_structural_schema);
    let mut checks_rules = false;
    if options.require_structural_schema && conversion.is_none() {
        let mut found = structural::validate_structural(schema, &path);
        if found.is_empty() {
            found = defaulting::validate_defaults(schema, &path, options);
        }
        checks_rules = found.is_empty();
        causes.append(&mut found);
    }
    let mut costs = TotalCost::default();
    let found = validate_keywords(schema, &path, options, checks_rules, &mut costs);
    causes.extend(found);
    if let Some(error) = conversion.filter(|_| causes.is_empty()) {
        causes.push(field::Error::invalid(&*path, &"".into(), &error));
    }
    if costs.total > TOTAL {
        causes.extend(costs.expensive().map(|field| {
            let detail = "contributed to estimated rule cost total exceeding cost limit for \
                          entire OpenAPIv3 schema";
            field::Error::forbidden(field, detail)
        }));
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let detail = cel::cost_error(what, costs.total, TOTAL);
        causes.push(field::Error::forbidden(&*path, &detail));
    }
    causes
}

/// Reports the first keyword at the root that a status subresource forbids. The API server
/// validates a status update against the schema of `status` alone. Keywords about the whole object,
/// such as `oneOf`, would not apply.
fn validate_root_keywords(schema: JsonSchemaProps<'_>, path: &str) -> Option<field::Error> {
    // An empty text and a false flag are unset in Go. Fields of other kinds are pointers, lists and
    // maps, which are set even if they are empty.
    let is_empty = |kind: GoFieldType, value: &Value| match kind {
        GoFieldType::Text | GoFieldType::Flag => *value == "" || *value == false,
        _ => false,
    };
    for (name, keyword, kind) in KEYWORDS {
        let value = schema.get(keyword);
        let value = value.filter(|value| !is_empty(kind, value));
        let Some(value) = value else { continue };
        if name == "Type" && schema.type_() != "object" {
            let detail = "only \"object\" is allowed as the type at the root of the schema if the \
                          status subresource is enabled";
            return Some(field::Error::invalid(format!("{path}.type"), value, detail));
        }
        if !AT_ROOT.contains(&name) {
            let allowed = AT_ROOT.join(" ");
            let detail = format!(
                "only [{allowed}] fields are allowed at the root of the schema if the status \
                 subresource is enabled"
            );
            return Some(field::Error::invalid_text(
                path,
                &print_schema(schema),
                &detail,
            ));
        }
    }
    None
}

pub(super) const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Returns errors in keywords and, if `checks_rules` is set, from the compilation of rules.
fn validate_keywords(
    schema: JsonSchemaProps<'_>,
    path: &str,
    options: &ValidationOptions<'_>,
    checks_rules: bool,
    costs: &mut TotalCost,
) -> field::ErrorList {
    let mut keywords = StandardValidator { options, costs };
    let context = checks_rules.then_some(CelContext::ROOT);
    let place = SchemaPosition {
        is_root: true,
        context,
        ..SchemaPosition::default()
    };
    let mut found = keywords.value(schema, path, &place);
    found.keywords.append(&mut found.rules);
    found.keywords
}

/// Errors in a schema and in nested schemas. The schema's own rules are compiled only if `keywords`
/// is empty.
#[derive(Default)]
struct SchemaCauses {
    keywords: field::ErrorList,
    rules: field::ErrorList,
}

struct StandardValidator<'o> {
    options: &'o ValidationOptions<'o>,
    costs: &'o mut TotalCost,
}

impl StandardValidator<'_> {
    fn value(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
    ) -> SchemaCauses {
        let mut found = SchemaCauses::default();
        self.standard(schema, path, place, &mut found.keywords);
        self.values(schema, path, place, &mut found);
        self.properties(schema, path, place, &mut found);
        self.branches(schema, path, place, &mut found);
        self.items(schema, path, place, &mut found);
        validate_list_types(schema, path, self.options, &mut found.keywords);
        cel::validate_rule_fields(schema, path, &mut found.keywords);
        if let Some(context) = place.context.filter(|_| found.keywords.is_empty()) {
            let any_cost = self.options.suppress_per_expression_cost;
            let uncorrelated = place.uncorrelated.as_deref();
            let is_resource = place.is_root || schema.is_embedded();
            let rules = cel::RuleValidator {
                context,
                uncorrelated,
                any_cost,
                is_resource,
            };
            rules.validate_rules(schema, path, self.costs, &mut found.rules);
        }
        found
    }

    fn below(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        found: &mut SchemaCauses,
    ) {
        let mut inner = self.value(schema, path, place);
        found.keywords.append(&mut inner.keywords);
        found.rules.append(&mut inner.rules);
    }

    /// Reports unsupported types, defaults and keywords of the schema itself, not of nested schemas
    /// (`specStandardValidatorV3.validate`).
    fn standard(
        &self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        causes: &mut field::ErrorList,
    ) {
        let type_ = schema.type_();
        let field = |name: &str| format!("{path}.{name}");
        if self.options.require_valid_property_type && !type_.is_empty() && !TYPES.contains(&type_)
        {
            causes.push(field::Error::not_supported(
                field("type"),
                &type_.into(),
                &TYPES,
            ));
        }
        if let Some(reason) = place
            .no_defaults
            .filter(|_| schema.get("default").is_some())
        {
            let detail = format!("must not be set {reason}");
            causes.push(field::Error::forbidden(field("default"), &detail));
        }
        let has = |name: &str| schema.get(name).is_some();
        let has_members = |name: &str| schema.object(name).next().is_some();
        let unsupported = [
            ("id", !schema.text("id").is_empty()),
            ("additionalItems", has("additionalItems")),
            ("patternProperties", has_members("patternProperties")),
            ("definitions", has_members("definitions")),
            ("dependencies", has("dependencies")),
            ("$ref", has("$ref")),
        ];
        for (name, _) in unsupported.into_iter().filter(|(_, stands)| *stands) {
            causes.push(field::Error::forbidden(
                field(name),
                &format!("{name} is not supported"),
            ));
        }
        if type_ == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            causes.push(field::Error::forbidden(field("type"), detail));
        }
        if matches!(schema.items(), Some(JsonSchemaPropsOr::Other([_, ..]))) {
            let detail = "items must be a schema object and not an array";
            causes.push(field::Error::forbidden(field("items"), detail));
        }
        if place.inside_resource_meta && schema.is_embedded() {
            let detail = "must not be used inside of resource meta";
            causes.push(field::Error::forbidden(
                field("x-kubernetes-embedded-resource"),
                detail,
            ));
        }
        if schema.is_set("uniqueItems") {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes \
                          quadratic";
            causes.push(field::Error::forbidden(field("uniqueItems"), detail));
        }
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            let field = field("x-kubernetes-preserve-unknown-fields");
            causes.push(field::Error::invalid(
                field,
                &false.into(),
                "must be true or undefined",
            ));
        }
    }

    fn values(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        found: &mut SchemaCauses,
    ) {
        let Some(values) = schema.values() else {
            return;
        };
        let path = format!("{path}.additionalProperties");
        let is_true = matches!(values, JsonSchemaPropsOr::Other(true));
        if schema.properties().next().is_some() && !is_true {
            let detail = "additionalProperties and properties are mutual exclusive";
            found.keywords.push(field::Error::forbidden(&*path, detail));
        }
        let Some(values) = values.schema() else {
            return;
        };
        let mut inner = self.inside(schema, place);
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.add_foreign(is_dyn || !["array", "object"].contains(&schema.type_()));
        if place.inside_resource_meta {
            inner.no_defaults = Some("inside additionalProperties applying to object metadata");
        }
        self.below(values, &path, &inner, found);
    }

    fn inside(&self, schema: JsonSchemaProps<'_>, place: &SchemaPosition) -> SchemaPosition {
        SchemaPosition {
            is_root: false,
            context: place.context.map(|context| context.inside(schema)),
            ..place.clone()
        }
    }

    fn properties(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        found: &mut SchemaCauses,
    ) {
        for (name, property) in schema.properties() {
            let mut inner = self.inside(schema, place);
            let is_correlated =
                [None, Some("granular"), Some("atomic")].contains(&schema.map_type());
            if !is_correlated {
                inner.uncorrelated.get_or_insert_with(|| path.to_owned());
            }
            let is_resource = place.is_root || schema.is_embedded();
            let top = match name {
                "metadata" => "in top-level metadata",
                "apiVersion" => "in top-level apiVersion",
                "kind" => "in top-level kind",
                _ => "",
            };
            if is_resource && !top.is_empty() {
                inner.inside_resource_meta = true;
                if place.is_root {
                    inner.no_defaults = Some(top);
                }
            }
            self.below(property, &key(path, "properties", name), &inner, found);
        }
    }

    fn branches(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        found: &mut SchemaCauses,
    ) {
        let place = SchemaPosition {
            is_root: false,
            context: None,
            ..place.clone()
        };
        if let Some(not) = schema.schema("not") {
            self.below(not, &format!("{path}.not"), &place, found);
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for (at, branch) in schema.schemas(keyword).enumerate() {
                self.below(branch, &format!("{path}.{keyword}[{at}]"), &place, found);
            }
        }
        for keyword in ["definitions", "dependencies"] {
            for (name, value) in schema.object(keyword) {
                if let Some(schema) = JsonSchemaProps::from_value(value) {
                    self.below(schema, &key(path, keyword, name), &place, found);
                }
            }
        }
    }

    fn items(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        place: &SchemaPosition,
        found: &mut SchemaCauses,
    ) {
        let mut inner = self.inside(schema, place);
        let has_values = schema.type_() == "object" && schema.values_schema().is_some();
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.add_foreign(is_dyn || schema.type_() != "array" && !has_values);
        if schema.list_type() != Some("map") {
            inner.uncorrelated.get_or_insert_with(|| path.to_owned());
        }
        let path = format!("{path}.items");
        match schema.items() {
            None => {}
            Some(JsonSchemaPropsOr::Schema(items)) => self.below(items, &path, &inner, found),
            Some(JsonSchemaPropsOr::Other(several)) => {
                for (at, items) in several
                    .iter()
                    .filter_map(JsonSchemaProps::from_value)
                    .enumerate()
                {
                    self.below(items, &format!("{path}[{at}]"), &inner, found);
                }
            }
        }
    }
}

/// Position of a schema in a CustomResourceDefinition.
#[derive(Clone, Default)]
struct SchemaPosition {
    is_root: bool,
    /// If defaults are forbidden here, the end of the error `must not be set …`.
    no_defaults: Option<&'static str>,
    /// The schema describes `metadata`, `apiVersion` or `kind` of a resource, or a part of them
    /// (the API server's `insideResourceMeta`).
    inside_resource_meta: bool,
    /// Path of the outermost enclosing list or object whose old and new parts cannot be correlated.
    /// Rules inside this list or object cannot use `oldSelf`.
    uncorrelated: Option<String>,
    /// Context for rules; `None` in a branch such as `not`, or if rules are not checked.
    context: Option<CelContext>,
}

impl SchemaPosition {
    fn add_foreign(&mut self, is_foreign: bool) {
        if let Some(context) = &mut self.context {
            context.add_foreign(is_foreign);
        }
    }
}

fn validate_list_types(
    schema: JsonSchemaProps<'_>,
    path: &str,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    validate_map_type(schema, path, causes);
    validate_list_type(schema, path, options, causes);
    if !schema.list("x-kubernetes-list-map-keys").is_empty() {
        let field = format!("{path}.x-kubernetes-list-type");
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match schema.list_type() {
            Some("map") => {}
            None => causes.push(field::Error::required(field, detail)),
            Some(other) => causes.push(field::Error::invalid(field, &other.into(), detail)),
        }
    }
    if schema.list_type() == Some("map") {
        validate_map_list(schema, path, causes);
    }
    if options.require_map_list_keys_map_set_validation {
        causes.extend(validate_map_list_keys(schema, path));
    }
}

fn type_error(schema: JsonSchemaProps<'_>, path: &str, detail: &str) -> field::Error {
    let field = format!("{path}.type");
    match schema.type_() {
        "" => field::Error::required(field, detail),
        type_ => field::Error::invalid(field, &type_.into(), detail),
    }
}

fn validate_map_type(schema: JsonSchemaProps<'_>, path: &str, causes: &mut field::ErrorList) {
    let Some(map_type) = schema.map_type() else {
        return;
    };
    if schema.type_() != "object" {
        let detail = "must be object if x-kubernetes-map-type is specified";
        causes.push(type_error(schema, path, detail));
    }
    let known = ["atomic", "granular"];
    if !known.contains(&map_type) {
        let field = format!("{path}.x-kubernetes-map-type");
        causes.push(field::Error::not_supported(field, &map_type.into(), &known));
    }
}

fn validate_list_type(
    schema: JsonSchemaProps<'_>,
    path: &str,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    let Some(list_type) = schema.list_type() else {
        return;
    };
    if schema.type_() != "array" {
        let detail = "must be array if x-kubernetes-list-type is specified";
        causes.push(type_error(schema, path, detail));
    } else if options.require_atomic_set_type
        && let Some(keyword) = granular_items(schema)
    {
        let field = format!("{path}.items.{keyword}");
        // The API server prints the list type even if the map type is the error.
        let printed = schema
            .items_schema()
            .and_then(JsonSchemaProps::list_type)
            .map_or(Value::Null, Value::from);
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        causes.push(field::Error::invalid_text(field, &json(&printed), detail));
    }
    let known = ["atomic", "set", "map"];
    if !known.contains(&list_type) {
        let field = format!("{path}.x-kubernetes-list-type");
        causes.push(field::Error::not_supported(
            field,
            &list_type.into(),
            &known,
        ));
    }
}

/// If a set has granular items, which the API server rejects, returns the keyword to correct:
/// `x-kubernetes-list-type` or `x-kubernetes-map-type` of the items.
pub(super) fn granular_items(schema: JsonSchemaProps<'_>) -> Option<&'static str> {
    let items = schema.items_schema()?;
    if schema.list_type() != Some("set") {
        return None;
    }
    match items.type_() {
        "array" if items.list_type().is_some_and(|it| it != "atomic") => {
            Some("x-kubernetes-list-type")
        }
        "object" if items.map_type() != Some("atomic") => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn validate_map_list(schema: JsonSchemaProps<'_>, path: &str, causes: &mut field::ErrorList) {
    let keys = schema.list("x-kubernetes-list-map-keys");
    let keys_field = format!("{path}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        causes.push(field::Error::required(&*keys_field, detail));
    }
    let items_path = format!("{path}.items");
    let items = match schema.items() {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            return causes.push(field::Error::required(items_path, detail));
        }
        Some(JsonSchemaPropsOr::Other(_)) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            let printed = print_items(schema.items());
            return causes.push(field::Error::invalid_text(items_path, &printed, detail));
        }
        Some(JsonSchemaPropsOr::Schema(items)) => items,
    };
    if items.type_() != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let type_ = items.type_().into();
        return causes.push(field::Error::invalid(
            format!("{items_path}.type"),
            &type_,
            detail,
        ));
    }
    let printed = Value::Array(keys.to_vec());
    for (at, name) in keys.iter().enumerate() {
        let text = name.as_str().unwrap_or_default();
        match items.property(text) {
            Some(property) if ["array", "object"].contains(&property.type_()) => {
                let field = key(&items_path, "properties", text);
                let detail =
                    "must be a scalar type if parent array's x-kubernetes-list-type is map";
                causes.push(field::Error::invalid(
                    format!("{field}.type"),
                    &"object".into(),
                    detail,
                ));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                causes.push(field::Error::invalid(&*keys_field, &printed, detail));
            }
        }
        if keys[..at].contains(name) {
            let detail = "must not contain duplicate entries";
            causes.push(field::Error::invalid(&*keys_field, &printed, detail));
        }
    }
}

/// Checks that items of sets and map lists are not nullable. The keys of map lists must not be
/// nullable, and must be required or have a default (`validateMapListKeysMapSet`).
pub(super) fn validate_map_list_keys(schema: JsonSchemaProps<'_>, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    let list_type = schema.list_type().filter(|it| ["set", "map"].contains(it));
    let (Some(items), Some(list_type)) = (schema.items_schema(), list_type) else {
        return causes;
    };
    if items.is_set("nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        causes.push(field::Error::forbidden(
            format!("{path}.items.nullable"),
            &detail,
        ));
    }
    if list_type == "set" {
        return causes;
    }
    for name in schema.list("x-kubernetes-list-map-keys") {
        let text = name.as_str().unwrap_or_default();
        let Some(property) = items.property(text) else {
            continue;
        };
        let field = key(&format!("{path}.items"), "properties", text);
        let is_required = items.list("required").contains(name);
        if !is_required && property.get("default").is_none() {
            causes.push(field::Error::required(
                format!("{field}.default"),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be \
                 a required property",
            ));
        }
        if property.is_set("nullable") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            causes.push(field::Error::forbidden(format!("{field}.nullable"), detail));
        }
    }
    causes
}
