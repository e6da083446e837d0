//! Cost limits of CEL rules, and the bounds that lower a rule's cost.

use genclient_cel::cost::Estimate;
use genclient_cel::declare::SizeKeyword;

use super::dialect::{SizedValue, derive_for};
use super::finding::{Finding, RulePosition};

/// Cost limit of the API server for one rule.
pub(super) const RULE_LIMIT: u64 = 10_000_000;
/// Cost limit of the API server for all rules of a version together.
pub(super) const TOTAL_LIMIT: u64 = 100_000_000;

/// Cost up to which a rule is cheap. [`find_cost_causes`] is called only for rules that cost more.
pub(super) const CHEAP_RULE_COST: u64 = TOTAL_LIMIT / 100;

/// A value whose size makes a rule expensive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CostCause {
    value: SizedValue,
    /// True if the schema already has the bound.
    given: bool,
    /// The largest of the [`suggested_bounds`] that alone brings the rule within its limit. `None`
    /// if no bound does, if the rule is within its limit, or if an enclosing list or map lacks a
    /// bound.
    enough: Option<u64>,
}

impl CostCause {
    fn set(&self) -> String {
        self.value.set(self.enough)
    }

    /// Returns the bound that the schema has, for messages.
    fn lower(&self) -> String {
        format!("`{}` of `{}`", self.value.bound(), self.value.path)
    }

    /// Returns the cause with a path from the root instead of from `self`, and without a suggested
    /// bound. `place` is the path from the root to the schema with the rule.
    pub(super) fn below(&self, place: &str) -> Self {
        let mut cause = self.clone();
        cause.enough = None;
        let inner = self.value.path.strip_prefix("self");
        if let Some(inner) = inner.filter(|inner| inner.is_empty() || inner.starts_with(['.', '[']))
        {
            cause.value.path = format!("{place}{inner}").trim_start_matches('.').to_owned();
        }
        cause
    }
}

/// Returns what makes a rule expensive: first the enclosing lists and maps without a bound, then up
/// to three values in the rule. A value is a cause if the rule costs less than half once the value
/// has the size [`SMALL_SIZE`]. Values without a bound precede values with one, and larger effects
/// precede smaller ones.
///
/// `sized` describes the value at a path. `reduced((path, size))` is the cost of the rule if the
/// value at `path` has that size.
pub(super) fn find_cost_causes(
    whole: &Estimate,
    position: &RulePosition,
    sized: impl Fn(&str, SizeKeyword) -> SizedValue,
    reduced: impl Fn((&str, u64)) -> u64,
) -> Vec<CostCause> {
    let around = position.unbounded.iter().map(|value| CostCause {
        value: value.clone(),
        given: false,
        enough: None,
    });
    let mut inside: Vec<_> = whole
        .sizes
        .iter()
        .map(|(path, bound)| {
            (
                reduced((path, SMALL_SIZE)),
                CostCause {
                    value: sized(path, bound.keyword),
                    given: bound.given,
                    enough: None,
                },
            )
        })
        .filter(|(cost, _)| *cost < whole.cost / 2)
        .collect();
    inside.sort_by_key(|(cost, cause)| (cause.given, *cost));
    inside.truncate(3);
    let limit = RULE_LIMIT / position.occurrences.unwrap_or(u64::MAX).max(1);
    if position.unbounded.is_empty() && whole.cost > limit {
        for (_, cause) in inside.iter_mut().filter(|(cost, _)| *cost <= limit) {
            // The estimate counts the bytes of a string. `max_length` counts characters, which have
            // up to four bytes.
            let unit = match cause.value.keyword {
                SizeKeyword::MaxLength => 4,
                SizeKeyword::MaxItems | SizeKeyword::MaxProperties => 1,
            };
            let is_enough = |bound: &u64| reduced((&cause.value.path, *bound * unit)) <= limit;
            cause.enough = suggested_bounds().filter(is_enough).max();
        }
    }
    around
        .chain(inside.into_iter().map(|(_, cause)| cause))
        .collect()
}

