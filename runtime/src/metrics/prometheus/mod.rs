//! Metrics registry for Prometheus: atomic instruments and the text format.
//!
//! A program creates one [`Registry`], passes it to the components to be measured, and serves
//! [`Registry::encode`] with its own HTTP server. The output of other libraries can be appended,
//! since the format has no end mark; family names must not collide.
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
//! The official client, `prometheus-client`, writes OpenMetrics. It describes a counter under a
//! name without `_total`, which Prometheus' text format does not associate with the samples. It
//! also locks a mutex for every value of a histogram. Hence this implementation.

mod family;
mod registry;
#[cfg(test)]
mod tests;
mod text;

pub use registry::Registry;

/// The media type of [`Registry::encode`]: Prometheus' text format, which every version of
/// Prometheus accepts.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
