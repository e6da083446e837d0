//! Controllers for Kubernetes: the counterpart of controller-runtime.
//!
//! This crate is built on `genclient`, as controller-runtime is built on client-go.
//!
//! A program implements a [`Reconciler`]. A [`Controller`] declares the watches that trigger it,
//! and a [`Manager`] runs it with caches, leader election, probes, metrics and events.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use genclient::signals;
//! use genclient_controller::{Action, Context, Controller, Manager, Reconciler, Result};
//! use k8s_openapi::api::core::v1::ConfigMap;
//!
//! struct Settings;
//!
//! impl Reconciler for Settings {
//!     type Object = ConfigMap;
//!
//!     async fn reconcile(&self, settings: Arc<ConfigMap>, _cx: &Context) -> Result {
//!         println!("{:?}", settings.metadata.name);
//!         Ok(Action::done())
//!     }
//! }
//!
//! # async fn example() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let mut manager = Manager::builder("settings").build().await?;
//! manager.add(Controller::new(Settings))?;
//! manager.run(signals::shutdown()?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! The guide is `docs/controllers.md` in the repository, that of webhooks `docs/webhooks.md`.
//!
//! # Features
//!
//! - `flags` (default): `ManagerFlags`, the flags of a program that runs a manager, and its log.
//! - `tls`: metrics over TLS, for clients that the API server knows.
//! - `webhook`: webhooks with their server and certificates. It includes `tls`.
//!
//! # Guarantees
//!
//! - **Every change is followed by a reconcile**, while the program runs and unless a predicate
//!   rejects the change. The reconcile begins after the controller's cache shows the change, and
//!   reads from this cache. One exception: if a function passed to [`Controller::watches`], or the
//!   iterator that it returns, panics, the panic is logged. The requests that were not returned
//!   before are lost until the object changes again or is resynced.
//! - **One at a time**: two reconciles of one request never overlap, with any number of workers.
//! - **A reconcile reads what the program has written** (see [`Client`] for exceptions). If the
//!   cache does not show the writes in time, the read returns [`ReadError::Stale`]. A reconcile
//!   that returns this error is retried, and does not count as failed.
//! - **Nothing runs after the end**: when [`Manager::run`] returns, every task has ended or was
//!   dropped. The lease is released after the end of the tasks that need it.
//! - A reconcile that panics, or exceeds its timeout, counts as failed.

mod api_errors;
mod client;
mod cluster;
mod component;
mod controller;
mod error;
mod error_text;
mod failure;
pub mod finalizer;
#[cfg(feature = "flags")]
mod flags;
mod http_listener;
mod ledger;
mod manager;
mod mapper;
pub mod metrics;
pub mod owner;
pub mod predicate;
mod process;
mod reconciler;
mod request_cancellation;
mod requests;
mod setup;
mod sharding;
pub mod source;
mod storage_migration;
#[cfg(feature = "tls")]
mod tls;
mod watch;
#[cfg(feature = "webhook")]
pub mod webhook;

pub use client::{Client, KindClient, OperationResult, Query, ReadError, WriteError, Written};
pub use cluster::{CacheError, Cluster, WatchError};
pub use component::{Component, Run, Task};
pub use controller::Controller;
pub use error::{RunError, SetupError};
pub use failure::{Action, BoxError, Failure, Result};
#[cfg(feature = "flags")]
pub use flags::{BindAddress, LogFormat, ManagerFlags, init_test_logging};
#[cfg(feature = "tls")]
pub use manager::SecureMetrics;
pub use manager::{ComponentHandle, Manager, ManagerBuilder, ManagerHandle, RunningManager};
pub use mapper::{Mapper, MapperError, ServedKind};
pub use predicate::Predicate;
pub use reconciler::{Context, IntoRequest, Reason, Reconciler, Request, RequestReconciler};
pub use requests::Requests;
pub use setup::Setup;
pub use source::Source;
pub use storage_migration::StorageMigration;
pub use watch::Watch;
