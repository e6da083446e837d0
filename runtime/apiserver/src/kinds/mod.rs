//! Built-in kinds.
