//! Check of one CEL rule: syntax, types, cost, optional fields and enum values.

use std::collections::BTreeSet;

use genclient_cel::ast::Expr;
use genclient_cel::cost::{self, Estimate};
use genclient_cel::declare::{Declared, Objects, REQUEST_BYTES, SizeKeyword};
use genclient_cel::{Environment, Functions, Inferred, Type, infer, literals, mixed, parse};
use genclient_schema::rules::{declare, field_path};

use super::budget::{self, CHEAP_RULE_COST, CostCause, RULE_LIMIT};
use super::dialect::{FieldOrigin, SizedValue};
use super::finding::{Finding, RulePosition, RuleText, Uncorrelated};
use super::messages::{self, ExpressionError, MessageWriter};
use super::{guards, pitfalls};
use crate::model::{Schema, Validation};
use crate::resolve::explanation::Explanation;

/// Checker of the rules of one schema.
pub(super) struct RuleChecker<'s> {
    schema: &'s Schema,
    position: &'s RulePosition,
    declared: Option<DeclaredSchema>,
}

/// Result of checking one rule.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) findings: Vec<Finding>,
    /// Maximum cost of the rule for a whole object, plus one evaluation of its message expression.
    pub(super) cost: u64,
    /// What makes the rule expensive; empty for a cheap rule.
    pub(super) causes: Vec<CostCause>,
}

/// CEL declarations for a schema: `self`, and the object types below it.
struct DeclaredSchema {
    self_: Declared,
    objects: Objects,
    origin: FieldOrigin,
}

/// An expression that parses and has the expected type.
struct Sound<'s> {
    declared: &'s DeclaredSchema,
    expression: Expr,
    inferred: Inferred,
}

impl<'s> Sound<'s> {
    /// Parses and type-checks an expression that must be of the type `wanted`.
    ///
    /// # Errors
    ///
    /// Returns the errors of the expression. The list is empty if the expression cannot be checked:
    /// it is too large, or it uses values for which the schema declares no type.
    fn new(
        text: &str,
        rule: &Validation,
        wanted: &Type,
        declared: &'s DeclaredSchema,
    ) -> Result<Self, Vec<ExpressionError>> {
        let self_ = &declared.self_.type_;
        let old_self = match rule.optional_old_self {
            Some(true) => Type::optional(self_.clone()),
            _ => self_.clone(),
        };
        let environment = Environment {
            self_,
            old_self,
            objects: &declared.objects,
            functions: Functions::all(),
        };
        let parsed = match parse(text) {
            Ok(parsed) if parsed.complete => parsed,
            Ok(_) => return Err(Vec::new()),
            Err(error) => return Err(vec![ExpressionError::of_syntax(&error, text, &environment)]),
        };
        let expression = parsed.expression;
        let mut inferred = infer(&expression, parsed.count, &environment);
        let mut errors = std::mem::take(&mut inferred.errors);
        if errors.is_empty() && inferred.uses_unknown {
            return Err(Vec::new());
        }
        if errors.is_empty() {
            errors = literals::check_literals(&expression);
            errors.extend(mixed::check_literal_types(&expression, &inferred.types));
        }
        let type_ = &inferred.types[expression.id];
        if errors.is_empty() && type_ == wanted {
            return Ok(Self {
                declared,
                expression,
                inferred,
            });
        }
        let writer = MessageWriter {
            root: &expression,
            text,
            types: &inferred.types,
            environment: &environment,
            origin: declared.origin,
            is_rule: *wanted == Type::Bool,
        };
        if errors.is_empty() {
            return Err(vec![writer.result_type_error(type_, wanted)]);
        }
        Err(errors
            .iter()
            .map(|error| writer.describe_type_error(error))
            .collect())
    }

    /// Estimates the cost of one evaluation. `small` is the path of a value and the size to assume
    /// for it.
    fn estimate(&self, small: Option<(&str, u64)>) -> Estimate {
        let DeclaredSchema { self_, objects, .. } = self.declared;
        cost::estimate_cost(&self.expression, &self.inferred, self_, objects, small)
    }
}

impl<'s> RuleChecker<'s> {
    pub(super) fn new(schema: &'s Schema, position: &'s RulePosition) -> Self {
        Self {
            schema,
            position,
            declared: declare(schema, position.root).map(|(self_, objects)| DeclaredSchema {
                self_,
                objects,
                origin: position.declaration.origin,
            }),
        }
    }

