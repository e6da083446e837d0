//! Typed client: the verbs of one kind, and the settings of its connection.
//!
//! Generated clients hold a [`TypedClient`] and call its verbs. This module re-exports the types in
//! the signatures of the verbs. The verbs are client-go's, the parameters are kube's. A [`builder`]
//! sets rate limit, timeout and field manager for all clients of a connection.

mod apply;
mod extension;
mod options;
pub(crate) mod path;
mod resend;
mod response;
mod transport;
mod typed;

pub use options::{
    ClientBuilder, NotRetried, RequestTimeoutError, builder, connect, default_kubernetes_user_agent,
};
pub(crate) use options::{MAX_RETRY_AFTER, ResponseDeadline};
pub(crate) use response::read_error_status;
pub use response::{Deletion, WatchStream, with_response_timeout};
pub(crate) use transport::Unpinged;
pub use typed::TypedClient;

pub use futures::Stream;
pub use genclient_apimachinery::sharding::{ShardField, ShardSelector};
pub use k8s_openapi::api::autoscaling::v1::Scale;
pub use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams, Preconditions,
    PropagationPolicy, ValidationDirective, WatchEvent, WatchParams,
};
pub use kube::core::Status;
pub use serde::Serialize;

/// Result of every verb.
pub type Result<T, E = kube::Error> = std::result::Result<T, E>;
