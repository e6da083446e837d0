//! Validation of CEL rules in a CustomResourceDefinition: fields, types and cost
//! (cel_validation.go of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation).
//!
//! Type errors have the API server's wording, and syntax errors a similar one. The reported column
//! numbers may differ from the API server's.

use std::fmt::Display;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::str_field;
use genclient_cel::ast::Expr;
use genclient_cel::declare::{Declared, Objects, REQUEST_BYTES};
use genclient_cel::{Environment, Functions, Inferred, Type, cost, infer, literals, mixed, parse};
use serde_json::Value;

use super::json_schema_props::{JsonSchemaProps, print_rule};
use super::structural;
use crate::Schema;
use crate::definition::keywords::{REASONS, has_line_breaks};
use crate::rules::declare;

/// Maximum estimated cost of one rule.
const LIMIT: u64 = 10_000_000;

/// Reports empty expressions, and errors in the other fields of rules, such as `message`.
pub(super) fn validate_rule_fields(
    schema: JsonSchemaProps<'_>,
    path: &str,
    causes: &mut field::ErrorList,
) {
    for (at, rule) in schema.rules().iter().enumerate() {
        let path = format!("{path}.x-kubernetes-validations[{at}]");
        let field = |name: &str| format!("{path}.{name}");
        let (expression, message) = (str_field(rule, "rule").trim(), str_field(rule, "message"));
        if expression.is_empty() {
            causes.push(field::Error::required(
                field("rule"),
                "rule is not specified",
            ));
        } else if !message.is_empty() && message.trim().is_empty() {
            let detail = "must be non-empty if specified";
            causes.push(field::Error::invalid(
                field("message"),
                &message.into(),
                detail,
            ));
        } else if has_line_breaks(message.trim()) {
            let detail = "must not contain line breaks";
            causes.push(field::Error::invalid(
                field("message"),
                &message.into(),
                detail,
            ));
        } else if has_line_breaks(expression) && message.trim().is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            causes.push(field::Error::required(field("message"), detail));
        }
        let of_message = str_field(rule, "messageExpression");
        if !of_message.is_empty() && of_message.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            causes.push(field::Error::required(field("messageExpression"), detail));
        }
        let reason = rule.get("reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !REASONS.contains(reason)) {
            causes.push(field::Error::not_supported(
                field("reason"),
                &reason.into(),
                &REASONS,
            ));
        }
        validate_field_path(
            schema,
            str_field(rule, "fieldPath"),
            &field("fieldPath"),
            causes,
        );
    }
}

fn validate_field_path(
    schema: JsonSchemaProps<'_>,
    path: &str,
    field: &str,
    causes: &mut field::ErrorList,
) {
    let mut report = |detail| causes.push(field::Error::invalid(field, &path.into(), detail));
    if path.is_empty() {
        return;
    }
    if path.trim().is_empty() {
        report("must be non-empty if specified");
    }
    if has_line_breaks(path) {
        report("must not contain line breaks");
    }
    let is_known = || find_field(path, schema, Notation::Brackets).is_ok();
    if structural::conversion_error(schema).is_none() && !is_known() {
        report("must be a valid path");
    }
}

/// Returns the error for an estimated cost above the limit (`getCostErrorMessage`).
pub(super) fn cost_error(what: &str, cost: u64, limit: u64) -> String {
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

pub(super) struct RuleValidator<'p> {
    pub context: CelContext,
    pub uncorrelated: Option<&'p str>,
    pub any_cost: bool,
    /// The schema describes an object with `apiVersion`, `kind` and `metadata`.
    pub is_resource: bool,
}

