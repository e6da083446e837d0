//! A kind with fields of every form.

pub mod edge;
pub mod shared;
