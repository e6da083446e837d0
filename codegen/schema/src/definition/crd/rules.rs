//! CEL rules of a definition: their keywords, their types and what they cost.
//!
//! The words of compilation errors are not the server's, everything else is.

use serde_json::Value;

use super::dump;
use super::field_path::{self, Notation};
use super::keywords::{Costs, RuleContext};
use super::names::text;
use super::props::Props;
use super::structural;
use crate::Schema;
use crate::cause::Cause;
use crate::cel::declare::{Declared, Objects, REQUEST_BYTES, declare};
use crate::cel::{
    Environment, Functions, Inferred, SyntaxError, Type, TypeError, ast::Expr, cost, infer,
    literals, mixed, parse,
};

/// What one rule may cost.
const LIMIT: u64 = 10_000_000;

const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

fn has_lines(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// What stands beside expressions, and texts that are none.
pub(super) fn keyword_causes(schema: Props<'_>, path: &str, causes: &mut Vec<Cause>) {
    for (at, rule) in schema.rules().iter().enumerate() {
        let path = format!("{path}.x-kubernetes-validations[{at}]");
        let field = |name: &str| format!("{path}.{name}");
        let (expression, message) = (text(rule, "rule").trim(), text(rule, "message"));
        if expression.is_empty() {
            causes.push(Cause::required(field("rule"), "rule is not specified"));
        } else if !message.is_empty() && message.trim().is_empty() {
            let detail = "must be non-empty if specified";
            causes.push(Cause::invalid(field("message"), &message.into(), detail));
        } else if has_lines(message.trim()) {
            let detail = "must not contain line breaks";
            causes.push(Cause::invalid(field("message"), &message.into(), detail));
        } else if has_lines(expression) && message.trim().is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            causes.push(Cause::required(field("message"), detail));
        }
        let of_message = text(rule, "messageExpression");
        if !of_message.is_empty() && of_message.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            causes.push(Cause::required(field("messageExpression"), detail));
        }
        let reason = rule.get("reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !REASONS.contains(reason)) {
            causes.push(Cause::not_supported(
                field("reason"),
                &reason.into(),
                &REASONS,
            ));
        }
        blamed_field(schema, text(rule, "fieldPath"), &field("fieldPath"), causes);
    }
}

fn blamed_field(schema: Props<'_>, path: &str, field: &str, causes: &mut Vec<Cause>) {
    let mut report = |detail| causes.push(Cause::invalid(field, &path.into(), detail));
    if path.is_empty() {
        return;
    }
    if path.trim().is_empty() {
        report("must be non-empty if specified");
    }
    if has_lines(path) {
        report("must not contain line breaks");
    }
    let is_known = || field_path::find(path, schema, Notation::Brackets).is_ok();
    if structural::conversion_error(schema).is_none() && !is_known() {
        report("must be a valid path");
    }
}

/// True if CEL has a type for the values of a schema.
pub(super) fn has_type(schema: Props<'_>) -> bool {
    Schema::of_definition(&schema.value()).has_cel_type()
}

/// `getCostErrorMessage`
pub(super) fn exceeds(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, \
         maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}

/// The rules of one schema, and where it stands.
pub(super) struct Rules<'p> {
    pub(super) context: RuleContext,
    pub(super) uncorrelated: Option<&'p str>,
    pub(super) any_cost: bool,
    /// True for objects with `apiVersion`, `kind` and `metadata`.
    pub(super) is_resource: bool,
}

