//! REST mapper: lookup of kinds that are known only at run time, by the API server's discovery.

mod discovery;
mod handle;
mod name;

pub use discovery::ServedKind;
pub use handle::{Mapper, MapperError};
