//! Controllers: reconcilers with their watches, sources, queue and workers.

mod about;
mod builder;
mod feed;
mod meter;
mod work;
mod worker;

pub use builder::Controller;
