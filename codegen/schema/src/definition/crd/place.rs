//! Place of a schema and its rules in a definition, and the total cost of the rules.

use super::props::Props;
use crate::Schema;

/// What the rules of a schema cost.
#[derive(Default)]
pub(super) struct Costs {
    pub(super) total: u64,
    rules: Vec<(u64, String)>,
}

impl Costs {
    /// Rules below a hundredth of what all may cost are not named.
    const NAMED: u64 = 1_000_000;

    pub(super) fn add(&mut self, field: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= Self::NAMED {
            self.rules.push((cost, field));
            self.rules.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            self.rules.truncate(4);
        }
    }

    /// The fields of the most expensive rules.
    pub(super) fn expensive(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(_, field)| field.as_str())
    }
}

/// What rules are checked and estimated by.
#[derive(Clone, Copy)]
pub(super) struct RuleContext {
    /// How often a value stands in an object at most.
    pub(super) occurrences: Option<u64>,
    /// True if a schema around this one has rules.
    has_rules_around: bool,
    /// True if such a schema has no type that CEL knows.
    pub(super) has_no_type: bool,
    /// True for items and values of something whose type has none, below a rule.
    pub(super) is_foreign: bool,
}

impl RuleContext {
    /// The context of a whole schema.
    pub(super) const ROOT: Self = Self {
        occurrences: Some(1),
        has_rules_around: false,
        has_no_type: false,
        is_foreign: false,
    };

    /// Notes that something below a rule has no type.
    pub(super) fn add_foreign(&mut self, is_foreign: bool) {
        self.is_foreign |= is_foreign && self.has_rules_around;
    }

    /// The context of what stands in a schema.
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

/// `extractMaxElements`
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

/// True if CEL has a type for the values of a schema.
fn has_type(schema: Props<'_>) -> bool {
    Schema::of_definition(&schema.value()).has_cel_type()
}

/// Where a schema stands.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) is_root: bool,
    /// Why there may be no default.
    pub(super) no_defaults: Option<&'static str>,
    /// True inside of `metadata`, `apiVersion` and `kind`.
    pub(super) in_metadata: bool,
    /// The schema around it whose old and new values cannot be told apart.
    pub(super) uncorrelated: Option<String>,
    /// Nothing in branches, and where rules are not checked.
    pub(super) context: Option<RuleContext>,
}

impl Place {
    pub(super) fn is_foreign_below(&mut self, is_foreign: bool) {
        if let Some(context) = &mut self.context {
            context.add_foreign(is_foreign);
        }
    }
}
