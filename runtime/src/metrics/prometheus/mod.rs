//! Metrics registry for Prometheus: atomic instruments and the text format.
//!
//! A program creates one [`Registry`], passes it to its components, and serves [`Registry::encode`]
//! with its own HTTP server. Metrics of other libraries can be appended to the text, since the
//! format has no end mark. Their names must differ from those of the registry.
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
//! This module does not use the official client, `prometheus-client`. That client writes
//! OpenMetrics, whose `HELP` and `TYPE` lines name a counter without the suffix `_total`. So a
//! parser of Prometheus' text format finds no type for the samples, which have the suffix. The
//! client also locks a mutex for every value of a histogram.

mod family;
mod registry;
#[cfg(test)]
mod tests;
mod text;

pub use registry::Registry;

/// Media type of [`Registry::encode`]: Prometheus' text format, which all versions of Prometheus
/// accept.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
