//! Mutex for state shared between threads, in a module so that tests can substitute a model
//! checker's.

pub(crate) use parking_lot::Mutex;
