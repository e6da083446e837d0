//! Limits of the cost of rules (k8s.io/apiserver/pkg/apis/cel, config.go).

/// What one evaluation of a rule may cost.
pub const CALL_LIMIT: u64 = 1_000_000;

/// What all rules of an object may cost together.
pub const OBJECT_BUDGET: i64 = 10_000_000;

/// What all match conditions of a webhook may cost together.
pub const CONDITIONS_BUDGET: u64 = 2_500_000;
