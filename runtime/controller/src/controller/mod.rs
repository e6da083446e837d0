//! Controllers: reconcilers with their watches, sources, queue and workers.

mod builder;
mod feed;
mod meter;
mod worker;

pub use builder::Controller;
