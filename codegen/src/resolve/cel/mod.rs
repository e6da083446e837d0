//! Checks of CEL rules: errors in rules that the API server refuses, and warnings about rules that
//! it accepts but that are probably mistakes.
//!
//! `genclient-schema` parses a rule, finds its types and estimates its cost. This module turns the
//! results into messages with help. If it is uncertain whether the API server accepts a rule,
//! nothing is reported.

mod budget;
mod condition;
mod dialect;
mod field_paths;
mod finding;
mod guards;
mod messages;
mod pitfalls;
mod report;
mod rule;

#[cfg(test)]
mod tests;

pub(super) use genclient_cel::escape;

pub(super) use condition::check_conditions;
pub(super) use dialect::{FieldOrigin, SchemaDialect, WITH_DERIVE};
pub(super) use report::{RuleLocations, report_rules};
