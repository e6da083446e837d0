//! A Kubernetes API server in the process: tests and quickstarts without a cluster.

mod answer;
mod builder;
mod client;
mod clock;
mod decode;
mod failure;
mod faults;
mod kinds;
mod query;
mod registry;
mod requests;
mod route;
mod seed;
mod selector;
mod server;
mod store;
mod stored;
mod watches;

pub use answer::ResponseBody;
pub use builder::{ApiServerBuilder, BuildError};
pub use clock::Clock;
pub use faults::{Fault, FaultyRequest};
pub use route::Verb;
pub use server::ApiServer;
pub use watches::Watches;
