//! Tests of the extraction of applied fields. `kinds` has the kinds and their configurations.

mod extract;
mod kinds;
mod random;
mod upstream;
