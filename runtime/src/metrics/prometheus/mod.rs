//! Metrics for Prometheus: instruments of atomics, and the text that it scrapes.
//!
//! A program makes one [`Registry`], gives it to what it wants measured, and serves [`Registry::encode`] with the HTTP
//! server that it has. Text of other libraries may be served with it, one after the other: families have a name each, and
//! the format has no end mark.
//!
//! ```
//! use genclient::metrics::prometheus::{CONTENT_TYPE, Registry};
//! use genclient::metrics::{Provider, WORKQUEUE_RETRIES};
//!
//! let registry = Registry::new();
//! registry.counter(&WORKQUEUE_RETRIES, &["tasks", "tasks"]).add(3);
//!
//! let scrape = || {
//!     http::Response::builder()
//!         .header(http::header::CONTENT_TYPE, CONTENT_TYPE)
//!         .body(registry.encode())
//! };
//! let text = scrape()?.into_body();
//! assert!(text.ends_with("\nworkqueue_retries_total{name=\"tasks\",controller=\"tasks\"} 3\n"));
//! # Ok::<(), http::Error>(())
//! ```
//!
//! The official client, `prometheus-client`, speaks OpenMetrics: it describes a counter under a name without `_total`, which
//! Prometheus' own format does not join with the samples, and it locks a mutex for every value of a histogram. This is small
//! enough to do exactly.

mod family;
mod instruments;
mod registry;
#[cfg(test)]
mod tests;
mod text;

pub use registry::Registry;

/// The media type of [`Registry::encode`]: Prometheus' text format, which every version of it reads.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
