//! Managers of controllers, with caches, leader election, probes, metrics and events.

#[cfg(feature = "tls")]
mod authorization;
mod builder;
mod check;
mod components;
mod connection;
mod handle;
mod phases;
mod run;
#[cfg(feature = "tls")]
mod secure;
mod serve;
mod shutdown;

pub use builder::ManagerBuilder;
pub use components::ComponentHandle;
pub use handle::ManagerHandle;
pub use run::{Manager, RunningManager};
#[cfg(feature = "tls")]
pub use secure::SecureMetrics;
