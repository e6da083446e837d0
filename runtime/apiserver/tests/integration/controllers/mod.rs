//! Controller tests: garbage collection, namespaces, definitions, expiry, grace periods, snapshots.

mod api;
mod definitions;
mod events;
mod garbage;
mod graphs;
mod namespaces;
mod pods;
mod snapshots;
