//! Validation of objects by CEL rules, with the API server's order, messages and cost budgets.

use genclient_apimachinery::field;
use genclient_cel::evaluate::{CALL_LIMIT, Evaluation, Output, Program, Variables};
use serde_json::Value as Json;

use super::compile::{Level, Rule, Rules};
use super::correlation::{Ratchet, old_item};
use crate::{MapType, Schema};

/// Result of evaluating the rules of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Errors.
    pub causes: field::ErrorList,
    /// Errors that ratcheting turns into warnings: the value is unchanged and the rule does not use
    /// `oldSelf`.
    pub warnings: field::ErrorList,
    /// Remaining budget; negative if a cost limit ended the validation.
    pub budget: i64,
}

impl Rules {
    /// Validates an object by its rules (`Validator.Validate`).
    ///
    /// `old` is the object before an update. With `ratcheting`, errors in unchanged values become
    /// warnings unless the rule uses `oldSelf`. `path` is the path of the value, empty for a
    /// whole object. `budget` is the cost limit for all rules together:
    /// [`OBJECT_BUDGET`](genclient_cel::evaluate::OBJECT_BUDGET) for a whole object.
    pub fn check(
        &self,
        value: &Json,
        old: Option<&Json>,
        path: &str,
        budget: i64,
        ratcheting: bool,
    ) -> Checked {
        let ratchet = match old.filter(|_| ratcheting) {
            Some(old) => Ratchet::root(value, old, &self.schema),
            None => Ratchet::default(),
        };
        let mut check = Check {
            out: Checked {
                budget,
                ..Checked::default()
            },
        };
        if let Some(level) = &self.root {
            check.level(level, path, value, old, ratchet);
        }
        check.out
    }
}

struct Check {
    out: Checked,
}

/// Error that ends the validation because a cost limit was exceeded.
struct Stopped;

type Flow = Result<(), Stopped>;

const OUT_OF_BUDGET: &str = "validation failed due to running out of cost budget, no further \
     validation rules will be run";

impl Check {
    /// Evaluates the rules of a value, then those in its `allOf` branches, then those of its fields
    /// or items.
    fn level(
        &mut self,
        level: &Level,
        path: &str,
        value: &Json,
        old: Option<&Json>,
        ratchet: Ratchet<'_>,
    ) {
        let _ = self.visit(level, path, value, old, ratchet);
    }

