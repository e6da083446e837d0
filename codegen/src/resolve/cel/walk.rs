//! Traversal of a schema: checks every rule in its context, then the total cost of all rules.

use std::cmp::Reverse;

use genclient_cel::declare::SizeKeyword;

use super::budget::{self, CostCause, TOTAL_LIMIT};
use super::context::{RuleContext, Uncorrelated};
use super::dialect::{FieldDeclaration, FieldOrigin, SchemaDialect, SizedValue};
use super::finding::Finding;
use super::rule::Rules;
use crate::diagnostic::Severity;
use crate::model::{JsonType, ListType, Schema, Validation};

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
        let causes = too_many.filter_map(|(.., causes)| causes.first().cloned());
        let causes: Vec<_> = causes.take(NAMED).collect();
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
