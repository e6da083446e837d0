//! One rule, from its text to what is wrong with it.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use genclient_schema::cel::cost;
use genclient_schema::cel::declare::{Declared, Objects, REQUEST_BYTES, declare};
use genclient_schema::cel::{
    Environment, Functions, Inferred, Parsed, Type, field_path, infer, literals, mixed, parse,
};

use super::budget::{self, CHEAP, CostCause, RULE_LIMIT};
use super::context::{RuleContext, Uncorrelated};
use super::finding::Finding;
use super::words::{self, Mistake};
use super::{choices, guards};
use crate::model::{Schema, Validation};

/// The rules of one schema.
pub(super) struct Rules<'s> {
    schema: &'s Schema,
    context: &'s RuleContext,
    declared: Option<(Declared, Objects)>,
    demanded: OnceCell<BTreeSet<String>>,
}

/// What one rule comes to.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) findings: Vec<Finding>,
    /// What it costs at most over a whole object.
    pub(super) cost: u64,
    /// What makes it expensive, if it is.
    pub(super) causes: Vec<CostCause>,
}

/// An expression of which nothing is wrong so far.
struct Sound {
    parsed: Parsed,
    inferred: Inferred,
}

impl<'s> Rules<'s> {
    pub(super) fn new(schema: &'s Schema, context: &'s RuleContext) -> Self {
        Self {
            schema,
            context,
            declared: declare(schema, context.root),
            demanded: OnceCell::new(),
        }
    }

    pub(super) fn check(&self, rule: &Validation) -> Checked {
        let mut checked = Checked::default();
        if let Some(path) = rule.field_path.as_deref().filter(|path| !path.is_empty())
            && let Err(error) = field_path::check(path, self.schema)
        {
            let (message, help) = words::field_path(path, &error, self.schema);
            checked.findings.push(Finding {
                in_field_path: true,
                ..Finding::error(message, help)
            });
        }
        if rule.rule.trim().is_empty() {
            return checked;
        }
        let Some((declared, objects)) = &self.declared else {
            checked.findings.push(Finding::error(
                "a rule stands where the schema does not say what `self` is",
                self.missing_type(),
            ));
            return checked;
        };
        self.rule(rule, declared, objects, &mut checked);
        self.message(rule, declared, objects, &mut checked);
        checked
    }

