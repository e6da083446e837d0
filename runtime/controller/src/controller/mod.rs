//! Controllers: reconcilers with their watches, sources, queue and workers.

mod builder;
mod event_handler;
pub(crate) mod metrics;
mod worker;

pub use builder::Controller;