impl RuleValidator<'_> {
    pub fn validate_rules(
        &self,
        schema: JsonSchemaProps<'_>,
        path: &str,
        costs: &mut TotalCost,
        causes: &mut field::ErrorList,
    ) {
        if schema.rules().is_empty() {
            return;
        }
        let path = format!("{path}.x-kubernetes-validations");
        let typed = Schema::of_definition(&schema.value());
        if self.context.is_foreign && !self.context.has_no_type {
            let detail = "failed to convert to declType for CEL validation rules";
            causes.push(field::Error::internal(path, detail));
            return;
        }
        let has_type = typed.has_cel_type() && !self.context.has_no_type;
        let declared = declare(&typed, self.is_resource).filter(|_| has_type);
        let Some((self_, objects)) = declared else {
            causes.push(field::Error::internal(
                path,
                "internal error: failed to construct type information for \
                 x-kubernetes-validations rules: unable to convert structural schema to CEL \
                 declarations",
            ));
            return;
        };
        for (at, rule) in schema.rules().iter().enumerate() {
            let path = format!("{path}[{at}]");
            self.validate_rule(rule, &self_, &objects, &path, costs, causes);
        }
    }

    fn validate_rule(
        &self,
        rule: &Value,
        self_: &Declared,
        objects: &Objects,
        path: &str,
        costs: &mut TotalCost,
        causes: &mut field::ErrorList,
    ) {
        let field = |name: &str| format!("{path}.{name}");
        let is_optional = rule.get("optionalOldSelf") == Some(&Value::Bool(true));
        let compile = |text: &str, wanted: &Type| {
            let compiled = CompiledExpression::new(text, wanted, is_optional, self_, objects);
            compiled.map(|compiled| {
                (
                    compiled.cost(self_, objects),
                    compiled.inferred.uses_old_self,
                )
            })
        };
        let mut uses_old_self = false;
        match compile(str_field(rule, "rule"), &Type::Bool) {
            Err(error) => {
                costs.add(field("rule"), 0);
                let printed = print_rule(rule);
                causes.push(field::Error::invalid_text(field("rule"), &printed, &error));
            }
            Ok((cost_of_one, uses)) => {
                uses_old_self = uses;
                let max_cardinality = self
                    .context
                    .max_cardinality
                    .unwrap_or_else(|| REQUEST_BYTES / (self_.min_bytes + 1));
                let cost = cost_of_one.saturating_mul(max_cardinality);
                costs.add(field("rule"), cost);
                self.check_cost("estimated rule cost", field("rule"), cost, causes);
                let message = str_field(rule, "messageExpression");
                match compile(message, &Type::Text) {
                    _ if message.is_empty() => {}
                    Err(error) => {
                        let detail = format!("messageExpression {error}").replace(
                            "messageExpression cel expression must evaluate to a string",
                            "messageExpression must evaluate to a string",
                        );
                        let field = field("messageExpression");
                        let printed = print_rule(rule);
                        causes.push(field::Error::invalid_text(field, &printed, &detail));
                    }
                    Ok((cost, _)) => {
                        let (what, field) = (
                            "estimated messageExpression cost",
                            field("messageExpression"),
                        );
                        costs.add(field.clone(), cost);
                        self.check_cost(what, field, cost, causes);
                    }
                }
            }
        }
        self.validate_old_self(rule, uses_old_self, path, causes);
    }

    fn validate_old_self(
        &self,
        rule: &Value,
        uses_old_self: bool,
        path: &str,
        causes: &mut field::ErrorList,
    ) {
        let field = |name: &str| format!("{path}.{name}");
        match (uses_old_self, self.uncorrelated) {
            (true, Some(uncorrelated)) => {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within \
                     {uncorrelated}"
                );
                let expression = str_field(rule, "rule").into();
                causes.push(field::Error::invalid(field("rule"), &expression, &detail));
            }
            (true, None) => {}
            (false, _) => {
                if let Some(optional) = rule.get("optionalOldSelf").filter(|it| it.is_boolean()) {
                    let detail = "may not be set if oldSelf is not used in rule";
                    causes.push(field::Error::invalid(
                        field("optionalOldSelf"),
                        optional,
                        detail,
                    ));
                }
            }
        }
    }

    fn check_cost(&self, what: &str, field: String, cost: u64, causes: &mut field::ErrorList) {
        if cost > LIMIT && !self.any_cost {
            causes.push(field::Error::forbidden(
                field,
                &cost_error(what, cost, LIMIT),
            ));
        }
    }
}

