//! Mutex for state shared between threads. Model tests include the sources that use it, and replace
//! this module by one with the mutex of loom, a model checker.

pub(crate) use parking_lot::Mutex;
