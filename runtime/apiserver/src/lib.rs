//! A Kubernetes API server in the process: tests and quickstarts without a cluster.

mod addresses;
mod answer;
mod authorization;
mod builder;
mod client;
mod clock;
#[cfg(feature = "control-plane")]
pub mod control_plane;
mod controllers;
mod decode;
mod failure;
mod faults;
mod health;
#[doc(hidden)]
pub mod kinds;
mod manifests;
mod openapi;
#[doc(hidden)]
pub mod patch;
mod query;
mod registry;
mod requests;
mod route;
mod seed;
mod selector;
#[cfg(feature = "serve")]
mod serve;
mod server;
mod snapshot;
#[doc(hidden)]
pub mod ssa;
mod store;
mod stored;
#[doc(hidden)]
pub mod types;
mod watches;

pub use answer::ResponseBody;
pub use authorization::User;
pub use builder::{ApiServerBuilder, BuildError};
pub use clock::Clock;
pub use faults::{Fault, FaultyRequest};
pub use route::Verb;
#[cfg(feature = "serve")]
pub use serve::Serving;
pub use server::ApiServer;
pub use snapshot::{Snapshot, SnapshotError};
pub use watches::Watches;
