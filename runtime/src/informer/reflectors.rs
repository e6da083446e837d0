//! The reflectors of an informer, and what becomes of it when it loses one.

use std::sync::Arc;

use kube::{Client, Resource};
use tokio_util::sync::CancellationToken;

use super::changes::ScopeSink;
use super::hub::Hub;
use crate::metrics::Provider;
use crate::reflector::{self, Options, Outage, Reflector, Transform};
use crate::scheme::Object;

/// What an informer mirrors, and how.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// One reflector each; `None` is everything.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
    /// Of the factory.
    pub(super) outage: Arc<Outage>,
    /// The name of the factory in its metrics, and where they go.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}

/// Stops an informer that lost one of its reflectors, so that nobody takes its cache for a true one.
pub(super) struct StopOnDrop<K: Resource>(pub(super) Arc<Hub<K>>);

impl<K: Object> Hub<K> {
    pub(super) fn reflector(
        self: &Arc<Self>,
        scope: usize,
        transform: Option<Transform<K>>,
    ) -> Reflector<K, ScopeSink<K>> {
        Reflector::new(
            self.plan.client.clone(),
            self.plan.types.clone(),
            self.plan.namespaces[scope].clone(),
            self.plan.options.clone(),
            transform,
            Arc::clone(&self.plan.outage),
            ScopeSink {
                hub: Arc::clone(self),
                scope,
            },
        )
        .measured(self.reflector_meter(scope))
    }

    /// A reflector is known by the factory, the resource and, where there are several, the namespace.
    fn reflector_meter(&self, scope: usize) -> Option<reflector::Meter> {
        let (name, provider) = self.plan.metrics.as_ref()?;
        let name = match &self.plan.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(reflector::Meter::new(&name, &**provider))
    }
}

/// Keeps one scope of the informer true until that stops. The guard is made by who calls: this may be dropped before it is polled.
pub(super) async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeSink<K>>,
    _guard: StopOnDrop<K>,
) {
    tokio::select! {
        // First, so that a reflector that always has something to read is ended, too.
        biased;
        () = stop.cancelled() => {}
        () = reflector.run() => {}
    }
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        if !self.0.stop.is_cancelled() {
            tracing::error!(resource = %self.0.resource, "reflector ended unasked; the informer stops");
            self.0.stop();
        }
    }
}
