//! Admission: hooks that mutate or reject writes, and their requests.

mod hook;
mod request;

pub use hook::{AdmissionPlugin, Denied};
pub use request::{AdmissionRequest, Operation};

pub(crate) use hook::{DynAdmissionPlugin, forbidden};
