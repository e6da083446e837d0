//! [`Reachability`]: whether an API server can be reached, shared by informer factories.

use std::sync::Arc;

use crate::reflector::Outage;

/// Whether an API server can be reached, as its informers know it. Clones share this state.
///
/// Informers wait out an outage together and log it once: see [`informer`](crate::informer). By
/// default, these are the informers of one factory. Factories of the same API server can share the
/// state:
///
/// ```no_run
/// # use genclient::informer::{Reachability, SharedInformerFactory};
/// # fn run(client: kube::Client) {
/// let reachability = Reachability::new();
/// let [web, database] = ["app=web", "app=database"].map(|labels| {
///     SharedInformerFactory::builder(client.clone())
///         .reachability(&reachability)
///         .tweak_list_params(|selectors| selectors.labels = Some(labels.into()))
///         .build()
/// });
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reachability {
    pub(super) outage: Arc<Outage>,
}

impl Reachability {
    /// Returns the state of an API server that is assumed to be reachable.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns `false` from the first list or watch that could not reach the API server until the
    /// server answers again. A server that answers only with 401, 403, 429 or 5xx counts as
    /// reachable 30 s after the first of these answers.
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        !self.outage.is_going_on()
    }
}
