//! Integration tests: definitions and custom resources compared with Kubernetes' own packages.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod definitions;
mod objects;
