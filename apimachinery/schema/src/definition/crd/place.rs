//! Position of a schema in a CustomResourceDefinition, and the total cost of CEL rules.

use super::json_schema_props::Props;
use crate::Schema;

/// Estimated total cost of all rules in a version's schema, and the most expensive rules.
#[derive(Default)]
pub(super) struct Costs {
    pub(super) total: u64,
    rules: Vec<(u64, String)>,
}

impl Costs {
    /// Minimum cost of a rule that is reported if the total cost exceeds its limit: a hundredth of
    /// that limit.
    const NAMED: u64 = 1_000_000;

    pub(super) fn add(&mut self, field: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= Self::NAMED {
            self.rules.push((cost, field));
            self.rules.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            self.rules.truncate(4);
        }
    }

    /// Returns the paths of up to four rules, the most expensive first.
    pub(super) fn expensive(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(_, field)| field.as_str())
    }
}

/// Context for the type check and cost estimate of rules.
#[derive(Clone, Copy)]
pub(super) struct RuleContext {
    /// Maximum number of times that the schema applies in one object; `None` if unlimited.
    pub(super) occurrences: Option<u64>,
    /// An enclosing schema has rules.
    has_rules_around: bool,
    /// An enclosing schema has no CEL type, and that schema or one around it has rules. Rules of
    /// this schema are then errors: their types are unknown.
    pub(super) has_no_type: bool,
    /// The schema is in `items` or `additionalProperties` of a schema that has neither items nor
    /// entries, such as a string, and that schema or one around it has rules. The CEL type of that
    /// schema has no part for this one, so rules of this schema are errors.
    pub(super) is_foreign: bool,
}

impl RuleContext {
    pub(super) const ROOT: Self = Self {
        occurrences: Some(1),
        has_rules_around: false,
        has_no_type: false,
        is_foreign: false,
    };

    /// Sets `is_foreign` if the argument is true and an enclosing schema has rules.
    pub(super) fn add_foreign(&mut self, is_foreign: bool) {
        self.is_foreign |= is_foreign && self.has_rules_around;
    }

    /// Returns the context of the schemas inside `schema`.
    pub(super) fn inside(self, schema: Props<'_>) -> Self {
        let has_rules_around = self.has_rules_around || !schema.rules().is_empty();
        Self {
            occurrences: self
                .occurrences
                .zip(most_elements(schema))
                .map(|(around, most)| around.saturating_mul(most)),
            has_rules_around,
            is_foreign: self.is_foreign,
            has_no_type: self.has_no_type || has_rules_around && !has_type(schema),
        }
    }
}

/// Returns the maximum number of list items or map entries, or `None` if unlimited. Returns 1 for
/// other types (`extractMaxElements`).
fn most_elements(schema: Props<'_>) -> Option<u64> {
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
fn has_type(schema: Props<'_>) -> bool {
    Schema::of_definition(&schema.value()).has_cel_type()
}

/// Position of a schema in a CustomResourceDefinition.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) is_root: bool,
    /// If defaults are forbidden here, the end of the error `must not be set …`.
    pub(super) no_defaults: Option<&'static str>,
    /// The schema describes `metadata`, `apiVersion` or `kind` of a resource, or a part of them
    /// (the API server's `insideResourceMeta`).
    pub(super) inside_resource_meta: bool,
    /// Path of the outermost enclosing list or object whose old and new parts cannot be correlated.
    /// Rules inside this list or object cannot use `oldSelf`.
    pub(super) uncorrelated: Option<String>,
    /// Context for rules; `None` in a branch such as `not`, or if rules are not checked.
    pub(super) context: Option<RuleContext>,
}

impl Place {
    pub(super) fn add_foreign(&mut self, is_foreign: bool) {
        if let Some(context) = &mut self.context {
            context.add_foreign(is_foreign);
        }
    }
}
