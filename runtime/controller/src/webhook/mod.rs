//! Webhooks: defaulting, validation and conversion of objects, called by the API server.
//!
//! [`Webhooks`] is the set of webhooks of a program, as a [`tower::Service`] over HTTP requests. A
//! [`WebhookServer`] serves it over TLS as a component of a manager.

mod admission;
mod certificates;
mod conversion;
mod defaulter;
mod denied;
mod field;
#[cfg(feature = "flags")]
mod flags;
mod handler;
mod meter;
mod patch;
mod path;
mod review;
mod route;
mod server;
mod validator;
mod webhooks;

pub use admission::{Admission, Operation};
pub use certificates::Certificates;
pub use defaulter::Defaulter;
pub use denied::{Denied, Warnings};
pub use field::FieldError;
#[cfg(feature = "flags")]
pub use flags::WebhookFlags;
pub use server::WebhookServer;
pub use validator::{Change, Validator};
pub use webhooks::{WebhookService, Webhooks};