impl Rules<'_> {
    pub(super) fn causes(
        &self,
        schema: Props<'_>,
        path: &str,
        costs: &mut Costs,
        causes: &mut Vec<Cause>,
    ) {
        if schema.rules().is_empty() {
            return;
        }
        let path = format!("{path}.x-kubernetes-validations");
        let typed = Schema::of_definition(&schema.value());
        if self.context.is_foreign && !self.context.has_no_type {
            let detail = "failed to convert to declType for CEL validation rules";
            causes.push(Cause::internal(path, detail));
            return;
        }
        let has_type = typed.has_cel_type() && !self.context.has_no_type;
        let declared = declare(&typed, self.is_resource).filter(|_| has_type);
        let Some((self_, objects)) = declared else {
            causes.push(Cause::internal(
                path,
                "internal error: failed to construct type information for \
                 x-kubernetes-validations rules: unable to convert structural schema to CEL \
                 declarations",
            ));
            return;
        };
        for (at, rule) in schema.rules().iter().enumerate() {
            let path = format!("{path}[{at}]");
            self.rule(rule, &self_, &objects, &path, costs, causes);
        }
    }

    fn rule(
        &self,
        rule: &Value,
        self_: &Declared,
        objects: &Objects,
        path: &str,
        costs: &mut Costs,
        causes: &mut Vec<Cause>,
    ) {
        let field = |name: &str| format!("{path}.{name}");
        let is_optional = rule.get("optionalOldSelf") == Some(&Value::Bool(true));
        let compile = |text: &str, wanted: &Type| {
            let compiled = Compiled::new(text, wanted, is_optional, self_, objects);
            compiled.map(|compiled| {
                (
                    compiled.cost(self_, objects),
                    compiled.inferred.uses_old_self,
                )
            })
        };
        let mut uses_old_self = false;
        match compile(text(rule, "rule"), &Type::Bool) {
            Err(error) => {
                costs.add(field("rule"), 0);
                let printed = dump::rule(rule);
                causes.push(Cause::invalid_text(field("rule"), &printed, &error));
            }
            Ok((cost, uses)) => {
                uses_old_self = uses;
                let occurrences = self.context.occurrences;
                let occurrences =
                    occurrences.unwrap_or_else(|| REQUEST_BYTES / (self_.min_bytes + 1));
                let cost = cost.saturating_mul(occurrences);
                costs.add(field("rule"), cost);
                self.limited("estimated rule cost", field("rule"), cost, causes);
                let message = text(rule, "messageExpression");
                match compile(message, &Type::Text) {
                    _ if message.is_empty() => {}
                    Err(error) => {
                        let (printed, error) =
                            (dump::rule(rule), format!("messageExpression {error}"));
                        let error = error.replace(
                            "messageExpression cel expression must evaluate to a string",
                            "messageExpression must evaluate to a string",
                        );
                        let field = field("messageExpression");
                        causes.push(Cause::invalid_text(field, &printed, &error));
                    }
                    Ok((cost, _)) => {
                        let (what, field) = (
                            "estimated messageExpression cost",
                            field("messageExpression"),
                        );
                        costs.add(field.clone(), cost);
                        self.limited(what, field, cost, causes);
                    }
                }
            }
        }
        self.old_self(rule, uses_old_self, path, causes);
    }

    fn old_self(&self, rule: &Value, uses_old_self: bool, path: &str, causes: &mut Vec<Cause>) {
        let field = |name: &str| format!("{path}.{name}");
        match (uses_old_self, self.uncorrelated) {
            (true, Some(uncorrelated)) => {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within \
                     {uncorrelated}"
                );
                let expression = text(rule, "rule").into();
                causes.push(Cause::invalid(field("rule"), &expression, &detail));
            }
            (true, None) => {}
            (false, _) => {
                if let Some(optional) = rule.get("optionalOldSelf").filter(|it| it.is_boolean()) {
                    let detail = "may not be set if oldSelf is not used in rule";
                    causes.push(Cause::invalid(field("optionalOldSelf"), optional, detail));
                }
            }
        }
    }

    fn limited(&self, what: &str, field: String, cost: u64, causes: &mut Vec<Cause>) {
        if cost > LIMIT && !self.any_cost {
            causes.push(Cause::forbidden(field, &exceeds(what, cost, LIMIT)));
        }
    }
}

/// An expression of the type that it has to be of.
struct Compiled {
    expression: Option<Expr>,
    inferred: Inferred,
}

impl Compiled {
    fn new(
        text: &str,
        wanted: &Type,
        is_optional: bool,
        self_: &Declared,
        objects: &Objects,
    ) -> Result<Self, String> {
        let old_self = match is_optional {
            true => Type::optional(self_.type_.clone()),
            false => self_.type_.clone(),
        };
        let environment = Environment {
            self_: &self_.type_,
            old_self,
            objects,
            functions: Functions::all(),
        };
        let parsed = parse(text).map_err(|error| syntax(text, &error))?;
        let expression = parsed.expression;
        if !parsed.complete {
            // Too large to look at.
            return Ok(Self {
                expression: None,
                inferred: Inferred::default(),
            });
        }
        let mut inferred = infer(&expression, parsed.count, &environment);
        let mut errors = std::mem::take(&mut inferred.errors);
        if errors.is_empty() {
            errors = literals::check(&expression);
            errors.extend(mixed::check(&expression, &inferred.types));
        }
        if let Some(error) = errors.first() {
            return Err(types(text, error));
        }
        let type_ = &inferred.types[expression.id];
        if type_ != wanted && !inferred.uses_unknown {
            let name = if *wanted == Type::Bool {
                "bool"
            } else {
                "string"
            };
            return Err(format!("cel expression must evaluate to a {name}"));
        }
        let expression = Some(expression);
        Ok(Self {
            expression,
            inferred,
        })
    }

    fn cost(&self, self_: &Declared, objects: &Objects) -> u64 {
        let expression = self.expression.as_ref();
        expression.map_or(0, |expression| {
            cost::estimate(expression, &self.inferred, self_, objects, None).cost
        })
    }
}

/// Evaluation of rules on defaults, when a definition is created or changed.
pub trait DefaultRules {
    /// Returns what the rules of a schema say of its default, which is valid otherwise. `path` is
    /// that of the default, `is_resource` is set for objects with metadata.
    fn causes(&self, schema: &Schema, default: &Value, is_resource: bool, path: &str)
    -> Vec<Cause>;
}

/// Rules on defaults are compiled and not evaluated.
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

/// What the evaluation of rules says of those that cannot be compiled.
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
    let type_ = schema.type_.map_or("", crate::JsonType::as_str);
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

fn syntax(text: &str, error: &SyntaxError) -> String {
    failed(
        text,
        error.span.start,
        &format!("Syntax error: {:?}", error.kind),
    )
}

fn types(text: &str, error: &TypeError) -> String {
    failed(text, error.span.start, &format!("{:?}", error.kind))
}

fn failed(text: &str, at: usize, error: &str) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start..].chars().count() + 1;
    format!("compilation failed: ERROR: <input>:{line}:{column}: {error}")
}
