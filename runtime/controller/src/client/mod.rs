//! Clients: reads from caches, writes to the API server.

mod error;
mod handle;
mod kind;
mod operation;
mod query;

pub use error::{ReadError, WriteError};
pub use handle::Client;
pub use kind::KindClient;
pub use operation::{OperationResult, Written};
pub use query::Query;
