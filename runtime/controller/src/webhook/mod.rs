//! Webhooks: defaulting, validation and conversion of objects, called by the API server.
//!
//! [`Webhooks`] is the set of webhooks of a program. A [`WebhookService`] answers the API server's
//! HTTP requests to them, as a [`tower::Service`]. A [`WebhookServer`] serves them over TLS, as a
//! component of a manager.

mod admission;
mod body;
mod certificates;
mod conversion;
mod denied;
mod field;
#[cfg(feature = "flags")]
mod flags;
mod metrics;
mod patch;
mod review;
mod server;
mod service;
mod webhooks;

pub use admission::{Change, Defaulter, Validator};
pub use certificates::Certificates;
pub use denied::{Denied, Warnings};
pub use field::FieldError;
#[cfg(feature = "flags")]
pub use flags::WebhookFlags;
pub use review::{Admission, Operation};
pub use server::WebhookServer;
pub use service::WebhookService;
pub use webhooks::Webhooks;
