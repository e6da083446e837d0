//! Evaluation of CEL rules and match conditions, with kube-apiserver 1.36's results and costs.
//!
//! [`Rules::compile`] compiles the rules of a schema. [`Rules::check`] validates an object with
//! the API server's order, wording and cost budgets
//! (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel, validation.go). [`MatchCondition`]
//! compiles and evaluates a match condition of a webhook.

mod address;
mod apply;
mod attributes;
mod authorization;
mod check;
mod condition;
mod condition_types;
mod correlation;
mod cost;
mod equality;
mod library;
mod list;
mod map;
mod named_format;
mod native;
mod plan;
mod program;
mod quantity;
mod rules;
mod run;
mod semver;
mod shape;
mod typed;
mod url;
mod value;

#[cfg(test)]
mod tests;

pub use authorization::{AccessCheck, AccessDecision, Authorizer};
pub use check::Checked;
pub use condition::{ConditionVariables, MatchCondition};
pub use cost::{CALL_LIMIT, CONDITIONS_BUDGET, OBJECT_BUDGET};
pub use rules::Rules;

/// Checks a URL (`url.Parse`).
///
/// # Errors
///
/// Returns Go's error message.
pub(crate) fn check_url(text: &str) -> Result<(), String> {
    url::Url::parse(text).map(drop)
}
