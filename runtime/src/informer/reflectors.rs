//! The reflectors of an informer, and what becomes of it when it loses one.

use std::sync::Arc;

use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::changes::ScopeSink;
use super::hub::{Hub, Stage};
use super::status::Status;
use crate::reflector::{self, Reflector, Transform};
use crate::scheme::Object;

/// Stops an informer that lost one of its reflectors, so that nobody takes its cache for a true one.
pub(super) struct StopOnDrop<K: Resource>(pub(super) Arc<Hub<K>>);

impl<K: Object> Hub<K> {
    /// Does nothing the second time.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if !matches!(state.stage, Stage::New) {
            return;
        }
        let reflectors: Vec<_> = (0..state.scopes.len())
            .map(|scope| self.reflector(scope, state.transform.clone()))
            .collect();
        let listeners = std::mem::take(&mut state.waiting);
        state.stage = Stage::Running(runtime.clone());
        self.status.send_modify(Status::start);
        // Who stops the informer now waits for the tasks below, too.
        let starting = self.tasks.token();
        drop(state);
        // Without the lock: a runtime that is shutting down drops tasks at once, and with them guards and handlers.
        for reflector in reflectors {
            let task = reflect(self.stop.clone(), reflector, StopOnDrop(Arc::clone(self)));
            self.tasks.spawn_on(task, &runtime);
        }
        for (_, listener) in listeners {
            self.tasks.spawn_on(listener, &runtime);
        }
        drop(starting);
    }

    fn reflector(
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
            ScopeSink {
                hub: Arc::clone(self),
                scope,
            },
        )
        .measured(self.reflector_meter(scope))
    }

    /// A reflector is known by the factory, the resource and, where there are several, the namespace.
    fn reflector_meter(&self, scope: usize) -> Option<reflector::ReflectorMeter> {
        let (name, provider) = self.plan.metrics.as_ref()?;
        let name = match &self.plan.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(reflector::ReflectorMeter::new(&name, &**provider))
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
