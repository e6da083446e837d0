//! Tests of this repository's files and of attributes, and random tests of the generator, in one
//! binary.

mod attributes;
mod dependencies;
mod documents;
mod freshness;
mod fuzz;
mod walls;
mod words;
