//! Validation of schemas and of the CustomResourceDefinitions that contain them.

pub mod bounds;
pub mod crd;
mod error;
mod keywords;
mod structural;

pub use error::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, SchemaPathStep, StructureRule,
    ValidationRule,
};
pub use keywords::{default_errors, keyword_errors};
pub use structural::structural_errors;
