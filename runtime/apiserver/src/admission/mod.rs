//! Admission: hooks that change or refuse writes, and the requests that they see.

mod hook;
mod request;

pub use hook::{AdmissionPlugin, Denied};
pub use request::{AdmissionRequest, Operation};

pub(crate) use hook::{DynAdmissionPlugin, forbidden};
