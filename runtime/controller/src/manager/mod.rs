//! Running controllers, and what belongs to them: caches, leader election, probes, metrics, events.

mod builder;
mod check;
mod group;
mod run;
mod serve;

pub use builder::ManagerBuilder;
pub use run::Manager;