    /// What to write where the schema does not say what `self` is.
    fn missing_type(&self) -> &'static str {
        if self.schema.preserve_unknown_fields {
            "state its type in place of `preserve_unknown_fields`: `type = \"..\"`"
        } else if self.schema.items.is_some() {
            "state the type of its items: `items(type = \"..\")`"
        } else {
            "state the type of its values: `values(type = \"..\")`"
        }
    }

    fn rule(
        &self,
        rule: &Validation,
        declared: &Declared,
        objects: &Objects,
        checked: &mut Checked,
    ) {
        let text = &rule.rule;
        let Some(sound) = self.sound(
            text,
            rule,
            &Type::Bool,
            declared,
            objects,
            &mut checked.findings,
            |mistake| Finding::error(mistake.message, mistake.help).at(mistake.span),
        ) else {
            return;
        };
        self.old_self(rule, &sound.inferred, &mut checked.findings);
        let estimate = |small: Option<&str>| {
            cost::estimate(
                &sound.parsed.expression,
                &sound.inferred,
                declared,
                objects,
                small,
            )
        };
        let whole = estimate(None);
        checked.cost = whole.cost.saturating_mul(self.occurrences(declared));
        if checked.cost > CHEAP {
            let reduced = |path: &str| estimate(Some(path)).cost;
            checked.causes = budget::causes(&whole, self.context, reduced);
        }
        if checked.cost > RULE_LIMIT {
            let (cost, causes) = (checked.cost, &checked.causes);
            let finding = budget::refused("this rule", cost, RULE_LIMIT, causes);
            checked.findings.push(finding);
        }
        if checked.findings.is_empty() {
            let missing = budget::missing_bounds(&whole, self.context);
            checked.findings.extend(missing);
        }
        self.unguarded(&sound, objects, &mut checked.findings);
        let expression = &sound.parsed.expression;
        checked
            .findings
            .extend(choices::check(expression, declared, objects));
    }

    /// How often the rule runs for one object.
    fn occurrences(&self, declared: &Declared) -> u64 {
        self.context
            .occurrences
            .unwrap_or(REQUEST_BYTES / (declared.min_bytes + 1))
    }

    /// The expression, unless something is wrong with it.
    #[expect(
        clippy::too_many_arguments,
        reason = "the rule and its message differ in all of them"
    )]
    fn sound(
        &self,
        text: &str,
        rule: &Validation,
        wanted: &Type,
        declared: &Declared,
        objects: &Objects,
        findings: &mut Vec<Finding>,
        finding: impl Fn(Mistake) -> Finding,
    ) -> Option<Sound> {
        let self_ = &declared.type_;
        let optional = rule.optional_old_self == Some(true);
        let old_self = if optional {
            Type::optional(self_.clone())
        } else {
            self_.clone()
        };
        let environment = Environment {
            self_,
            old_self,
            objects,
            functions: Functions::all(),
        };
        let parsed = match parse(text) {
            Ok(parsed) if parsed.complete => parsed,
            Ok(_) => return None,
            Err(error) => {
                findings.push(finding(Mistake::of_syntax(&error, &environment)));
                return None;
            }
        };
        let mut inferred = infer(&parsed.expression, parsed.count, &environment);
        let mut errors = std::mem::take(&mut inferred.errors);
        if errors.is_empty() && inferred.uses_unknown {
            // Its types and its cost are told when the schema is.
            return None;
        }
        if errors.is_empty() {
            errors = literals::check(&parsed.expression);
            errors.extend(mixed::check(&parsed.expression, &inferred.types));
        }
        let mistakes = errors.iter();
        let mut mistakes: Vec<_> = mistakes
            .map(|error| Mistake::of_types(error, &parsed.expression, &environment))
            .collect();
        let type_ = &inferred.types[parsed.expression.id];
        if mistakes.is_empty() && type_ != wanted {
            mistakes.push(Mistake::of_result(type_, wanted, text));
        }
        if mistakes.is_empty() {
            return Some(Sound { parsed, inferred });
        }
        findings.extend(mistakes.into_iter().map(finding));
        None
    }

    fn old_self(&self, rule: &Validation, inferred: &Inferred, findings: &mut Vec<Finding>) {
        if let Some(list) = self.context.uncorrelated.filter(|_| inferred.uses_old_self) {
            let range = rule
                .rule
                .find("oldSelf")
                .map(|start| start..start + "oldSelf".len());
            findings.push(Finding {
                range,
                ..Finding::error(
                    "`oldSelf` stands in a list or map whose old and new values cannot be told apart",
                    match list {
                        Uncorrelated::Objects => "give the list `#[crd(list_type = \"map\", list_map_keys = [..])]`, or move the rule above the list",
                        Uncorrelated::Scalars => "move the rule above the list",
                    },
                )
            });
        }
        if !inferred.uses_old_self
            && rule.optional_old_self.is_some()
            && rule.rule.contains("oldSelf")
        {
            findings.push(Finding::error(
                "`optional_old_self` is for rules that use `oldSelf`",
                "remove it",
            ));
        }
    }

    fn message(
        &self,
        rule: &Validation,
        declared: &Declared,
        objects: &Objects,
        checked: &mut Checked,
    ) {
        let Some(text) = rule
            .message_expression
            .as_deref()
            .filter(|text| !text.is_empty())
        else {
            return;
        };
        if text.trim().is_empty() {
            checked.findings.push(Finding::error(
                "the message expression is empty",
                "write a CEL expression that makes a string, or remove it",
            ));
            return;
        }
        let Some(sound) = self.sound(
            text,
            rule,
            &Type::Text,
            declared,
            objects,
            &mut checked.findings,
            |mistake| {
                let place = text.get(mistake.span).unwrap_or_default();
                let place = if place.is_empty() {
                    String::new()
                } else {
                    format!(", at `{place}`")
                };
                Finding::error(
                    format!("in `message_expression`{place}: {}", mistake.message),
                    mistake.help,
                )
            },
        ) else {
            return;
        };
        let estimate = |small: Option<&str>| {
            cost::estimate(
                &sound.parsed.expression,
                &sound.inferred,
                declared,
                objects,
                small,
            )
        };
        let whole = estimate(None);
        if whole.cost > RULE_LIMIT {
            let reduced = |path: &str| estimate(Some(path)).cost;
            let causes = budget::causes(&whole, &RuleContext::root(), reduced);
            checked.findings.push(budget::refused(
                "`message_expression`",
                whole.cost,
                RULE_LIMIT,
                &causes,
            ));
        }
        checked.cost = checked.cost.saturating_add(whole.cost);
    }

    fn unguarded(&self, sound: &Sound, objects: &Objects, findings: &mut Vec<Finding>) {
        let found = guards::find(&sound.parsed.expression, &sound.inferred.types, objects);
        if found.is_empty() {
            return;
        }
        let demanded = self.demanded.get_or_init(|| self.demanded());
        for guards::Unguarded {
            node,
            path,
            always,
            branched,
            ..
        } in guards::without_demanded(found, demanded)
        {
            let message = if always {
                format!("`{path}` may be absent, and then the rule refuses the object")
            } else {
                format!(
                    "`{path}` may be absent where the rule reads it, and then the object is refused"
                )
            };
            let otherwise = if branched {
                ""
            } else {
                "; or make the field required"
            };
            let help = format!("ask first: `!has({path}) || …`, or `has({path}) && …`{otherwise}");
            findings.push(Finding::warning(message, help).at(node.span.clone()));
        }
    }

    /// The fields that the rules of the schema may demand.
    fn demanded(&self) -> BTreeSet<String> {
        let rules = self.schema.validations.iter();
        rules
            .filter_map(|rule| parse(&rule.rule).ok())
            .flat_map(|parsed| guards::demands(&parsed.expression))
            .collect()
    }
}
