//! Paths of fields, sets of them, and their encoding in managed fields.
//!
//! The API server notes in `metadata.managedFields` which fields each manager owns: the `fieldsV1`
//! of an entry is a [`Set`], which [`decode_set`] reads.
//!
//! Source: structured-merge-diff v6, packages fieldpath and value.

mod element;
mod fields_v1;
mod print;
mod set;
mod value;

pub use element::{PathElement, format_path};
pub use fields_v1::{InvalidElement, decode_set, encode_set, encode_set_text};
pub use set::{Set, SetNode};
pub use value::{compare_values, is_scalar, values_equal};
