//! Cost limits of rules (k8s.io/apiserver/pkg/apis/cel, config.go).

/// Cost limit of one evaluation of a rule.
pub const CALL_LIMIT: u64 = 1_000_000;

/// Cost budget of all rules of an object.
pub const OBJECT_BUDGET: i64 = 10_000_000;

/// Cost budget of all match conditions of a webhook.
pub const CONDITIONS_BUDGET: u64 = 2_500_000;
