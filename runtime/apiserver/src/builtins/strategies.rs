//! Table of the strategies of built-in kinds.

use crate::builtins::core::service;
use crate::builtins::strategy::{PublishedSchema, Strategy};

/// Strategies by group, version and kind. All other kinds follow their published schema alone.
const STRATEGIES: &[(&str, &str, &str, &dyn Strategy)] =
    &[("", "v1", "Service", &service::ServiceStrategy)];

/// Returns whether a kind has a strategy of its own.
pub(crate) fn contains(kind: &str, group: &str) -> bool {
    STRATEGIES.iter().any(|row| (row.0, row.2) == (group, kind))
}

/// Returns the strategy of a kind.
pub(crate) fn find(group: &str, version: &str, kind: &str) -> &'static dyn Strategy {
    let mut rows = STRATEGIES.iter();
    rows.find(|row| (row.0, row.1, row.2) == (group, version, kind))
        .map_or(&PublishedSchema, |row| row.3)
}
