//! Mutex for state shared between threads. Tests with loom, a model checker, compile the modules
//! that use this mutex with loom's mutex instead.

pub(crate) use parking_lot::Mutex;
