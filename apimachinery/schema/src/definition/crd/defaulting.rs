//! Validation of the defaults in a schema (`structuraldefaulting.ValidateDefaults`), and
//! the evaluation of CEL rules on defaults.

use genclient_apimachinery::errors::aggregate;
use genclient_apimachinery::field;
use genclient_cel::Type;
#[cfg(feature = "evaluate")]
use genclient_cel::evaluate::OBJECT_BUDGET;
use serde_json::{Map, Value, json};

use super::cel::CompiledExpression;
use super::json_schema_props::{JsonSchemaProps, key};
use super::options::{DefaultRules, ValidationOptions};
use crate::meta;
use crate::object::{Coercer, Pruning, embedded_causes, prune};
#[cfg(feature = "evaluate")]
use crate::rules::Rules;
use crate::rules::declare;
use crate::values::{self, Prefix};
use crate::{JsonType, Schema};

pub(super) fn validate_defaults(
    schema: JsonSchemaProps<'_>,
    path: &str,
    options: &ValidationOptions<'_>,
) -> field::ErrorList {
    let mut defaults = Defaults {
        options,
        causes: Vec::new(),
    };
    let root = DefaultsRoot {
        schema: resource(schema),
        steps: Vec::new(),
    };
    defaults.value(schema, path, &root, false, true);
    defaults.causes
}

/// Returns whether a default has undeclared fields, or the `metadata` of an embedded resource has
/// wrong defaults (`schemaHasUnprunedDefaults`).
pub(super) fn has_unknown_fields(schema: JsonSchemaProps<'_>) -> bool {
    schema.all_schemas().into_iter().any(|schema| {
        let default = schema.get("default");
        let has_unknown =
            default.is_some_and(|default| pruned(&of_defaults(schema), default) != *default);
        has_unknown || schema.is_embedded() && has_wrong_metadata(schema)
    })
}

/// Returns whether a default in the `metadata` schema of an embedded resource has an unknown field
/// or a value of a wrong type.
fn has_wrong_metadata(schema: JsonSchemaProps<'_>) -> bool {
    let metadata = schema.property("metadata");
    let is_read = |metadata: &Value| {
        let decoded = meta::decode(metadata);
        decoded.is_ok_and(|decoded| decoded.unknown.is_empty())
    };
    let fields = metadata.into_iter().flat_map(JsonSchemaProps::properties);
    let mut defaults = fields.filter_map(|(name, field)| {
        let mut metadata = Map::new();
        metadata.insert(name.to_owned(), field.get("default")?.clone());
        Some(Value::Object(metadata))
    });
    let whole = metadata.and_then(|metadata| metadata.get("default"));
    defaults.any(|metadata| !is_read(&metadata)) || whole.is_some_and(|whole| !is_read(whole))
}

fn pruned(schema: &Schema, default: &Value) -> Value {
    let mut pruned = default.clone();
    let pruning = if schema.embedded_resource {
        Pruning::Resource
    } else {
        Pruning::Value
    };
    prune(schema, &mut pruned, pruning);
    pruned
}

fn resource(schema: JsonSchemaProps<'_>) -> Schema {
    let mut schema = of_defaults(schema);
    schema.embedded_resource = true;
    schema
}

fn of_defaults(schema: JsonSchemaProps<'_>) -> Schema {
    Schema::of_definition(&schema.value())
}

/// Schema of the resource around a default, and the path from this resource to the default.
struct DefaultsRoot {
    schema: Schema,
    steps: Vec<Descent>,
}

#[derive(Clone)]
enum Descent {
    Member(String),
    Item,
}

impl DefaultsRoot {
    fn inside(&self, step: Descent) -> Self {
        let steps = self.steps.iter().cloned().chain([step]);
        Self {
            schema: self.schema.clone(),
            steps: steps.collect(),
        }
    }

    /// Returns a minimal resource: `apiVersion`, `kind` and the default at its path.
    fn around(&self, default: &Value) -> Value {
        let steps = self.steps.iter().rev();
        let mut object = steps.fold(default.clone(), |value, step| match step {
            Descent::Member(name) => {
                let mut members = Map::new();
                members.insert(name.clone(), value);
                Value::Object(members)
            }
            Descent::Item => json!([value]),
        });
        if let Some(members) = object.as_object_mut() {
            for (name, text) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
                let member = members.entry(name);
                member.or_insert_with(|| text.into());
            }
        }
        object
    }
}

struct Defaults<'o> {
    options: &'o ValidationOptions<'o>,
    causes: field::ErrorList,
}

