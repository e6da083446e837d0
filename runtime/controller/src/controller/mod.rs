//! Controllers: reconcilers with their watches, sources, queue and workers.

mod builder;
mod event_handler;
mod metrics;
mod worker;

pub use builder::Controller;
