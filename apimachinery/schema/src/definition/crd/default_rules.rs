//! [`DefaultRules`]: interface for the evaluation of CEL rules on the defaults in a
//! CustomResourceDefinition.

use genclient_apimachinery::field::Cause;
use genclient_cel::Type;
use serde_json::Value;

use super::compiled::Compiled;
use crate::rules::declare;
use crate::{JsonType, Schema};

/// Evaluates CEL rules on defaults when a definition is created or updated.
pub trait DefaultRules {
    /// Returns the errors that the rules of the schema report for its default, which is at `path`.
    /// Called only if the default has no other errors. `is_resource` is true if the schema
    /// describes an object with metadata.
    fn causes(&self, schema: &Schema, default: &Value, is_resource: bool, path: &str)
    -> Vec<Cause>;
}

/// Implementation of [`DefaultRules`] that compiles the rules without evaluating them.
#[derive(Clone, Copy, Debug)]
pub struct Unevaluated;

impl DefaultRules for Unevaluated {
    fn causes(
        &self,
        schema: &Schema,
        default: &Value,
        is_resource: bool,
        path: &str,
    ) -> Vec<Cause> {
        let mut causes = Vec::new();
        if schema.has_rules() {
            uncompiled(schema, default, is_resource, path, &mut causes);
        }
        causes
    }
}

/// Reports rules that do not compile, with the errors that an evaluation would report for them.
fn uncompiled(
    schema: &Schema,
    value: &Value,
    is_resource: bool,
    path: &str,
    causes: &mut Vec<Cause>,
) {
    if value.is_null() {
        return;
    }
    if !schema.validations.is_empty() {
        of_rules(schema, is_resource, path, causes);
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if let Some(of_item) = &schema.items {
                    let path = format!("{path}[{at}]");
                    uncompiled(of_item, item, of_item.embedded_resource, &path, causes);
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let property = schema.properties.get(name);
                let property = property.filter(|it| schema.has_cel_type() && it.has_cel_type());
                if let Some(of_member) = property {
                    let path = format!("{path}.{name}");
                    uncompiled(
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
                    uncompiled(
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

fn of_rules(schema: &Schema, is_resource: bool, path: &str, causes: &mut Vec<Cause>) {
    let type_ = schema.type_.map_or("", JsonType::as_str);
    let type_ = if is_resource { "object" } else { type_ };
    let mut report = |detail: &str| causes.push(Cause::invalid(path, &type_.into(), detail));
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
        let compiled = Compiled::new(&rule.rule, &Type::Bool, is_optional, &self_, &objects);
        if let Err(error) = compiled {
            report(&format!("rule compile error: {error}"));
        }
    }
}
