//! Three files, all of them there.

pub mod one;
pub mod three;
pub mod two;
