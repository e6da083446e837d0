//! Rules at run time: values, functions, costs and verdicts of kube-apiserver 1.36.
//!
//! [`Rules::compile`] plans the rules of a schema once; [`Rules::check`] holds an object against
//! them with the API server's order, words and budgets
//! (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel, validation.go).

mod base64;
mod check;
mod correlation;
mod cost;
mod equality;
mod library;
mod list;
mod map;
mod native;
mod plan;
mod rules;
mod run;
mod shape;
#[cfg(test)]
mod tests;
mod time;
mod value;

pub use check::Checked;
pub use rules::Rules;

/// What one evaluation of a rule may cost.
pub const CALL_LIMIT: u64 = 1_000_000;

/// What all rules of an object may cost together.
pub const OBJECT_BUDGET: i64 = 10_000_000;
