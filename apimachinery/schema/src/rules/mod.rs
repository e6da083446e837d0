//! CEL rules of schemas: the types that a schema declares and, with the feature `evaluate`,
//! validation of objects by the rules (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel).
//!
//! [`Rules::compile`] compiles the rules of a schema. [`Rules::check`] validates an object with
//! the API server's order, wording and cost budgets.

#[cfg(feature = "evaluate")]
mod check;
#[cfg(feature = "evaluate")]
mod compile;
#[cfg(feature = "evaluate")]
mod correlation;
mod declare;
pub mod field_path;
#[cfg(feature = "evaluate")]
mod shape;

#[cfg(test)]
#[cfg(feature = "evaluate")]
mod tests;

#[cfg(feature = "evaluate")]
pub use check::Checked;
#[cfg(feature = "evaluate")]
pub use compile::Rules;
pub use declare::declare;
