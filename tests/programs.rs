//! Tests of the program `genclient` and of the projects that it writes, in one binary.

mod cli;
mod projects;
