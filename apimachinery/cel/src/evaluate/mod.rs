//! Evaluation of CEL rules and match conditions, with kube-apiserver 1.36's results and costs.
//!
//! [`Program`] is an expression of a rule. [`MatchCondition`] compiles and evaluates a match
//! condition of a webhook.

mod address;
mod apply;
mod attributes;
mod authorization;
mod compiled;
mod condition;
mod condition_types;
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
mod run;
mod semver;
mod shape;
mod typed;
mod url;
mod value;

pub use authorization::{AccessCheck, AccessDecision, Authorizer};
pub use compiled::{Evaluation, Output, Program, Variables};
pub use condition::{ConditionVariables, MatchCondition};
pub use cost::{CALL_LIMIT, CONDITIONS_BUDGET, OBJECT_BUDGET};
pub use native::is_deep_equal;
pub use shape::{Fields, ItemMerge, Shape, ShapeKind, TextFormat};

/// Checks a URL (`url.Parse`).
///
/// # Errors
///
/// Returns Go's error message.
pub fn check_url(text: &str) -> Result<(), String> {
    url::Url::parse(text).map(drop)
}
