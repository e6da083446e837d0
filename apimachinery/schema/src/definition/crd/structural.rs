//! Validation of structural schemas with the API server's wording (`ValidateStructural`).
//!
//! [`crate::definition::structural_errors`] validates generated schemas, with messages of its own.

use genclient_apimachinery::field;
use genclient_cel::re2::Pattern;
use serde_json::Value;

use super::json_schema_props::{GoFieldType, JsonSchemaProps, JsonSchemaPropsOr, KEYWORDS, key};

/// Returns the first error that prevents conversion into a structural schema (`NewStructural`).
pub(super) fn conversion_error(schema: JsonSchemaProps<'_>) -> Option<String> {
    let unsupported = [
        ("id", !schema.text("id").is_empty()),
        ("schema", !schema.text("$schema").is_empty()),
        ("$ref", !schema.text("$ref").is_empty()),
        (
            "patternProperties",
            schema.object("patternProperties").next().is_some(),
        ),
        (
            "dependencies",
            schema.object("dependencies").next().is_some(),
        ),
        ("additionalItems", schema.get("additionalItems").is_some()),
        ("definitions", schema.object("definitions").next().is_some()),
    ];
    if let Some((name, _)) = unsupported.into_iter().find(|(_, stands)| *stands) {
        return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
    }
    let branches = ["allOf", "anyOf", "oneOf"].into_iter();
    let branches = branches.flat_map(|name| schema.schemas(name));
    let mut branches = schema.schema("not").into_iter().chain(branches);
    if let Some(error) = branches.find_map(conversion_error) {
        return Some(error);
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let error = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or \
                     undefined";
        return Some(error.to_owned());
    }
    if matches!(schema.items(), Some(JsonSchemaPropsOr::Other([_, ..]))) {
        let error = "OpenAPIV3Schema 'items' must be a schema, but is an array";
        return Some(error.to_owned());
    }
    let properties = schema.properties().map(|(_, property)| property);
    let nested = schema.items_schema().into_iter().chain(properties);
    nested
        .chain(schema.values_schema())
        .find_map(conversion_error)
}

