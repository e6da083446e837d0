//! Reflector tasks: their start, and the stop of the informer if one of them ends.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::changes::ScopeStore;
use super::core::Core;
use super::error::StopCause;
use super::status::Status;
use crate::reflector::{self, Reflector, Transform};
use crate::scheme::Object;

/// Guard of a reflector's task: stops the informer when the task ends or is dropped. Otherwise the
/// cache would look synced although it is no longer updated.
pub(super) struct StopOnDrop<K: Resource>(pub(super) Arc<Core<K>>);

impl<K: Object> Core<K> {
    /// Starts the reflectors and the handlers, unless the informer has already started or stopped.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if state.runtime.is_some() || self.is_stopped() {
            drop(state);
            // A concurrent call may have set `runtime`, but not the status yet. So this call sets
            // the status, too: a wait for the sync that follows must not return `NotStarted`.
            self.status.send_if_modified(Status::start);
            return;
        }
        let transform = state.transform.clone();
        let listeners = std::mem::take(&mut state.waiting);
        state.runtime = Some(runtime.clone());
        // `shutdown` waits while this token exists, so it cannot miss the tasks that are spawned
        // meanwhile.
        let starting = self.tasks.token();
        drop(state);
        self.status.send_if_modified(Status::start);
        let scopes = 0..self.plan.namespaces.len();
        let reflectors: Vec<_> = scopes
            .map(|scope| self.reflector(scope, transform.clone()))
            .collect();
        if reflectors.is_empty() {
            tracing::warn!(resource = %self.resource, "no namespaces to cache");
            // There are no lists to wait for, so the informer has synced.
            self.synced();
        }
        // Spawns tasks without the lock: a runtime that is shutting down drops them at once. This
        // drops guards, which take the lock, and handlers, which are user code.
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
    ) -> Reflector<K, ScopeStore<K>> {
        Reflector::new(
            self.plan.client.clone(),
            self.plan.types.clone(),
            self.plan.namespaces[scope].clone(),
            self.plan.options.clone(),
            transform,
            Arc::clone(&self.plan.outage),
            ScopeStore {
                core: Arc::clone(self),
                scope,
            },
        )
        .measured(self.reflector_meter(scope))
    }

    /// Returns the meter of a reflector. Its name consists of the factory's name, the resource and,
    /// if the factory is limited to namespaces, the namespace.
    fn reflector_meter(&self, scope: usize) -> Option<reflector::ReflectorMeter> {
        let (name, provider) = self.plan.metrics.as_ref()?;
        let name = match &self.plan.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(reflector::ReflectorMeter::new(&name, &**provider))
    }
}

/// Runs the reflector of one scope until the informer stops. If the reflector ends first, stops the
/// informer. `guard` is an argument, so that the informer also stops if this future is dropped
/// before its first poll.
async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeStore<K>>,
    guard: StopOnDrop<K>,
) {
    let reflecting = AssertUnwindSafe(reflector.run()).catch_unwind();
    let cause = tokio::select! {
        // Checked first, so that the reflector is not polled again once the informer has stopped.
        biased;
        () = stop.cancelled() => return,
        ended = reflecting => match ended {
            Ok(error) => StopCause::ClientClosed(Arc::new(error)),
            Err(panic) => StopCause::Panicked(message_of(&*panic)),
        },
    };
    guard.0.stop(cause);
}

/// Returns the message of a panic, as the default panic hook prints it.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("Box<dyn Any>").to_owned()
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        // If `stop` is cancelled, the informer has already been stopped for another cause.
        if !self.0.stop.is_cancelled() {
            self.0.stop(StopCause::RuntimeShutdown);
        }
    }
}
