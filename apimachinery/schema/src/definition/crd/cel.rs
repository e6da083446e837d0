//! Validation of CEL rules in a CustomResourceDefinition: keywords, types and cost.

use genclient_apimachinery::field::Cause;
use genclient_cel::Type;
use genclient_cel::declare::{Declared, Objects, REQUEST_BYTES};
use serde_json::Value;

use super::compiled::Compiled;
use super::dump;
use super::field_path::{self, Notation};
use super::json_schema_props::Props;
use super::names::text;
use super::place::{Costs, RuleContext};
use super::structural;
use crate::Schema;
use crate::rules::declare;

/// Maximum estimated cost of one rule.
const LIMIT: u64 = 10_000_000;

const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Reports empty expressions, and errors in the other fields of rules, such as `message`.
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
        } else if has_line_breaks(message.trim()) {
            let detail = "must not contain line breaks";
            causes.push(Cause::invalid(field("message"), &message.into(), detail));
        } else if has_line_breaks(expression) && message.trim().is_empty() {
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
    if has_line_breaks(path) {
        report("must not contain line breaks");
    }
    let is_known = || field_path::find(path, schema, Notation::Brackets).is_ok();
    if structural::conversion_error(schema).is_none() && !is_known() {
        report("must be a valid path");
    }
}

/// Returns the error for an estimated cost above the limit (`getCostErrorMessage`).
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

pub(super) struct RuleChecks<'p> {
    pub(super) context: RuleContext,
    pub(super) uncorrelated: Option<&'p str>,
    pub(super) any_cost: bool,
    /// The schema describes an object with `apiVersion`, `kind` and `metadata`.
    pub(super) is_resource: bool,
}

impl RuleChecks<'_> {
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
