//! What rules may cost, and which bound makes them cheaper.

use genclient_schema::cel::cost::Estimate;
use genclient_schema::cel::declare::SizeKeyword;

use super::finding::Finding;

/// What the API server lets one rule cost.
pub(super) const RULE_LIMIT: u64 = 10_000_000;
/// What it lets all rules of a version cost together.
pub(super) const TOTAL_LIMIT: u64 = 100_000_000;

/// A value whose size makes a rule expensive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CostCause {
    path: String,
    attribute: &'static str,
    given: bool,
}

/// The attribute that sets a bound.
fn attribute(keyword: SizeKeyword) -> &'static str {
    match keyword {
        SizeKeyword::MaxItems => "max_items",
        SizeKeyword::MaxLength => "max_length",
        SizeKeyword::MaxProperties => "max_properties",
    }
}

/// What makes a rule expensive, the worst first: what the rule stands in, and each value that would make it less than
/// half as expensive if it were small.
pub(super) fn causes(
    whole: &Estimate,
    around: &[(String, &'static str)],
    reduced: impl Fn(&str) -> u64,
) -> Vec<CostCause> {
    let around = around.iter().map(|(path, attribute)| CostCause {
        path: path.clone(),
        attribute,
        given: false,
    });
    let mut inside: Vec<_> = whole
        .sizes
        .iter()
        .map(|(path, bound)| {
            (
                reduced(path),
                CostCause {
                    path: path.clone(),
                    attribute: attribute(bound.keyword),
                    given: bound.given,
                },
            )
        })
        .filter(|(cost, _)| *cost < whole.cost / 2)
        .collect();
    inside.sort_by_key(|(cost, cause)| (cause.given, *cost));
    inside.truncate(3);
    around
        .chain(inside.into_iter().map(|(_, cause)| cause))
        .collect()
}

/// A cost above its limit.
pub(super) fn refused(what: &str, cost: u64, limit: u64, causes: &[CostCause]) -> Finding {
    let times = cost / limit;
    let factor = match times {
        0 | 1 => "more than the API server allows".to_owned(),
        2..=100 => format!("more than {times} times what the API server allows"),
        _ => "more than 100 times what the API server allows".to_owned(),
    };
    let missing: Vec<_> = causes
        .iter()
        .filter(|cause| !cause.given)
        .map(|cause| format!("`{}` on `{}`", cause.attribute, cause.path))
        .collect();
    let given: Vec<_> = causes
        .iter()
        .map(|cause| format!("`{}` of `{}`", cause.attribute, cause.path))
        .collect();
    let help = if !missing.is_empty() {
        format!("set {}", missing.join(", "))
    } else if !given.is_empty() {
        format!("lower {}", given.join(", "))
    } else {
        "make the rule simpler".to_owned()
    };
    Finding::error(format!("{what} may cost {factor}"), help)
}

/// Loops and patterns over what has no bound, in a rule that is taken as it is.
pub(super) fn missing_bounds(whole: &Estimate) -> Vec<Finding> {
    let heavy = whole.heavy.iter().filter(|(_, use_)| !use_.bound.given);
    heavy
        .map(|(path, use_)| {
            let attribute = attribute(use_.bound.keyword);
            let what = match &use_.function {
                Some(function) => format!("`{function}` reads `{path}`"),
                None => format!("the rule goes over `{path}`"),
            };
            Finding::warning(
                format!("{what}, which has no `{attribute}`"),
                format!("set `{attribute}` on it: the API server refuses rules that may become too expensive"),
            )
        })
        .collect()
}
