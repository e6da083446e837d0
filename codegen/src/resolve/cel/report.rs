//! Checks of every rule of a schema in its context and of their total cost, and diagnostics of the
//! findings at the locations of the rules.

use std::cmp::Reverse;
use std::ops::Range;

use genclient_cel::declare::SizeKeyword;

use super::budget::{self, CostCause, TOTAL_LIMIT};
use super::dialect::{FieldDeclaration, FieldOrigin, SchemaDialect, SizedValue};
use super::finding::{Finding, RuleContext, RuleText, Uncorrelated};
use super::rule::Rules;
use crate::diagnostic::{Diagnostic, Location, Severity, Sink};
use crate::model::{JsonType, ListType, Schema, SourceId, Validation};

/// Checks the rules of `root`, the schema of a kind, and of all schemas below it.
pub(in crate::resolve) fn report(
    root: &Schema,
    dialect: SchemaDialect,
    places: &RulePlaces,
    sink: &mut Sink,
) {
    check_all(root, dialect, &mut |rule, finding| {
        let place = rule.source.and_then(|source| places.get(source));
        sink.push(diagnostic(rule, place, finding));
    });
}

fn diagnostic(rule: &Validation, place: Option<&RulePlace>, finding: Finding) -> Diagnostic {
    let mut diagnostic = Diagnostic {
        severity: finding.severity,
        ..Diagnostic::error(finding.message).help(finding.help)
    };
    let Some(place) = place else {
        // The rule has no location, so the message quotes its text.
        diagnostic.message = format!("{} (in the rule `{}`)", diagnostic.message, rule.rule);
        return diagnostic;
    };
    let (own, text) = match finding.text {
        RuleText::Rule => (Some(&place.rule), Some(&rule.rule)),
        RuleText::FieldPath => (place.field_path.as_ref(), rule.field_path.as_ref()),
        RuleText::MessageExpression => (
            place.message_expression.as_ref(),
            rule.message_expression.as_ref(),
        ),
    };
    diagnostic.at(match own.zip(text) {
        Some((own, text)) => part(own, text, finding.range),
        None => place.rule.clone(),
    })
}

/// Returns the location of `range` in the literal at `location`. If the literal has escapes, or
/// `range` is `None`, returns the location of the whole literal.
fn part(location: &Location, rule: &str, range: Option<Range<usize>>) -> Location {
    let literal = location
        .source
        .text
        .get(location.span.clone())
        .unwrap_or_default();
    let Some((range, start)) = range.zip(literal.find(rule)) else {
        return location.clone();
    };
    let start = location.span.start + start;
    Location {
        span: start + range.start..start + range.end,
        ..location.clone()
    }
}

/// Locations of a rule and of its optional texts.
pub(in crate::resolve) struct RulePlace {
    pub(in crate::resolve) rule: Location,
    pub(in crate::resolve) field_path: Option<Location>,
    pub(in crate::resolve) message_expression: Option<Location>,
}

/// Locations of all rules of a pass.
#[derive(Default)]
pub(in crate::resolve) struct RulePlaces {
    places: Vec<RulePlace>,
}

impl RulePlaces {
    /// Adds the locations of a rule and returns its id.
    pub(in crate::resolve) fn add(
        &mut self,
        rule: Location,
        field_path: Option<Location>,
        message_expression: Option<Location>,
    ) -> SourceId {
        self.places.push(RulePlace {
            rule,
            field_path,
            message_expression,
        });
        SourceId(self.places.len() - 1)
    }

    pub(in crate::resolve) fn get(&self, SourceId(at): SourceId) -> Option<&RulePlace> {
        self.places.get(at)
    }
}

pub(in crate::resolve) fn check_all(
    root: &Schema,
    dialect: SchemaDialect,
    report: &mut impl FnMut(&Validation, Finding),
) {
    let mut walk = RuleWalk {
        report,
        total: 0,
        costs: Vec::new(),
        refused: false,
    };
    walk.schema(root, &Way::Root { dialect });
    walk.sum();
}

/// Maximum number of causes in the error about the total cost. Each rule adds at most one cause.
const NAMED: usize = 8;

struct RuleWalk<'s, 'r, F> {
    report: &'r mut F,
    /// Total cost of the rules so far.
    total: u64,
    /// Each rule with its cost, and with the causes of the cost.
    costs: Vec<(u64, &'s Validation, Vec<CostCause>)>,
    /// True once any rule has an error. The total cost is then not reported.
    refused: bool,
}

impl<'s, F: FnMut(&Validation, Finding)> RuleWalk<'s, '_, F> {
    fn schema(&mut self, schema: &'s Schema, way: &Way<'_>) {
        if !schema.validations.is_empty() {
            self.rules(schema, way);
        }
        for (name, property) in &schema.properties {
            self.schema(property, &Way::Property(way, name, property));
        }
        if let Some(items) = &schema.items {
            self.schema(items, &Way::Items(way, schema));
        }
        if let Some(values) = &schema.additional_properties {
            self.schema(values, &Way::Values(way, schema));
        }
    }