pub(super) fn validate_structural(schema: JsonSchemaProps<'_>, path: &str) -> field::ErrorList {
    let mut structure = StructuralValidator::default();
    structure.value(schema, StructuralLevel::Root, path);
    structure.complete_branches(schema, Some(schema), path, path);
    structure.causes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StructuralLevel {
    Root,
    Item,
    Field,
}

#[derive(Default)]
struct StructuralValidator {
    causes: field::ErrorList,
}

impl StructuralValidator {
    fn required(&mut self, field: String, detail: &str) {
        self.causes.push(field::Error::required(field, detail));
    }

    fn forbidden(&mut self, field: String, detail: &str) {
        self.causes.push(field::Error::forbidden(field, detail));
    }

    fn wrong_type(&mut self, path: &str, type_: &str, detail: &str) {
        let field = format!("{path}.type");
        self.causes
            .push(field::Error::invalid(field, &type_.into(), detail));
    }

    fn value(&mut self, schema: JsonSchemaProps<'_>, level: StructuralLevel, path: &str) {
        let items = schema.items_schema();
        if schema.type_() == "array" && items.is_none() {
            self.required(format!("{path}.items"), "must be specified");
        }
        if let Some(items) = items {
            self.value(items, StructuralLevel::Item, &format!("{path}.items"));
        }
        for (name, property) in schema.properties() {
            self.value(
                property,
                StructuralLevel::Field,
                &key(path, "properties", name),
            );
        }
        self.values(schema, level, path);
        self.extensions(schema, path);
        let skips_any_of = is_int_or_string(schema);
        let first_all_of = schema.schemas("allOf").next();
        let skips_first = first_all_of.is_some_and(is_int_or_string);
        self.branches(schema, (skips_any_of, skips_first), level, path);
        self.types(schema, level, path);
        let is_resource = level == StructuralLevel::Root || schema.is_embedded();
        for name in ["kind", "apiVersion"] {
            let property = schema.property(name).filter(|_| is_resource);
            if let Some(property) = property.filter(|property| property.type_() != "string") {
                let path = key(path, "properties", name);
                self.wrong_type(&path, property.type_(), "must be string");
            }
        }
        if let Some(metadata) = schema.property("metadata") {
            let path = key(path, "properties", "metadata");
            self.metadata(metadata, is_resource, level, &path);
        }
        let has_properties = schema.properties().next().is_some();
        if schema.is_embedded() && !preserves(schema) && !has_properties {
            self.required(
                format!("{path}.properties"),
                "must not be empty if x-kubernetes-embedded-resource is true without \
                 x-kubernetes-preserve-unknown-fields",
            );
        }
    }

    fn values(&mut self, schema: JsonSchemaProps<'_>, level: StructuralLevel, path: &str) {
        if schema.values().is_none() {
            return;
        }
        let path = format!("{path}.additionalProperties");
        if level == StructuralLevel::Root {
            self.forbidden(path.clone(), "must not be used at the root");
        }
        if schema.is_embedded() {
            let detail = "must not be used if x-kubernetes-embedded-resource is set";
            self.forbidden(path.clone(), detail);
        }
        if let Some(values) = schema.values_schema() {
            self.value(values, StructuralLevel::Field, &path);
        }
    }

    fn extensions(&mut self, schema: JsonSchemaProps<'_>, path: &str) {
        if !schema.is_set("x-kubernetes-int-or-string") {
            return;
        }
        let others = [
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
        ];
        for name in others.into_iter().filter(|name| schema.is_set(name)) {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            let field = format!("{path}.{name}");
            self.causes
                .push(field::Error::invalid(field, &true.into(), detail));
        }
    }

    fn types(&mut self, schema: JsonSchemaProps<'_>, level: StructuralLevel, path: &str) {
        let type_ = schema.type_();
        if schema.is_embedded() && type_ != "object" {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            match type_ {
                "" => self.required(format!("{path}.type"), detail),
                type_ => self.wrong_type(path, type_, detail),
            }
        } else if type_.is_empty()
            && !schema.is_set("x-kubernetes-int-or-string")
            && !preserves(schema)
        {
            let where_ = match level {
                StructuralLevel::Root => "at the root",
                StructuralLevel::Item => "for specified array items",
                StructuralLevel::Field => "for specified object fields",
            };
            self.required(
                format!("{path}.type"),
                &format!("must not be empty {where_}"),
            );
        }
        if level == StructuralLevel::Root && !["", "object"].contains(&type_) {
            self.wrong_type(path, type_, "must be object at the root");
        }
    }

    /// Checks the schema of `metadata`: its type and, at the root, that it constrains only `name`
    /// and `generateName` (`validateStructuralMetadataInvariants`).
    fn metadata(
        &mut self,
        schema: JsonSchemaProps<'_>,
        is_resource: bool,
        level: StructuralLevel,
        path: &str,
    ) {
        if is_resource && schema.type_() != "object" {
            self.wrong_type(path, schema.type_(), "must be object");
        }
        if level != StructuralLevel::Root {
            return;
        }
        let only_names = |value: &Value| {
            let mut names = value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name);
            names.all(|name| ["name", "generateName"].contains(&name.as_str()))
        };
        let is_stated =
            |(_, name, kind): (&str, &str, GoFieldType)| match (name, kind, schema.get(name)) {
                ("type" | "default", ..) | (.., None) => false,
                // Not in Go's `Structural`, to which the API server converts the schema first.
                (
                    "$ref" | "dependencies" | "definitions" | "patternProperties" | "id"
                    | "$schema",
                    ..,
                ) => false,
                ("properties", _, Some(value)) => !only_names(value),
                (_, GoFieldType::Text, Some(value)) => value != "",
                (_, GoFieldType::Flag, Some(value)) => *value == true,
                (.., Some(Value::Array(items))) => !items.is_empty(),
                _ => true,
            };
        if KEYWORDS.into_iter().any(is_stated) {
            self.forbidden(
                path.to_owned(),
                "must not specify anything other than name and generateName, but metadata is \
                 implicitly specified",
            );
        }
    }

    /// Checks the branches and the pattern of a schema (`validateValueValidation`). `skips` tells
    /// whether the schema's own `anyOf`, and the `anyOf` of its first `allOf` branch, are in
    /// int-or-string form. Such an `anyOf` is not checked.
    fn branches(
        &mut self,
        schema: JsonSchemaProps<'_>,
        skips: (bool, bool),
        level: StructuralLevel,
        path: &str,
    ) {
        let (skips_any_of, skips_first) = skips;
        for (at, branch) in schema.schemas("anyOf").enumerate() {
            if !skips_any_of {
                self.branch(branch, false, level, &format!("{path}.anyOf[{at}]"));
            }
        }
        for (at, branch) in schema.schemas("allOf").enumerate() {
            let skips = skips_first && at == 0;
            self.branch(branch, skips, level, &format!("{path}.allOf[{at}]"));
        }
        for (at, branch) in schema.schemas("oneOf").enumerate() {
            self.branch(branch, false, level, &format!("{path}.oneOf[{at}]"));
        }
        if let Some(not) = schema.schema("not") {
            self.branch(not, false, level, &format!("{path}.not"));
        }
        let pattern = schema.text("pattern");
        if let Some(Err(error)) = (!pattern.is_empty()).then(|| Pattern::parse(pattern)) {
            let detail = format!(
                "must be a valid regular expression, but isn't: {}",
                error.in_go(pattern)
            );
            let field = format!("{path}.pattern");
            self.causes
                .push(field::Error::invalid(field, &pattern.into(), &detail));
        }
    }

    /// Checks that a branch has no keywords that are forbidden in branches
    /// (`validateNestedValueValidation`).
    fn branch(
        &mut self,
        schema: JsonSchemaProps<'_>,
        skips_any_of: bool,
        level: StructuralLevel,
        path: &str,
    ) {
        self.branches(schema, (skips_any_of, false), level, path);
        if let Some(items) = schema.items_schema() {
            self.branch(items, false, level, &format!("{path}.items"));
        }
        for (name, property) in schema.properties() {
            let path = key(path, "properties", name);
            self.branch(property, false, StructuralLevel::Field, &path);
        }
        let has_values = match schema.values() {
            Some(JsonSchemaPropsOr::Other(allows)) => allows,
            values => values.is_some(),
        };
        let extension = |name: &str| format!("x-kubernetes-{name}");
        let text = |name: &str| !schema.text(name).is_empty();
        let flag = |name: &str| schema.is_set(&extension(name));
        let stands = |name: &str| schema.get(&extension(name)).is_some();
        let full = |name: &str| !schema.list(&extension(name)).is_empty();
        const EMPTY: &str = "must be empty to be structural";
        const UNDEFINED: &str = "must be undefined to be structural";
        const FALSE: &str = "must be false to be structural";
        let stated = [
            ("type", text("type"), EMPTY),
            ("additionalProperties", has_values, UNDEFINED),
            ("default", schema.get("default").is_some(), UNDEFINED),
            ("title", text("title"), EMPTY),
            ("description", text("description"), EMPTY),
            ("nullable", schema.is_set("nullable"), FALSE),
            (
                "x-kubernetes-preserve-unknown-fields",
                flag("preserve-unknown-fields"),
                FALSE,
            ),
            (
                "x-kubernetes-embedded-resource",
                flag("embedded-resource"),
                FALSE,
            ),
            ("x-kubernetes-int-or-string", flag("int-or-string"), FALSE),
            ("x-kubernetes-list-map-keys", full("list-map-keys"), EMPTY),
            ("x-kubernetes-list-type", stands("list-type"), UNDEFINED),
            ("x-kubernetes-map-type", stands("map-type"), UNDEFINED),
            ("x-kubernetes-validations", full("validations"), EMPTY),
        ];
        for (name, _, detail) in stated.into_iter().filter(|(_, stands, _)| *stands) {
            self.forbidden(format!("{path}.{name}"), detail);
        }
        if schema.property("metadata").is_some() {
            let field = key(path, "properties", "metadata");
            self.forbidden(field, "must not be specified in a nested context");
        }
    }

    /// Reports fields and items that are declared only in a branch
    /// (`validateValueValidationCompleteness`).
    fn complete_branches(
        &mut self,
        schema: JsonSchemaProps<'_>,
        declared: Option<JsonSchemaProps<'_>>,
        declared_path: &str,
        path: &str,
    ) {
        if let Some(not) = schema.schema("not") {
            self.complete(not, declared, declared_path, &format!("{path}.not"));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for (at, branch) in schema.schemas(keyword).enumerate() {
                let path = format!("{path}.{keyword}[{at}]");
                self.complete(branch, declared, declared_path, &path);
            }
        }
    }

    fn complete(
        &mut self,
        branch: JsonSchemaProps<'_>,
        declared: Option<JsonSchemaProps<'_>>,
        declared_path: &str,
        path: &str,
    ) {
        let Some(declared) = declared else {
            let detail = format!("because it is defined in {path}");
            return self.required(declared_path.to_owned(), &detail);
        };
        self.complete_branches(branch, Some(declared), declared_path, path);
        if let Some(items) = branch.items_schema() {
            let (to, from) = (format!("{declared_path}.items"), format!("{path}.items"));
            self.complete(items, declared.items_schema(), &to, &from);
        }
        for (name, property) in branch.properties() {
            let to = key(declared_path, "properties", name);
            let from = key(path, "properties", name);
            self.complete(property, declared.property(name), &to, &from);
        }
    }
}

fn preserves(schema: JsonSchemaProps<'_>) -> bool {
    schema.is_set("x-kubernetes-preserve-unknown-fields")
}

/// Returns whether the schema's `anyOf` is `[{type: integer}, {type: string}]`, the only form in
/// which branches may have types.
fn is_int_or_string(schema: JsonSchemaProps<'_>) -> bool {
    let is_only = |schema: &Value, type_: &str| {
        let members = schema.as_object().into_iter().flatten();
        let mut stated = members.filter(|(_, value)| !value.is_null());
        let first = stated.next();
        first.is_some_and(|(name, value)| name == "type" && value == type_)
            && stated.next().is_none()
    };
    match schema.list("anyOf") {
        [first, second] => is_only(first, "integer") && is_only(second, "string"),
        _ => false,
    }
}