/// Size of a value that is too small to make a rule expensive.
const SMALL_SIZE: u64 = 4;

/// Bounds that help texts suggest: powers of ten and of two.
fn suggested_bounds() -> impl Iterator<Item = u64> {
    let tens = (1..=6).map(|power| 10_u64.pow(power));
    tens.chain((3..=20).map(|power| 1 << power))
}

/// Help for a rule that no bound of the schema makes cheap enough, because the API server's
/// estimate has no bound for a value that the rule creates. `text` is the source of the value.
pub(super) fn unbounded_help(text: &str) -> String {
    format!(
        "the API server's estimate has no bound for the size of `{text}`, and no attribute sets \
         one: write the rule without it"
    )
}

/// Returns the error that `what` costs more than `limit`. The help names the bounds that lower the
/// cost.
pub(super) fn cost_error(what: &str, cost: u64, limit: u64, causes: &[CostCause]) -> Finding {
    let factor = describe_excess(cost, limit);
    let missing = || causes.iter().filter(|cause| !cause.given);
    let enough = missing().chain(causes).find(|cause| cause.enough.is_some());
    let missing: Vec<_> = missing().map(CostCause::set).collect();
    let given: Vec<_> = causes.iter().map(CostCause::lower).collect();
    let help = if let Some(enough) = enough.filter(|cause| missing.is_empty() || !cause.given) {
        set_help(&enough.set())
    } else if !missing.is_empty() {
        set_help(&missing.join(", "))
    } else if !given.is_empty() {
        format!("lower {}", given.join(", "))
    } else {
        "simplify the rule".to_owned()
    };
    Finding::error(format!("the estimated cost of {what} is {factor}"), help)
}

/// Help that suggests attributes, with the derive that they need in addition.
fn set_help(attributes: &str) -> String {
    format!("set {attributes}{}", derive_for(attributes))
}

/// Says how far a cost exceeds its limit, such as `more than 3 times the API server's limit`.
fn describe_excess(cost: u64, limit: u64) -> String {
    let tenths = cost.saturating_mul(10) / limit;
    match tenths {
        0..=10 => "above the API server's limit".to_owned(),
        11..=19 => format!("more than 1.{} times the API server's limit", tenths - 10),
        20..=1009 => format!("more than {} times the API server's limit", tenths / 10),
        _ => "more than 100 times the API server's limit".to_owned(),
    }
}

/// Returns warnings for a rule within its cost limit: one for each value without a bound that the
/// rule iterates over or passes to an expensive function.
pub(super) fn missing_bounds(
    whole: &Estimate,
    sized: impl Fn(&str, SizeKeyword) -> SizedValue,
) -> Vec<Finding> {
    let heavy = whole.heavy.iter().filter(|(_, use_)| !use_.bound.given);
    heavy
        .map(|(path, use_)| {
            let value = sized(path, use_.bound.keyword);
            let what = match &use_.function {
                Some(function) => format!("`{function}` reads `{path}`"),
                None => format!("the rule iterates over `{path}`"),
            };
            let own = format!(" on `{path}`");
            Finding::warning(
                format!("{what}, which has no `{}`", value.bound()),
                format!(
                    "{}: the API server refuses rules that may become too expensive",
                    set_help(&value.set(None).replace(&own, " on it"))
                ),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{cost_error, describe_excess};

    #[test]
    fn a_rule_without_known_causes_is_to_be_simplified() {
        assert_eq!(
            &*cost_error("this rule", 101, 100, &[]).help,
            "simplify the rule"
        );
    }

    #[test]
    fn costs_are_given_as_multiples_of_their_limit() {
        for (cost, expected) in [
            (101, "above the API server's limit"),
            (109, "above the API server's limit"),
            (111, "more than 1.1 times the API server's limit"),
            (199, "more than 1.9 times the API server's limit"),
            (201, "more than 2 times the API server's limit"),
            (10_050, "more than 100 times the API server's limit"),
            (20_000, "more than 100 times the API server's limit"),
        ] {
            assert_eq!(describe_excess(cost, 100), expected, "{cost}");
        }
    }
}