    pub(super) fn check(&self, rule: &Validation) -> Checked {
        let mut checked = Checked::default();
        if let Some(path) = rule.field_path.as_deref().filter(|path| !path.is_empty())
            && let Err(error) = field_path::check(path, self.schema)
        {
            let Explanation { message, help } =
                messages::explain_field_path(path, &error, self.schema);
            let finding = Finding::error(message, help).about(RuleText::FieldPath);
            checked.findings.push(finding);
        }
        if rule.rule.trim().is_empty() {
            return checked;
        }
        let Some(declared) = &self.declared else {
            checked.findings.push(Finding::error(
                "a rule needs the type of `self`, but the schema does not declare it",
                self.missing_type(),
            ));
            return checked;
        };
        self.check_rule(rule, declared, &mut checked);
        self.check_message(rule, declared, &mut checked);
        checked
    }

    /// Returns what makes an expression expensive at `position`.
    fn cost_causes(
        &self,
        sound: &Sound<'_>,
        whole: &Estimate,
        position: &RulePosition,
    ) -> Vec<CostCause> {
        let sized = |path: &str, keyword| self.describe_size(path, keyword);
        budget::find_cost_causes(whole, position, sized, |small| {
            sound.estimate(Some(small)).cost
        })
    }

    /// Describes the value at a path of a rule, whose size `keyword` bounds.
    fn describe_size(&self, path: &str, keyword: SizeKeyword) -> SizedValue {
        SizedValue {
            path: path.to_owned(),
            keyword,
            declaration: self.position.declaration.at(path, self.schema),
        }
    }

    /// Help for a schema that does not state the type of `self`.
    fn missing_type(&self) -> String {
        let origin = self.position.declaration.origin;
        if origin.dialect.is_of_schemars() {
            return origin.missing_type();
        }
        let help = if self.schema.preserve_unknown_fields {
            "replace `preserve_unknown_fields` with the type: `type = \"..\"`"
        } else if self.schema.items.is_some() {
            "declare the type of its items: `items(type = \"..\")`"
        } else {
            "declare the type of its values: `values(type = \"..\")`"
        };
        help.to_owned()
    }

    fn check_rule(&self, rule: &Validation, declared: &DeclaredSchema, checked: &mut Checked) {
        let sound = match Sound::new(&rule.rule, rule, &Type::Bool, declared) {
            Ok(sound) => sound,
            Err(errors) => {
                checked
                    .findings
                    .extend(errors.into_iter().map(Finding::from));
                return;
            }
        };
        self.check_old_self(rule, &sound.inferred, &mut checked.findings);
        let whole = sound.estimate(None);
        checked.cost = whole.cost.saturating_mul(self.occurrences(&declared.self_));
        if checked.cost > CHEAP_RULE_COST {
            checked.causes = self.cost_causes(&sound, &whole, self.position);
        }
        if checked.cost > RULE_LIMIT {
            let (cost, causes) = (checked.cost, &checked.causes);
            let mut finding = budget::cost_error("this rule", cost, RULE_LIMIT, causes);
            if causes.is_empty()
                && let Some(text) = whole.unbounded.clone().and_then(|span| rule.rule.get(span))
            {
                finding.help = budget::unbounded_help(text).into();
            }
            checked.findings.push(finding);
        }
        if checked.findings.is_empty() {
            let missing =
                budget::missing_bounds(&whole, |path, keyword| self.describe_size(path, keyword));
            checked.findings.extend(missing);
        }
        self.report_unguarded(&sound, &mut checked.findings);
        let Sound { expression, .. } = &sound;
        let choices =
            pitfalls::check_comparisons(expression, &rule.rule, &declared.self_, &declared.objects);
        checked.findings.extend(choices);
    }

    /// Maximum number of evaluations of the rule for one object. If an enclosing list or map has no
    /// bound, this is the number of values that fit into a request.
    fn occurrences(&self, self_: &Declared) -> u64 {
        self.position
            .occurrences
            .unwrap_or(REQUEST_BYTES / (self_.min_bytes + 1))
    }

