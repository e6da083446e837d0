//! Integration tests of compiled output of the program.

mod definitions;
pub mod imported;
