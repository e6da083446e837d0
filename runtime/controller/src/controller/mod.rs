//! Controllers: a reconciler, what wakes it, and its workers.

mod about;
mod builder;
mod feed;
mod meter;
mod work;
mod worker;

pub use builder::Controller;