impl Defaults<'_> {
    fn value(
        &mut self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        root: &DefaultsRoot,
        in_metadata: bool,
        is_root: bool,
    ) {
        let is_resource = is_root || schema.is_embedded();
        let own_root;
        let (root, in_metadata) = if schema.is_embedded() {
            own_root = DefaultsRoot {
                schema: resource(schema),
                steps: Vec::new(),
            };
            (&own_root, false)
        } else {
            (root, in_metadata)
        };
        if let Some(default) = schema.get("default") {
            let path = format!("{path}.default");
            let of_default = if is_root {
                resource(schema)
            } else {
                of_defaults(schema)
            };
            if in_metadata {
                self.in_metadata(&of_default, default, &path, root);
            } else {
                self.outside(&of_default, default, &path);
            }
        }
        if let Some(items) = schema.items_schema() {
            let item_root = root.inside(Descent::Item);
            let path = format!("{path}.items");
            self.value(items, &path, &item_root, in_metadata, false);
        }
        for (name, property) in schema.properties() {
            let is_field = ["metadata", "apiVersion", "kind"].contains(&name);
            let in_metadata = in_metadata || is_resource && is_field;
            let member_root = root.inside(Descent::Member(name.to_owned()));
            let path = key(path, "properties", name);
            self.value(property, &path, &member_root, in_metadata, false);
        }
    }

    fn in_metadata(&mut self, schema: &Schema, default: &Value, path: &str, root: &DefaultsRoot) {
        let mut object = root.around(default);
        let mut report = |error: &str| {
            let detail = format!("must result in valid metadata: {error}");
            self.causes
                .push(field::Error::invalid(path, default, &detail));
        };
        let read = Coercer::default().value(&root.schema, &mut object);
        if let Err(error) = read {
            return report(&error.to_string());
        }
        let wrong = embedded_causes(&root.schema, &object, "");
        if wrong.is_empty() {
            self.of_schema(schema, default, path);
        } else {
            report(&aggregate(wrong).unwrap_or_default());
        }
    }

    fn outside(&mut self, schema: &Schema, default: &Value, path: &str) {
        if self.options.require_pruned_defaults && pruned(schema, default) != *default {
            let detail = "must not have unknown fields";
            self.causes
                .push(field::Error::invalid(path, default, detail));
        }
        let mut coercer = Coercer {
            path: path.to_owned(),
            ..Coercer::default()
        };
        let mut read = default.clone();
        if let Err(cause) = coercer.value(schema, &mut read) {
            return self.causes.push(cause);
        }
        let mut wrong = embedded_causes(schema, &read, path);
        if wrong.is_empty() {
            self.of_schema(schema, &read, path);
        }
        self.causes.append(&mut wrong);
    }

    fn of_schema(&mut self, schema: &Schema, default: &Value, path: &str) {
        let mut wrong = values::default_causes(schema, default, Prefix(path));
        if wrong.is_empty() {
            let is_resource = schema.embedded_resource;
            wrong = self
                .options
                .rules
                .validate_default(schema, default, is_resource, path);
        }
        self.causes.append(&mut wrong);
    }
}

/// Implementation of [`DefaultRules`] that compiles the rules without evaluating them.
#[derive(Clone, Copy, Debug)]
pub struct Unevaluated;

impl DefaultRules for Unevaluated {
    fn validate_default(
        &self,
        schema: &Schema,
        default: &Value,
        is_resource: bool,
        path: &str,
    ) -> field::ErrorList {
        let mut causes = Vec::new();
        if schema.has_rules() {
            report_compile_errors(schema, default, is_resource, path, &mut causes);
        }
        causes
    }
}

/// Reports rules that do not compile, with the errors that an evaluation would report for them.
fn report_compile_errors(
    schema: &Schema,
    value: &Value,
    is_resource: bool,
    path: &str,
    causes: &mut field::ErrorList,
) {
    if value.is_null() {
        return;
    }
    if !schema.validations.is_empty() {
        compile_rules(schema, is_resource, path, causes);
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if let Some(of_item) = &schema.items {
                    let path = format!("{path}[{at}]");
                    report_compile_errors(of_item, item, of_item.embedded_resource, &path, causes);
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let property = schema
                    .properties
                    .get(name)
                    .filter(|it| schema.has_cel_type() && it.has_cel_type());
                if let Some(of_member) = property {
                    let path = format!("{path}.{name}");
                    report_compile_errors(
                        of_member,
                        member,
                        of_member.embedded_resource,
                        &path,
                        causes,
                    );
                }
                let values = schema.additional_properties.as_ref();
                if let Some(of_member) = values.filter(|it| it.boolean.is_none()) {
                    let path = format!("{path}[{name}]");
                    report_compile_errors(
                        of_member,
                        member,
                        of_member.embedded_resource,
                        &path,
                        causes,
                    );
                }
            }
        }
        _ => {}
    }
}

fn compile_rules(schema: &Schema, is_resource: bool, path: &str, causes: &mut field::ErrorList) {
    let type_ = schema.type_.map_or("", JsonType::as_str);
    let type_ = if is_resource { "object" } else { type_ };
    let mut report = |detail: &str| causes.push(field::Error::invalid(path, &type_.into(), detail));
    let Some((self_, objects)) = declare(schema, is_resource) else {
        return report(
            "rule compiler initialization error: failed to convert to declType for CEL validation \
             rules",
        );
    };
    for rule in &schema.validations {
        if rule.rule.trim().is_empty() {
            continue;
        }
        let is_optional = rule.optional_old_self == Some(true);
        let compiled =
            CompiledExpression::new(&rule.rule, &Type::Bool, is_optional, &self_, &objects);
        if let Err(error) = compiled {
            report(&format!("rule compile error: {error}"));
        }
    }
}

/// Evaluates the rules on a default as in an update that leaves the value unchanged. If there are
/// no errors, evaluates the rules again as in a creation (`validate` of
/// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting).
#[cfg(feature = "evaluate")]
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedRules;

#[cfg(feature = "evaluate")]
impl DefaultRules for EvaluatedRules {
    fn validate_default(
        &self,
        schema: &Schema,
        default: &Value,
        is_resource: bool,
        path: &str,
    ) -> field::ErrorList {
        let rules = Rules::of_part(schema, is_resource);
        let check = |old| rules.check(default, old, path, OBJECT_BUDGET, false).causes;
        let of_update = check(Some(default));
        if of_update.is_empty() {
            check(None)
        } else {
            of_update
        }
    }
}
