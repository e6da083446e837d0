//! Syntax errors in two files, and a file that is not there.

pub mod one;
pub mod three;
pub mod two;
