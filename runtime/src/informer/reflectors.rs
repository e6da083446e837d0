//! Reflector tasks of an informer.

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

/// Guard of a task: stops the informer when the task is dropped, so that its cache is not taken for
/// an up-to-date one.
pub(super) struct StopOnDrop<K: Resource>(pub(super) Arc<Hub<K>>);

impl<K: Object> Hub<K> {
    /// Starts the reflectors and the handlers. A second call does nothing.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if state.runtime.is_some() || self.is_stopped() {
            drop(state);
            // The call that starts the informer may not have got this far yet.
            self.status.send_if_modified(Status::start);
            return;
        }
        let transform = state.transform.clone();
        let listeners = std::mem::take(&mut state.waiting);
        state.runtime = Some(runtime.clone());
        // From here on, a shutdown waits for the tasks below, too.
        let starting = self.tasks.token();
        drop(state);
        self.status.send_if_modified(Status::start);
        let scopes = 0..self.plan.namespaces.len();
        let reflectors: Vec<_> = scopes
            .map(|scope| self.reflector(scope, transform.clone()))
            .collect();
        if reflectors.is_empty() {
            tracing::warn!(resource = %self.resource, "no namespaces to cache");
            // No list will arrive that marks the informer as synced.
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

    /// Returns the meter of a reflector, named after the factory, the resource and, if limited to
    /// namespaces, the namespace.
    fn reflector_meter(&self, scope: usize) -> Option<reflector::ReflectorMeter> {
        let (name, provider) = self.plan.metrics.as_ref()?;
        let name = match &self.plan.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(reflector::ReflectorMeter::new(&name, &**provider))
    }
}

/// Keeps one scope of the informer up to date until the informer stops. If the reflector ends,
/// stops the informer. The caller makes the guard, since this future may be dropped before it is
/// polled.
async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeSink<K>>,
    guard: StopOnDrop<K>,
) {
    let reflecting = AssertUnwindSafe(reflector.run()).catch_unwind();
    let cause = tokio::select! {
        // First, so that a reflector that always has something to read is stopped, too.
        biased;
        () = stop.cancelled() => return,
        ended = reflecting => match ended {
            Ok(error) => StopCause::ClientClosed(Arc::new(error)),
            Err(panic) => StopCause::Panicked(message_of(&*panic)),
        },
    };
    guard.0.stop(cause);
}

/// Returns the message of a panic, as the default panic hook does.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("Box<dyn Any>").to_owned()
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        // Otherwise another caller is stopping the informer right now, with its own cause.
        if !self.0.stop.is_cancelled() {
            self.0.stop(StopCause::RuntimeShutdown);
        }
    }
}
