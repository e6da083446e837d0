//! Tests of this repository's files, and random tests of the generator, in one binary.

mod dependencies;
mod documents;
mod freshness;
mod fuzz;
mod walls;
mod words;
