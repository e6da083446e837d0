//! An in-process Kubernetes API server for tests and quickstarts without a cluster.
//!
//! It answers as kube-apiserver does: custom resources are validated, pruned and defaulted, CEL
//! rules are evaluated, and watches, server-side apply and tables work. Objects are in memory, and
//! time may be paused.
//!
//! ```
//! use genclient::kube::Api;
//! use genclient_apiserver::ApiServer;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ApiServer::builder()
//!     .objects([json!({
//!         "apiVersion": "v1",
//!         "kind": "ConfigMap",
//!         "metadata": { "name": "settings", "namespace": "default" },
//!     })])
//!     .build()?;
//! let maps = Api::<ConfigMap>::default_namespaced(server.client());
//! assert!(maps.get_opt("settings").await?.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! The guide is `docs/testing.md` in the repository.
//!
//! # Features
//!
//! - `serve`: `ApiServer::serve`, for kubectl and programs.
//! - `webhooks`: calls of webhooks that have a URL, over HTTPS. Webhooks in the process need none.
//! - `cli`: the program `genclient-apiserver`.

mod addresses;
mod admission;
mod api_response;
mod authorization;
mod builder;
mod clock;
mod commit;
mod conditions;
mod controller_queue;
mod controllers;
mod conversion;
mod conversion_functions;
mod deadline;
mod decode;
mod definitions;
#[doc(hidden)]
pub mod discovery;
mod documents;
mod eventually;
mod faults;
mod feature_gate;
mod finalizers;
mod go_numbers;
mod handler;
mod health;
mod kinds;
mod manifests;
mod metadata;
mod openapi;
mod plugins;
#[doc(hidden)]
pub mod private;
mod query;
mod rbac;
mod recorded_requests;
mod registry;
mod request;
mod request_log;
mod route;
mod seed;
#[cfg(feature = "serve")]
mod serve;
mod server;
mod snapshot;
mod state;
mod status_error;
mod store;
mod stored;
mod text_file;
mod token_file;
mod unused_rules;
mod watch_faults;
mod webhook;
mod webhook_services;

pub use admission::{AdmissionPlugin, AdmissionRequest, Denied, Operation};
pub use api_response::ResponseBody;
pub use builder::{ApiServerBuilder, BuildError};
pub use clock::Clock;
pub use eventually::{NotYet, Observed, eventually, eventually_within};
pub use faults::{Fault, FaultyRequest};
pub use feature_gate::{FeatureGate, UnknownFeatureGateError};
pub use manifests::{ObjectFileError, object};
pub use rbac::User;
pub use recorded_requests::RecordedRequest;
pub use route::Verb;
#[cfg(feature = "serve")]
pub use serve::Serving;
pub use server::ApiServer;
pub use snapshot::{Snapshot, SnapshotError};
pub use unused_rules::{NoRoleError, UnusedRule};
pub use watch_faults::Watches;
