//! The lock of what threads race for. Apart, so that a test can put a model checker's in its place.

pub(crate) use parking_lot::Mutex;
