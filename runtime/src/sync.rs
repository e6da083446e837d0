//! Mutex for state shared between threads. It is a module, so that tests can replace it by a model
//! checker's mutex.

pub(crate) use parking_lot::Mutex;