    fn check_old_self(&self, rule: &Validation, inferred: &Inferred, findings: &mut Vec<Finding>) {
        if let Some(list) = self
            .position
            .uncorrelated
            .filter(|_| inferred.uses_old_self)
        {
            let range = rule
                .rule
                .find("oldSelf")
                .map(|start| start..start + "oldSelf".len());
            findings.push(Finding {
                range,
                ..Finding::error(
                    "`oldSelf` is not allowed in a list or map whose old and new values cannot be correlated",
                    match list {
                        Uncorrelated::Objects(dialect) => {
                            format!("{}, or move the rule above the list", dialect.list_map())
                        }
                        Uncorrelated::Scalars => "move the rule above the list".to_owned(),
                    },
                )
            });
        }
        if !inferred.uses_old_self
            && rule.optional_old_self.is_some()
            && rule.rule.contains("oldSelf")
        {
            findings.push(Finding::error(
                "`optional_old_self` applies only to rules that use `oldSelf`",
                "remove it",
            ));
        }
    }

    fn check_message(&self, rule: &Validation, declared: &DeclaredSchema, checked: &mut Checked) {
        let text = rule.message_expression.as_deref();
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        if text.trim().is_empty() {
            let finding = Finding::error(
                "the message expression is empty",
                "write a CEL expression that evaluates to string, or remove it",
            );
            checked
                .findings
                .push(finding.about(RuleText::MessageExpression));
            return;
        }
        let sound = match Sound::new(text, rule, &Type::Text, declared) {
            Ok(sound) => sound,
            Err(errors) => {
                let findings = errors
                    .into_iter()
                    .map(Finding::from)
                    .map(|finding| finding.about(RuleText::MessageExpression));
                checked.findings.extend(findings);
                return;
            }
        };
        let whole = sound.estimate(None);
        if whole.cost > RULE_LIMIT {
            let causes = self.cost_causes(&sound, &whole, &self.position.once());
            let what = "`message_expression`";
            let finding = budget::cost_error(what, whole.cost, RULE_LIMIT, &causes);
            checked
                .findings
                .push(finding.about(RuleText::MessageExpression));
        }
        checked.cost = checked.cost.saturating_add(whole.cost);
    }

    fn report_unguarded(&self, sound: &Sound<'_>, findings: &mut Vec<Finding>) {
        let objects = &sound.declared.objects;
        let found = guards::find_unguarded(&sound.expression, &sound.inferred.types, objects);
        if found.is_empty() {
            return;
        }
        let demanded = self.collect_required_paths(sound.inferred.uses_old_self);
        let tested = self.collect_tested();
        for read in guards::without_required(found, &demanded) {
            if let Some(element) = &read.element
                && !element.may_be_absent(self.schema, &tested)
            {
                continue;
            }
            let path = &read.path;
            if read.contradicts {
                findings.push(
                    Finding::warning(
                        format!("`{path}` is absent where the rule reads it, so the read fails"),
                        format!(
                            "check that it is present: `!has({path}) || …`, or `has({path}) && …`"
                        ),
                    )
                    .at(read.node.span.clone()),
                );
                continue;
            }
            let message = if read.always {
                format!("`{path}` may be absent, and then the rule refuses the object")
            } else {
                format!(
                    "`{path}` may be absent where the rule reads it, and then the object is refused"
                )
            };
            let otherwise = if read.branched {
                ""
            } else {
                "; or make the field required"
            };
            let help = match &read.element {
                Some(element) => element.help(),
                None => {
                    format!(
                        "check first: `!has({path}) || …`, or within `||`: `has({path}) && …`{otherwise}"
                    )
                }
            };
            findings.push(Finding::warning(message, help).at(read.node.span.clone()));
        }
    }

    /// Returns the lists, maps and elements that the schema's rules examine.
    fn collect_tested(&self) -> guards::Tested {
        let mut tested = guards::Tested::default();
        let rules = self.schema.validations.iter();
        for parsed in rules.filter_map(|rule| parse(&rule.rule).ok()) {
            tested.add(&parsed.expression);
        }
        tested
    }

    /// Returns the fields that the schema's rules may require to be present.
    ///
    /// If `on_update`, all rules count, since all of them run during updates. Otherwise, rules that
    /// mention `oldSelf` without `optional_old_self` do not count: they run only during updates.
    fn collect_required_paths(&self, on_update: bool) -> BTreeSet<String> {
        let rules = self.schema.validations.iter();
        let runs = |rule: &&Validation| {
            on_update || rule.optional_old_self == Some(true) || !rule.rule.contains("oldSelf")
        };
        rules
            .filter(runs)
            .filter_map(|rule| parse(&rule.rule).ok())
            .flat_map(|parsed| guards::find_required_paths(&parsed.expression))
            .collect()
    }
}

impl From<ExpressionError> for Finding {
    fn from(error: ExpressionError) -> Self {
        Self::error(error.message, error.help).at(error.span)
    }
}
