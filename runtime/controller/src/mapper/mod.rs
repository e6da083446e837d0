//! REST mapper: kinds that are known at run time, looked up in the API server's discovery.

mod discovery;
mod error;
mod handle;
mod name;

pub use discovery::ServedKind;
pub use error::MapperError;
pub use handle::Mapper;