    fn visit(
        &mut self,
        level: &Level,
        path: &str,
        value: &Json,
        old: Option<&Json>,
        ratchet: Ratchet<'_>,
    ) -> Flow {
        if value.is_null() {
            return Ok(());
        }
        let old = old.filter(|old| !old.is_null());
        self.rules(level, path, value, old, ratchet)?;
        for branch in &level.all_of {
            self.visit(branch, path, value, old, ratchet.branch())?;
        }
        match value {
            Json::Array(items) => {
                let Some(inner) = &level.items else {
                    return Ok(());
                };
                let before = old.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
                for (index, item) in items.iter().enumerate() {
                    let old = old_item(&level.schema, before, item);
                    let path = format!("{path}[{index}]");
                    self.visit(inner, &path, item, old, ratchet.item(index))?;
                }
            }
            Json::Object(members) => {
                let before = old.and_then(Json::as_object);
                let known = match level.schema.map_type {
                    None | Some(MapType::Granular | MapType::Atomic) => before,
                };
                for (name, member) in members {
                    let old = known.and_then(|known| known.get(name));
                    if let Some(inner) = &level.values {
                        let path = format!("{path}[{name}]");
                        self.visit(inner, &path, member, old, ratchet.property(name))?;
                    }
                }
                for (name, member) in members {
                    let old = known.and_then(|known| known.get(name));
                    if let Some(inner) = level.properties.get(name) {
                        let path = child(path, name);
                        self.visit(inner, &path, member, old, ratchet.property(name))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn rules(
        &mut self,
        level: &Level,
        path: &str,
        value: &Json,
        old: Option<&Json>,
        ratchet: Ratchet<'_>,
    ) -> Flow {
        let rules = match &level.rules {
            Ok(rules) if rules.is_empty() => return Ok(()),
            Ok(rules) => rules,
            Err(reason) => {
                let detail = format!("rule compiler initialization error: {reason}");
                self.invalid(path, &level.schema, &detail);
                return Ok(());
            }
        };
        if self.out.budget <= 0 {
            self.invalid(path, &level.schema, OUT_OF_BUDGET);
            return self.stop();
        }
        let variables = Variables::new(&level.shape, value, old);
        for rule in rules {
            let program = match &rule.program {
                None => continue,
                Some(Ok(program)) => program,
                Some(Err(error)) => {
                    let detail = format!("rule compile error: {error}");
                    self.invalid(path, &level.schema, &detail);
                    continue;
                }
            };
            let optional = rule.validation.optional_old_self == Some(true);
            if rule.uses_old_self() && old.is_none() && !optional {
                continue;
            }
            let variables = if optional {
                variables.clone().with_optional_old_self()
            } else {
                variables.clone()
            };
            let site = RuleSite {
                level,
                rule,
                path,
                value,
                ratchet,
            };
            self.rule(&site, program, variables)?;
        }
        Ok(())
    }

    fn rule<'a>(
        &mut self,
        site: &RuleSite<'a>,
        program: &'a Program,
        variables: Variables<'a>,
    ) -> Flow {
        let RuleSite {
            level, rule, path, ..
        } = *site;
        let Evaluation { result, cost } = program.run(variables.clone(), CALL_LIMIT);
        if !self.pay(cost) {
            self.invalid(path, &level.schema, OUT_OF_BUDGET);
            return self.stop();
        }
        let error = match result {
            Ok(Output::Bool(true)) => return Ok(()),
            Ok(_) => return self.failed(site, variables),
            Err(error) => error,
        };
        let name = rule.name();
        if error.starts_with("no such overload") {
            let detail = format!(
                "'{error}': call arguments did not match a supported operator, function or macro \
                 signature for rule: {name}"
            );
            self.invalid(path, &level.schema, &detail);
        } else if error.starts_with("operation cancelled: actual cost limit exceeded") {
            let detail = format!(
                "'{error}': no further validation rules will be run due to call cost exceeds \
                 limit for rule: {name}"
            );
            self.invalid(path, &level.schema, &detail);
            return self.stop();
        } else {
            let detail = format!("{error} evaluating rule: {name}");
            self.invalid(path, &level.schema, &detail);
        }
        Ok(())
    }

    fn failed<'a>(&mut self, site: &RuleSite<'a>, variables: Variables<'a>) -> Flow {
        let path = match &site.rule.field_path {
            Some(added) => child(site.path, added),
            None => site.path.to_owned(),
        };
        let detail = match self.message(site.rule, variables) {
            Message::Text(text) => text,
            Message::None => site.rule.message(),
            Message::Stop(reason) => {
                let type_ = type_of(&site.level.schema);
                self.add(site, field::Error::invalid(field(&path), &type_, &reason));
                return self.stop();
            }
        };
        let scalar = site
            .level
            .schema
            .type_
            .is_none_or(crate::JsonType::is_scalar);
        let value = scalar.then_some(site.value);
        let path = field(&path);
        let cause = match site.rule.validation.reason.as_deref() {
            Some("FieldValueForbidden") => field::Error::forbidden(path, &detail),
            Some("FieldValueRequired") => field::Error::required(path, &detail),
            Some("FieldValueDuplicate") => match value {
                Some(value) => field::Error::duplicate(path, value),
                None => field::Error::duplicate_part(path),
            },
            _ => match value {
                Some(value) => field::Error::invalid(path, value, &detail),
                None => field::Error::invalid_part(path, &detail),
            },
        };
        self.add(site, cause);
        Ok(())
    }

    fn add(&mut self, site: &RuleSite<'_>, cause: field::Error) {
        if !site.rule.uses_old_self() && site.ratchet.is_unchanged() {
            self.out.warnings.push(cause);
        } else {
            self.out.causes.push(cause);
        }
    }

    fn message<'a>(&mut self, rule: &'a Rule, variables: Variables<'a>) -> Message {
        let Some(program) = &rule.message else {
            return Message::None;
        };
        let Evaluation { result, cost } = program.run(variables, CALL_LIMIT);
        if !self.can_pay(cost) {
            return Message::Stop(
                "messageExpression evaluation failed due to running out of cost budget, no \
                 further validation rules will be run"
                    .to_owned(),
            );
        }
        let text = match result {
            Err(error) if error.starts_with("operation cancelled: actual cost limit exceeded") => {
                let source = rule
                    .validation
                    .message_expression
                    .as_deref()
                    .unwrap_or_default();
                let source = genclient_apimachinery::go::quoted(source);
                return Message::Stop(format!(
                    "no further validation rules will be run due to call cost exceeds limit for \
                     messageExpression: {source}"
                ));
            }
            Ok(Output::Text(text)) => text.trim().to_owned(),
            _ => String::new(),
        };
        self.pay(cost);
        const MAX_LENGTH: usize = 5 * 1024;
        if text.is_empty() || text.len() > MAX_LENGTH || text.contains('\n') {
            return Message::None;
        }
        Message::Text(text)
    }

    fn can_pay(&self, cost: u64) -> bool {
        i64::try_from(cost).is_ok_and(|cost| cost <= self.out.budget)
    }

    /// Subtracts a cost from the budget, or returns false if the budget is insufficient.
    fn pay(&mut self, cost: u64) -> bool {
        let enough = self.can_pay(cost);
        if enough {
            self.out.budget -= i64::try_from(cost).unwrap_or_default();
        }
        enough
    }

    fn stop(&mut self) -> Flow {
        self.out.budget = -1;
        Err(Stopped)
    }

    /// Reports that a rule cannot be evaluated, with the schema's `type` as the invalid value.
    fn invalid(&mut self, path: &str, schema: &Schema, detail: &str) {
        let cause = field::Error::invalid(field(path), &type_of(schema), detail);
        self.out.causes.push(cause);
    }
}

/// A rule and the value that it is evaluated on.
#[derive(Clone, Copy)]
struct RuleSite<'a> {
    level: &'a Level,
    rule: &'a Rule,
    path: &'a str,
    value: &'a Json,
    ratchet: Ratchet<'a>,
}

/// Result of a `messageExpression`.
enum Message {
    Text(String),
    None,
    /// The error that ends the validation.
    Stop(String),
}

impl Rule {
    /// Returns the text by which evaluation errors name the rule: its message or its expression.
    fn name(&self) -> &str {
        match self.validation.message.as_deref() {
            Some(message) if !message.is_empty() => message.trim(),
            _ => self.validation.rule.trim(),
        }
    }

    fn message(&self) -> String {
        match self.validation.message.as_deref() {
            Some(message) if !message.is_empty() => message.trim().to_owned(),
            _ => format!("failed rule: {}", self.name()),
        }
    }
}

fn type_of(schema: &Schema) -> Json {
    Json::from(schema.type_.map_or("", crate::JsonType::as_str))
}

fn child(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Returns the path in the notation of causes: `<nil>` for the whole object.
fn field(path: &str) -> &str {
    if path.is_empty() { "<nil>" } else { path }
}
