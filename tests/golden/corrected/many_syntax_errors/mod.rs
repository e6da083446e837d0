//! Several files without syntax errors, and none missing.

pub mod closer;
pub mod comment;
pub mod escape;
pub mod one;
pub mod quoted;
pub mod single;
pub mod string;
pub mod three;
pub mod token;
pub mod two;
