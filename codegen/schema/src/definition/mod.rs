//! Validation of schemas: whether the API server takes a definition that has one.

pub mod bounds;
pub mod crd;
mod error;
mod keywords;
mod structural;
mod walk;

pub use error::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, SchemaPathStep, StructureRule,
    ValidationRule,
};
pub use keywords::keyword_errors;
pub use structural::structural_errors;
