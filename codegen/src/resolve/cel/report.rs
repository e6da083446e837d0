//! Checks of every rule of a schema in its position and of their total cost, and diagnostics of the
//! findings at the locations of the rules.

use std::cmp::Reverse;

use genclient_cel::declare::SizeKeyword;

use super::budget::{self, CostCause, TOTAL_LIMIT};
use super::dialect::{FieldDeclaration, FieldOrigin, SchemaDialect, SizedValue};
use super::finding::{Finding, RulePosition, RuleText, Uncorrelated};
use super::rule::RuleChecker;
use crate::diagnostic::{Diagnostic, Location, Severity, Sink};
use crate::model::{JsonType, ListType, Schema, SourceId, Validation};

/// Checks the rules of `root`, the schema of a kind, and of all schemas below it.
pub(in crate::resolve) fn report_rules(
    root: &Schema,
    dialect: SchemaDialect,
    locations: &RuleLocations,
    sink: &mut Sink,
) {
    check_all_rules(root, dialect, &mut |rule, finding| {
        let place = rule.source.and_then(|source| locations.get(source));
        sink.push(rule_diagnostic(rule, place, finding));
    });
}

fn rule_diagnostic(
    rule: &Validation,
    place: Option<&RuleLocation>,
    finding: Finding,
) -> Diagnostic {
    let mut diagnostic = Diagnostic {
        severity: finding.severity,
        ..Diagnostic::error(finding.message).help(finding.help)
    };
    let Some(place) = place else {
        // The rule has no location, so the message quotes its text.
        diagnostic.message = format!("{} (in the rule `{}`)", diagnostic.message, rule.rule);
        return diagnostic;
    };
    let own = match finding.text {
        RuleText::Rule => Some(&place.rule),
        RuleText::FieldPath => place.field_path.as_ref(),
        RuleText::MessageExpression => place.message_expression.as_ref(),
    };
    diagnostic.at(match (own, finding.range) {
        (Some(own), Some(range)) => own.clone().inside(range),
        (own, _) => own.unwrap_or(&place.rule).clone(),
    })
}

/// Locations of a rule and of its optional texts.
pub(in crate::resolve) struct RuleLocation {
    pub(in crate::resolve) rule: Location,
    pub(in crate::resolve) field_path: Option<Location>,
    pub(in crate::resolve) message_expression: Option<Location>,
}

/// Locations of all rules of a pass.
#[derive(Default)]
pub(in crate::resolve) struct RuleLocations {
    locations: Vec<RuleLocation>,
}

impl RuleLocations {
    /// Adds the locations of a rule and returns its id.
    pub(in crate::resolve) fn add(
        &mut self,
        rule: Location,
        field_path: Option<Location>,
        message_expression: Option<Location>,
    ) -> SourceId {
        self.locations.push(RuleLocation {
            rule,
            field_path,
            message_expression,
        });
        SourceId(self.locations.len() - 1)
    }

    pub(in crate::resolve) fn get(&self, SourceId(at): SourceId) -> Option<&RuleLocation> {
        self.locations.get(at)
    }
}

pub(in crate::resolve) fn check_all_rules(
    root: &Schema,
    dialect: SchemaDialect,
    report: &mut impl FnMut(&Validation, Finding),
) {
    let mut walk = RuleWalk {
        report,
        total: 0,
        costs: Vec::new(),
        has_error: false,
    };
    walk.visit_schema(root, &SchemaPathLink::Root { dialect });
    walk.check_total_cost();
}

/// Maximum number of causes in the error about the total cost. Each rule adds at most one cause.
const MAX_NAMED_CAUSES: usize = 8;

struct RuleWalk<'s, 'r, F> {
    report: &'r mut F,
    /// Total cost of the rules so far.
    total: u64,
    /// Each rule with its cost, and with the causes of the cost.
    costs: Vec<(u64, &'s Validation, Vec<CostCause>)>,
    /// True once any rule has an error. The total cost is then not reported.
    has_error: bool,
}

impl<'s, F: FnMut(&Validation, Finding)> RuleWalk<'s, '_, F> {
    fn visit_schema(&mut self, schema: &'s Schema, link: &SchemaPathLink<'_>) {
        if !schema.validations.is_empty() {
            self.check_rules(schema, link);
        }
        for (name, property) in &schema.properties {
            self.visit_schema(property, &SchemaPathLink::Property(link, name, property));
        }
        if let Some(items) = &schema.items {
            self.visit_schema(items, &SchemaPathLink::Items(link, schema));
        }
        if let Some(values) = &schema.additional_properties {
            self.visit_schema(values, &SchemaPathLink::Values(link, schema));
        }
    }

