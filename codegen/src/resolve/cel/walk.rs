//! All rules of a schema, each with what its place means for it.

use super::budget::{self, TOTAL_LIMIT};
use super::context::Place;
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
    let mut walk = Walk {
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

struct Walk<'s, 'r, F> {
    report: &'r mut F,
    /// What the rules so far cost together.
    total: u64,
    worst: Option<(u64, &'s Validation)>,
    /// True if a rule is an error by itself.
    refused: bool,
}

impl<'s, F: FnMut(&Validation, Finding)> Walk<'s, '_, F> {
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
        let (place, _) = way.place();
        let place = Place {
            root: place.root || schema.embedded_resource,
            ..place
        };
        let rules = Rules::new(schema, &place);
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
    /// What the place means for the rules in it, and the path to it.
    fn place(&self) -> (Place, String) {
        match self {
            Self::Root { is_crd_root } => {
                let place = Place {
                    root: *is_crd_root,
                    ..Place::root()
                };
                (place, String::new())
            }
            Self::Property(way, name) => {
                let (outer, mut path) = way.place();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                let place = Place {
                    root: false,
                    ..outer
                };
                (place, path)
            }
            Self::Items(way, list) => {
                let (outer, path) = way.place();
                let correlatable = outer.correlatable && list.list_type == Some(ListType::Map);
                let place = Place {
                    correlatable,
                    ..inside(outer, list.max_items, &path, "max_items")
                };
                (place, path + "[*]")
            }
            Self::Values(way, map) => {
                let (outer, path) = way.place();
                let place = inside(outer, map.max_properties, &path, "max_properties");
                (place, path + "[*]")
            }
        }
    }
}

/// A place inside a list or map, which has at most `max` values.
fn inside(outer: Place, max: Option<u64>, path: &str, attribute: &'static str) -> Place {
    let mut inner = Place {
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
