//! REST mapper: kinds that are known at run time, looked up in the API server's discovery.

mod discovery;
mod handle;
mod name;

pub use discovery::ServedKind;
pub use handle::{Mapper, MapperError};
