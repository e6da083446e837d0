//! Paths of fields, sets of them, and their encoding in managed fields.
//!
//! `metadata.managedFields` of an object says which fields each manager owns. [`decode_set`]
//! decodes the member `fieldsV1` of such an entry into a [`Set`].
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
