//! All rules of a schema, each with what its place means for it.

use super::budget::{self, TOTAL_LIMIT};
use super::rule::Rules;
use super::{Finding, Place};
use crate::diagnostic::Severity;
use crate::model::{Schema, Validation};

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
    let place = Place {
        root: is_crd_root || root.embedded_resource,
        ..Place::root()
    };
    walk.schema(root, &place, "");
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
    fn schema(&mut self, schema: &'s Schema, place: &Place, path: &str) {
        if !schema.validations.is_empty() {
            self.rules(schema, place);
        }
        for (name, property) in &schema.properties {
            let inner = Place {
                root: property.embedded_resource,
                ..place.clone()
            };
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            self.schema(property, &inner, &path);
        }
        if let Some(items) = &schema.items {
            let correlatable = place.correlatable && schema.list_type.as_deref() == Some("map");
            let inner = Place {
                root: items.embedded_resource,
                correlatable,
                ..inside(place, schema.max_items, path, "max_items")
            };
            self.schema(items, &inner, &format!("{path}[*]"));
        }
        if let Some(values) = &schema.additional_properties {
            let inner = Place {
                root: values.embedded_resource,
                ..inside(place, schema.max_properties, path, "max_properties")
            };
            self.schema(values, &inner, &format!("{path}[*]"));
        }
    }

    fn rules(&mut self, schema: &'s Schema, place: &Place) {
        let rules = Rules::new(schema, place);
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

/// A place inside a list or map, which has at most `max` values.
fn inside(place: &Place, max: Option<u64>, path: &str, attribute: &'static str) -> Place {
    let mut inner = place.clone();
    inner.occurrences = place
        .occurrences
        .zip(max)
        .map(|(outer, max)| outer.saturating_mul(max));
    if max.is_none() {
        inner.unbounded.push((path.to_owned(), attribute));
    }
    inner
}
