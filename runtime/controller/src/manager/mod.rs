//! Managers of controllers, with caches, leader election, probes, metrics and events.

#[cfg(feature = "tls")]
mod authorization;
mod builder;
mod check;
mod components;
mod grace;
mod group;
mod handle;
mod run;
mod running;
#[cfg(feature = "tls")]
mod secure;
mod serve;

pub use builder::ManagerBuilder;
pub use components::ComponentHandle;
pub use handle::ManagerHandle;
pub use run::Manager;
pub use running::RunningManager;
#[cfg(feature = "tls")]
pub use secure::SecureMetrics;