/// Estimated total cost of all rules in a version's schema, and the most expensive rules.
#[derive(Default)]
pub(super) struct TotalCost {
    pub total: u64,
    rules: Vec<(u64, String)>,
}

impl TotalCost {
    /// Minimum cost of a rule that is reported if the total cost exceeds its limit: a hundredth of
    /// that limit.
    const NAMED: u64 = 1_000_000;

    pub fn add(&mut self, field: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= Self::NAMED {
            self.rules.push((cost, field));
            self.rules.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            self.rules.truncate(4);
        }
    }

    /// Returns the paths of up to four rules, the most expensive first.
    pub fn expensive(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(_, field)| field.as_str())
    }
}

/// Context for the type check and cost estimate of rules.
#[derive(Clone, Copy)]
pub(super) struct CelContext {
    /// Maximum number of times that the schema applies in one object; `None` if unlimited.
    pub max_cardinality: Option<u64>,
    /// An enclosing schema has rules.
    inside_rules: bool,
    /// An enclosing schema has no CEL type, and that schema or one around it has rules. Rules of
    /// this schema are then errors: their types are unknown.
    pub has_no_type: bool,
    /// The schema is in `items` or `additionalProperties` of a schema that has neither items nor
    /// entries, such as a string, and that schema or one around it has rules. The CEL type of that
    /// schema has no part for this one, so rules of this schema are errors.
    pub is_foreign: bool,
}

impl CelContext {
    pub const ROOT: Self = Self {
        max_cardinality: Some(1),
        inside_rules: false,
        has_no_type: false,
        is_foreign: false,
    };

    /// Sets `is_foreign` if the argument is true and an enclosing schema has rules.
    pub fn add_foreign(&mut self, is_foreign: bool) {
        self.is_foreign |= is_foreign && self.inside_rules;
    }

    /// Returns the context of the schemas inside `schema`.
    pub fn inside(self, schema: JsonSchemaProps<'_>) -> Self {
        let inside_rules = self.inside_rules || !schema.rules().is_empty();
        Self {
            max_cardinality: self
                .max_cardinality
                .zip(most_elements(schema))
                .map(|(around, most)| around.saturating_mul(most)),
            inside_rules,
            is_foreign: self.is_foreign,
            has_no_type: self.has_no_type || inside_rules && !has_type(schema),
        }
    }
}

/// Returns the maximum number of list items or map entries, or `None` if unlimited. Returns 1 for
/// other types (`extractMaxElements`).
fn most_elements(schema: JsonSchemaProps<'_>) -> Option<u64> {
    let most = |name: &str| {
        let most = schema.get(name)?.as_i64()?;
        Some(u64::try_from(most).unwrap_or_default())
    };
    match schema.type_() {
        "object" if schema.values().is_some() => most("maxProperties"),
        "array" => most("maxItems"),
        _ => Some(1),
    }
}

/// Returns whether the values of a schema have a CEL type.
fn has_type(schema: JsonSchemaProps<'_>) -> bool {
    Schema::of_definition(&schema.value()).has_cel_type()
}

/// A CEL expression in which no error was found.
pub(super) struct CompiledExpression {
    expression: Option<Expr>,
    pub inferred: Inferred,
}

