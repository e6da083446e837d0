//! Clients: reads from caches, writes to the API server.

mod handle;
mod kind;
mod operation;
mod read;

pub use handle::Client;
pub use kind::KindClient;
pub use operation::{OperationResult, WriteError, Written};
pub use read::{Query, ReadError};
