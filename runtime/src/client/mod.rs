//! The verbs of one kind, and the connection they go over.
//!
//! Generated clients hold a [`TypedClient`] and name its verbs; what they take and return is re-exported here. The verbs are
//! client-go's, the parameters are kube's. What holds for a whole connection (a rate limit, timeouts, who writes) is said to its
//! [`builder`].

mod answer;
mod apply;
mod deletion;
mod extension;
mod options;
pub(crate) mod path;
mod typed;
mod watch;

pub(crate) use answer::refusal;
pub use deletion::Deletion;
pub use options::{
    ClientBuilder, RequestTimeoutError, builder, connect, default_kubernetes_user_agent,
};
pub(crate) use options::{LONGEST_WISH, Moment, NotRetried};
pub use typed::TypedClient;
pub use watch::WatchStream;

pub use futures::Stream;
pub use k8s_openapi::api::autoscaling::v1::Scale;
pub use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams,
    ValidationDirective, WatchEvent, WatchParams,
};
pub use kube::core::Status;
pub use serde::Serialize;

/// What every verb returns.
pub type Result<T, E = kube::Error> = std::result::Result<T, E>;