impl CompiledExpression {
    pub fn new(
        text: &str,
        wanted: &Type,
        is_optional: bool,
        self_: &Declared,
        objects: &Objects,
    ) -> Result<Self, String> {
        let old_self = if is_optional {
            Type::optional(self_.type_.clone())
        } else {
            self_.type_.clone()
        };
        let environment = Environment {
            self_: &self_.type_,
            old_self,
            objects,
            functions: Functions::all(),
        };
        let parsed =
            parse(text).map_err(|error| compile_error(text, error.span.start, &error.kind))?;
        let expression = parsed.expression;
        if !parsed.complete {
            // Too large or too deep to check.
            return Ok(Self {
                expression: None,
                inferred: Inferred::default(),
            });
        }
        let mut inferred = infer(&expression, parsed.count, &environment);
        let mut errors = std::mem::take(&mut inferred.errors);
        if errors.is_empty() {
            errors = literals::check_literals(&expression);
            errors.extend(mixed::check_literal_types(&expression, &inferred.types));
        }
        if let Some(error) = errors.first() {
            return Err(compile_error(text, error.span.start, &error.kind));
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

    pub fn cost(&self, self_: &Declared, objects: &Objects) -> u64 {
        let expression = self.expression.as_ref();
        expression.map_or(0, |expression| {
            cost::estimate_cost(expression, &self.inferred, self_, objects, None).cost
        })
    }
}

/// Formats an error with its source line, as cel-go does.
fn compile_error(text: &str, at: usize, error: &dyn Display) -> String {
    // cel-go reports an error in a field name at the dot before the name.
    let at = match text.as_bytes().get(..at) {
        Some([.., b'.']) => at - 1,
        _ => at,
    };
    let before = text.get(..at).unwrap_or_default();
    let number = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let columns = before[start..].chars().count();
    let line = text.lines().nth(number).unwrap_or_default();
    format!(
        "compilation failed: ERROR: <input>:{}:{}: {error}\n | {line}\n | {}^",
        number + 1,
        columns + 1,
        ".".repeat(columns)
    )
}

/// Permitted notation of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// `.a.b`
    Dots,
    /// `.a.b` or `.a['b']`
    Brackets,
}

pub(super) struct FoundField<'s> {
    /// The path in the API server's notation: `a.b[key]`.
    pub path: String,
    /// The first field name in the path.
    pub root: String,
    pub schema: JsonSchemaProps<'s>,
}

const NO_FIELD: &str = "does not refer to a valid field";
const END: &str = "unexpected end of JSON path";

/// Finds the field of a schema that a path of a rule names (`cel.ValidFieldPath`).
///
/// # Errors
///
/// If the path is malformed, or no such field exists.
pub(super) fn find_field<'s>(
    path: &str,
    schema: JsonSchemaProps<'s>,
    notation: Notation,
) -> Result<FoundField<'s>, String> {
    let mut found = FoundField {
        path: String::new(),
        root: String::new(),
        schema,
    };
    let mut tokens = Tokens { rest: path };
    while let Some(token) = tokens.next() {
        match token {
            "[" if notation == Notation::Dots => {
                return Err("array notation is not allowed".to_owned());
            }
            "[" => {
                let quoted = tokens.next().ok_or(END)?;
                let name = quoted
                    .strip_prefix('\'')
                    .and_then(|it| it.strip_suffix('\''))
                    .ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                found.step(&name.replace("\\'", "'").replace("\\\\", "\\"))?;
                match tokens.next() {
                    Some("]") => {}
                    Some(token) => return Err(format!("expected ] but got {token}")),
                    None => return Err(END.to_owned()),
                }
            }
            "." => found.step(tokens.next().ok_or(END)?)?,
            token => return Err(format!("expected [ or . but got: {token}")),
        }
    }
    Ok(found)
}

impl FoundField<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let is_object = self.schema.properties().next().is_some();
        let next = if is_object {
            self.schema.property(name)
        } else {
            self.schema.values_schema()
        };
        self.schema = next.ok_or(NO_FIELD)?;
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
        if !is_object {
            self.path.push_str(&format!("[{name}]"));
        } else if self.path.is_empty() {
            self.path.push_str(name);
        } else {
            self.path.push_str(&format!(".{name}"));
        }
        Ok(())
    }
}

/// Tokens of a path: dots, brackets, names and quoted strings.
struct Tokens<'p> {
    rest: &'p str,
}

impl<'p> Iterator for Tokens<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let end = match self.rest.chars().next()? {
            '.' | '[' | ']' => 1,
            '\'' => {
                let mut before = '\'';
                let mut letters = self.rest.char_indices().skip(1);
                let end = letters.find(|(_, letter)| {
                    let is_end = *letter == '\'' && before != '\\';
                    before = *letter;
                    is_end
                });
                end.map_or(self.rest.len(), |(at, _)| at + 1)
            }
            _ => self.rest.find(['.', '[', ']']).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(token)
    }
}