    fn check_rules(&mut self, schema: &'s Schema, link: &SchemaPathLink<'_>) {
        let (position, place) = link.position();
        let position = RulePosition {
            root: position.root || schema.embedded_resource,
            ..position
        };
        let rules = RuleChecker::new(schema, &position);
        for rule in &schema.validations {
            let checked = rules.check(rule);
            self.total = self.total.saturating_add(checked.cost);
            let causes = checked.causes.iter().map(|cause| cause.below(&place));
            self.costs.push((checked.cost, rule, causes.collect()));
            for finding in checked.findings {
                self.has_error |= finding.severity == Severity::Error;
                (self.report)(rule, finding);
            }
        }
    }

    /// Reports rules that together exceed the total limit, although each is within its own limit.
    fn check_total_cost(mut self) {
        if self.total <= TOTAL_LIMIT || self.has_error {
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
            .take(MAX_NAMED_CAUSES)
            .collect();
        if let Some((_, rule, _)) = self.costs.first() {
            let what = "the rules of this type together";
            let finding = budget::cost_error(what, self.total, TOTAL_LIMIT, &causes);
            (self.report)(rule, finding);
        }
    }
}

/// Path from the root to a schema, as a linked list on the stack. It is converted to text only for
/// schemas with rules, which are few.
enum SchemaPathLink<'w> {
    Root {
        dialect: SchemaDialect,
    },
    Property(&'w Self, &'w str, &'w Schema),
    /// Items of the list.
    Items(&'w Self, &'w Schema),
    /// Values of the map.
    Values(&'w Self, &'w Schema),
}

impl SchemaPathLink<'_> {
    /// Returns the position of the rules at this path, and the path as text.
    fn position(&self) -> (RulePosition, String) {
        match self {
            Self::Root { dialect } => (RulePosition::root(*dialect), String::new()),
            Self::Property(link, name, property) => {
                let (outer, mut path) = link.position();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                let origin = FieldOrigin::from_origin(property.origin);
                let position = RulePosition {
                    root: false,
                    declaration: FieldDeclaration {
                        origin: origin.unwrap_or(outer.declaration.origin),
                        parts: Vec::new(),
                    },
                    ..outer
                };
                (position, path)
            }
            Self::Items(link, list) => {
                let (outer, path) = link.position();
                let own = why_uncorrelated(list, outer.declaration.origin.dialect);
                let position = RulePosition {
                    uncorrelated: own.max(outer.uncorrelated),
                    ..position_inside(outer, list.max_items, &path, SizeKeyword::MaxItems)
                };
                (position, path + "[*]")
            }
            Self::Values(link, map) => {
                let (outer, path) = link.position();
                let position =
                    position_inside(outer, map.max_properties, &path, SizeKeyword::MaxProperties);
                (position, path + "[*]")
            }
        }
    }
}

/// Returns why the API server cannot correlate old and new items of a list, or `None` if it can.
fn why_uncorrelated(list: &Schema, dialect: SchemaDialect) -> Option<Uncorrelated> {
    let items = list.items.as_ref().and_then(|items| items.type_);
    match items {
        _ if list.list_type == Some(ListType::Map) => None,
        Some(JsonType::Object) => Some(Uncorrelated::Objects(dialect)),
        _ => Some(Uncorrelated::Scalars),
    }
}

/// Returns the position inside the list or map at `path`, which has at most `max` elements. Without
/// `max`, records that the bound `keyword` is missing.
fn position_inside(
    outer: RulePosition,
    max: Option<u64>,
    path: &str,
    keyword: SizeKeyword,
) -> RulePosition {
    let mut inner = RulePosition {
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