    fn rules(&mut self, schema: &'s Schema, way: &Way<'_>) {
        let (context, place) = way.context();
        let context = RuleContext {
            root: context.root || schema.embedded_resource,
            ..context
        };
        let rules = Rules::new(schema, &context);
        for rule in &schema.validations {
            let checked = rules.check(rule);
            self.total = self.total.saturating_add(checked.cost);
            let causes = checked.causes.iter().map(|cause| cause.below(&place));
            self.costs.push((checked.cost, rule, causes.collect()));
            for finding in checked.findings {
                self.refused |= finding.severity == Severity::Error;
                (self.report)(rule, finding);
            }
        }
    }

    /// Reports rules that together exceed the total limit, although each is within its own limit.
    fn sum(mut self) {
        if self.total <= TOTAL_LIMIT || self.refused {
            return;
        }
        self.costs.sort_by_key(|(cost, ..)| Reverse(*cost));
        let mut left = self.total;
        let too_many = self.costs.iter().take_while(|(cost, ..)| {
            let over = left > TOTAL_LIMIT;
            left = left.saturating_sub(*cost);
            over
        });
        let causes: Vec<_> = too_many
            .filter_map(|(.., causes)| causes.first().cloned())
            .take(NAMED)
            .collect();
        if let Some((_, rule, _)) = self.costs.first() {
            let what = "the rules of this type together";
            let finding = budget::refused(what, self.total, TOTAL_LIMIT, &causes);
            (self.report)(rule, finding);
        }
    }
}

/// Path from the root to a schema, as a linked list on the stack. It is converted to text only for
/// schemas with rules, which are few.
enum Way<'w> {
    Root {
        dialect: SchemaDialect,
    },
    Property(&'w Self, &'w str, &'w Schema),
    /// Items of the list.
    Items(&'w Self, &'w Schema),
    /// Values of the map.
    Values(&'w Self, &'w Schema),
}

impl Way<'_> {
    /// Returns the context of the rules at this path, and the path as text.
    fn context(&self) -> (RuleContext, String) {
        match self {
            Self::Root { dialect } => (RuleContext::root(*dialect), String::new()),
            Self::Property(way, name, property) => {
                let (outer, mut path) = way.context();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                let origin = FieldOrigin::of(property.origin);
                let context = RuleContext {
                    root: false,
                    declaration: FieldDeclaration {
                        origin: origin.unwrap_or(outer.declaration.origin),
                        parts: Vec::new(),
                    },
                    ..outer
                };
                (context, path)
            }
            Self::Items(way, list) => {
                let (outer, path) = way.context();
                let own = uncorrelated(list, outer.declaration.origin.dialect);
                let context = RuleContext {
                    uncorrelated: own.max(outer.uncorrelated),
                    ..inside(outer, list.max_items, &path, SizeKeyword::MaxItems)
                };
                (context, path + "[*]")
            }
            Self::Values(way, map) => {
                let (outer, path) = way.context();
                let context = inside(outer, map.max_properties, &path, SizeKeyword::MaxProperties);
                (context, path + "[*]")
            }
        }
    }
}

/// Returns why the API server cannot correlate old and new items of a list, or `None` if it can.
fn uncorrelated(list: &Schema, dialect: SchemaDialect) -> Option<Uncorrelated> {
    let items = list.items.as_ref().and_then(|items| items.type_);
    match items {
        _ if list.list_type == Some(ListType::Map) => None,
        Some(JsonType::Object) => Some(Uncorrelated::Objects(dialect)),
        _ => Some(Uncorrelated::Scalars),
    }
}

/// Returns the context inside the list or map at `path`, which has at most `max` elements. Without
/// `max`, records that the bound `keyword` is missing.
fn inside(outer: RuleContext, max: Option<u64>, path: &str, keyword: SizeKeyword) -> RuleContext {
    let mut inner = RuleContext {
        root: false,
        ..outer
    };
    inner.occurrences = inner
        .occurrences
        .zip(max)
        .map(|(outer, max)| outer.saturating_mul(max));
    if max.is_none() {
        inner.unbounded.push(SizedValue {
            path: path.to_owned(),
            keyword,
            declaration: inner.declaration.clone(),
        });
    }
    inner.declaration.parts.push(match keyword {
        SizeKeyword::MaxProperties => "values",
        SizeKeyword::MaxItems | SizeKeyword::MaxLength => "items",
    });
    inner
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::part;
    use crate::diagnostic::{Location, SourceText};

    #[test]
    fn rule_ranges_map_to_literal_ranges() {
        for (literal, rule, range, found) in [
            (r#""self.a > 1""#, "self.a > 1", Some(5..6), "a"),
            (
                r##"r#"self.a > 1"#"##,
                "self.a > 1",
                Some(0..10),
                "self.a > 1",
            ),
            (
                r#""self.a == \"x\"""#,
                r#"self.a == "x""#,
                Some(5..6),
                r#""self.a == \"x\"""#,
            ),
            (r#""self.a""#, "self.a", None, r#""self.a""#),
        ] {
            let source = SourceText {
                path: String::new(),
                text: format!("rule = {literal}"),
            };
            let location = Location {
                span: 7..source.text.len(),
                source: Arc::new(source),
            };
            let part = part(&location, rule, range);
            assert_eq!(&part.source.text[part.span.clone()], found, "{literal}");
        }
    }
}
