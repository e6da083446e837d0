//! Reflector tasks of an informer. The informer stops when one of them ends.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::changes::ScopeSink;
use super::error::StopCause;
use super::hub::Hub;
use super::status::Status;
use crate::reflector::{self, Reflector, Transform};
use crate::scheme::Object;

/// Stops the informer when the task is dropped, so that its cache is not taken for an up-to-date
/// one.
pub(super) struct StopOnDrop<K: Resource>(pub(super) Arc<Hub<K>>);

impl<K: Object> Hub<K> {
    /// Does nothing the second time.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if state.runtime.is_some() || self.is_stopped() {
            drop(state);
            // Whoever starts it first may not have come to that.
            self.status.send_if_modified(Status::start);
            return;
        }
        let transform = state.transform.clone();
        let listeners = std::mem::take(&mut state.waiting);
        state.runtime = Some(runtime.clone());
        // Who stops the informer now waits for the tasks below, too.
        let starting = self.tasks.token();
        drop(state);
        self.status.send_if_modified(Status::start);
        let scopes = 0..self.plan.namespaces.len();
        let reflectors: Vec<_> = scopes
            .map(|scope| self.reflector(scope, transform.clone()))
            .collect();
        if reflectors.is_empty() {
            tracing::warn!(resource = %self.resource, "no namespace is to be cached");
            // No list will come to say so.
            self.synced();
        }
        // Without the lock: a runtime that is shutting down drops tasks at once, and with them
        // guards and handlers.
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
            Arc::clone(&self.plan.outage),
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

/// Keeps one scope of the informer up to date until the informer stops, and stops it if that cannot
/// go on. The caller makes the guard, since this may be dropped before it is polled.
async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeSink<K>>,
    guard: StopOnDrop<K>,
) {
    let reflecting = AssertUnwindSafe(reflector.run()).catch_unwind();
    let cause = tokio::select! {
        // First, so that a reflector that always has something to read is ended, too.
        biased;
        () = stop.cancelled() => return,
        ended = reflecting => match ended {
            Ok(error) => StopCause::ClientClosed(Arc::new(error)),
            Err(panic) => StopCause::Panicked(message_of(&*panic)),
        },
    };
    guard.0.stop(cause);
}

/// The message of a panic, as the default panic hook finds it.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("Box<dyn Any>").to_owned()
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        // Else somebody stops the informer right now, and says why.
        if !self.0.stop.is_cancelled() {
            self.0.stop(StopCause::RuntimeShutdown);
        }
    }
}
