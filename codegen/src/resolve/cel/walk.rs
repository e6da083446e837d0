//! All rules of a schema, each with what its place means for it.

use super::budget::{self, TOTAL_LIMIT};
use super::context::RuleContext;
use super::finding::Finding;
use super::rule::Rules;
use crate::diagnostic::Severity;
use crate::model::{ListType, Schema, Validation};

/// Checks every rule below `root`; `is_crd_root` is true for the schema of a served type.
pub(in crate::resolve) fn check_all(
    root: &Schema,
    is_crd_root: bool,
    report: &mut impl FnMut(&Validation, Finding),
) {
    let mut walk = RuleWalk {
        report,
        total: 0,
        worst: None,
        refused: false,
    };
    walk.schema(root, &Way::Root { is_crd_root });
    if let (true, false, Some((_, rule))) = (walk.total > TOTAL_LIMIT, walk.refused, walk.worst) {
        (walk.report)(
            rule,
            budget::refused(
                "the rules of this type together",
                walk.total,
                TOTAL_LIMIT,
                &[],
            ),
        );
    }
}

struct RuleWalk<'s, 'r, F> {
    report: &'r mut F,
    /// What the rules so far cost together.
    total: u64,
    worst: Option<(u64, &'s Validation)>,
    /// True if a rule is an error by itself.
    refused: bool,
}

impl<'s, F: FnMut(&Validation, Finding)> RuleWalk<'s, '_, F> {
    fn schema(&mut self, schema: &'s Schema, way: &Way<'_>) {
        if !schema.validations.is_empty() {
            self.rules(schema, way);
        }
        for (name, property) in &schema.properties {
            self.schema(property, &Way::Property(way, name));
        }
        if let Some(items) = &schema.items {
            self.schema(items, &Way::Items(way, schema));
        }
        if let Some(values) = &schema.additional_properties {
            self.schema(values, &Way::Values(way, schema));
        }
    }

    fn rules(&mut self, schema: &'s Schema, way: &Way<'_>) {
        let (context, _) = way.context();
        let context = RuleContext {
            root: context.root || schema.embedded_resource,
            ..context
        };
        let rules = Rules::new(schema, &context);
        for rule in &schema.validations {
            let checked = rules.check(rule);
            self.total = self.total.saturating_add(checked.cost);
            if self.worst.is_none_or(|(cost, _)| cost < checked.cost) {
                self.worst = Some((checked.cost, rule));
            }
            for finding in checked.findings {
                self.refused |= finding.severity == Severity::Error;
                (self.report)(rule, finding);
            }
        }
    }
}

/// How a walk came to a schema, step by step. Few schemas have rules: only theirs are put into words.
enum Way<'w> {
    Root {
        is_crd_root: bool,
    },
    Property(&'w Self, &'w str),
    /// Into the items of the list.
    Items(&'w Self, &'w Schema),
    /// Into the values of the map.
    Values(&'w Self, &'w Schema),
}

impl Way<'_> {
    /// The context of the rules there, and the path to it.
    fn context(&self) -> (RuleContext, String) {
        match self {
            Self::Root { is_crd_root } => {
                let context = RuleContext {
                    root: *is_crd_root,
                    ..RuleContext::root()
                };
                (context, String::new())
            }
            Self::Property(way, name) => {
                let (outer, mut path) = way.context();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                let context = RuleContext {
                    root: false,
                    ..outer
                };
                (context, path)
            }
            Self::Items(way, list) => {
                let (outer, path) = way.context();
                let correlatable = outer.correlatable && list.list_type == Some(ListType::Map);
                let context = RuleContext {
                    correlatable,
                    ..inside(outer, list.max_items, &path, "max_items")
                };
                (context, path + "[*]")
            }
            Self::Values(way, map) => {
                let (outer, path) = way.context();
                let context = inside(outer, map.max_properties, &path, "max_properties");
                (context, path + "[*]")
            }
        }
    }
}

/// The context inside a list or map, which has at most `max` values.
fn inside(
    outer: RuleContext,
    max: Option<u64>,
    path: &str,
    attribute: &'static str,
) -> RuleContext {
    let mut inner = RuleContext {
        root: false,
        ..outer
    };
    inner.occurrences = inner
        .occurrences
        .zip(max)
        .map(|(outer, max)| outer.saturating_mul(max));
    if max.is_none() {
        inner.unbounded.push((path.to_owned(), attribute));
    }
    inner
}
