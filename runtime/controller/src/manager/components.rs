//! [`Components`]: the pending and running components of a manager. Components with the same
//! [`StartPhase`] form a *group*, which starts and stops together.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::iter;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::join_all;
use genclient::panics::panic_message;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::check::CheckList;
use super::shutdown::ShutdownTimeouts;
use crate::cluster::{CacheError, CacheHandle};
use crate::component::{Run, StartPhase, Task};
use crate::error::SetupError;
use crate::failure::BoxError;

/// The components of a manager. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Components {
    inner: Arc<ComponentsInner>,
}

struct ComponentsInner {
    state: Mutex<ComponentsState>,
    /// Notified when a component was added or a cluster was removed.
    changes: Notify,
    /// Readiness checks of the components, by name.
    readyz: CheckList,
}

#[derive(Default)]
struct ComponentsState {
    /// Names of all components, running ones included.
    names: BTreeSet<String>,
    /// Components that have not started.
    waiting: Vec<Member>,
    /// Caches of components that failed, or that ended after their group was stopped. Other
    /// components may read them until the run is over.
    shared_caches: Vec<CacheHandle>,
    is_closed: bool,
    /// Whether a component serves conversions. Such a component starts before the caches sync,
    /// because the API server may need the conversions to list objects.
    serves_conversions: bool,
}

/// A component of a manager. Dropping it frees its name, and releases its caches or leaves them in
/// [`ComponentsState::shared_caches`].
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) handle: ComponentHandle,
    task: Option<Task>,
    has_readyz: bool,
    caches: Vec<CacheHandle>,
    /// Cancelled when the group that runs the component stops.
    group: Option<CancellationToken>,
    components: Weak<ComponentsInner>,
    /// Signals the end of the component. Dropped after all other fields.
    _ended: DropGuard,
}

/// Handle of a component that was added to a manager.
///
/// Dropping the handle does not stop the component, which runs until the manager ends.
#[derive(Clone, Debug)]
pub struct ComponentHandle {
    stop: CancellationToken,
    ended: CancellationToken,
    components: Weak<ComponentsInner>,
}

impl Components {
    /// Creates an empty list of components. Their readiness checks are added to `readyz`.
    pub(super) fn new(readyz: CheckList) -> Self {
        Self {
            inner: Arc::new(ComponentsInner {
                state: Mutex::default(),
                changes: Notify::new(),
                readyz,
            }),
        }
    }

    /// Turns a task into a member, and reserves its name.
    pub(super) fn register(&self, mut task: Task) -> Result<Member, SetupError> {
        let mut state = self.inner.state.lock();
        if state.is_closed {
            return Err(SetupError::Stopped(task.name));
        }
        if task.is_numbered {
            task.name = state.free_name(task.name);
        }
        if !state.names.insert(task.name.clone()) {
            return Err(SetupError::SameName(task.name));
        }
        let readyz = task.readyz.take();
        let has_readyz = readyz.is_some();
        if let Some(check) = readyz
            && let Err(error) = self.inner.readyz.add(task.name.clone(), check)
        {
            state.names.remove(&task.name);
            return Err(error);
        }
        state.serves_conversions |= task.serves_conversions;
        let ended = CancellationToken::new();
        Ok(Member {
            name: task.name.clone(),
            handle: ComponentHandle {
                stop: CancellationToken::new(),
                ended: ended.clone(),
                components: Arc::downgrade(&self.inner),
            },
            has_readyz,
            caches: std::mem::take(&mut task.caches),
            task: Some(task),
            group: None,
            components: Arc::downgrade(&self.inner),
            _ended: ended.drop_guard(),
        })
    }

    /// Queues a member, which starts as soon as its group runs.
    pub(super) fn start(&self, member: Member) -> Result<ComponentHandle, SetupError> {
        let handle = member.handle.clone();
        let mut state = self.inner.state.lock();
        if state.is_closed {
            drop(state);
            return Err(SetupError::Stopped(member.name.clone()));
        }
        state.waiting.push(member);
        drop(state);
        self.notify_changed();
        Ok(handle)
    }

    /// Waits for the next member that the group of `phase` has to start.
    ///
    /// # Cancel safety
    ///
    /// No member is lost if the future is dropped.
    pub(super) async fn next(&self, phase: StartPhase) -> Member {
        loop {
            let changed = self.changed();
            if let Some(member) = self.inner.state.lock().take(phase) {
                return member;
            }
            changed.await;
        }
    }

    /// Ends the waits of [`Self::changed`].
    pub(super) fn notify_changed(&self) {
        self.inner.changes.notify_waiters();
    }

    /// Waits until a component is added or a cluster is removed. After either, the run may have to
    /// watch other informers for failures.
    pub(super) fn changed(&self) -> impl Future<Output = ()> + '_ {
        self.inner.changes.notified()
    }

    /// Waits until the caches of all waiting members have synced.
    ///
    /// # Errors
    ///
    /// The error of each cache that did not sync.
    pub(super) async fn synced(&self) -> Result<(), Vec<CacheError>> {
        let waiting = {
            let state = self.inner.state.lock();
            let waiting = state.waiting.iter();
            wait_until_synced(waiting.flat_map(|member| &member.caches).collect())
        };
        waiting.await
    }

    pub(super) fn serves_conversions(&self) -> bool {
        self.inner.state.lock().serves_conversions
    }

    /// Refuses further components, and drops those that have not started. Releases the caches in
    /// [`ComponentsState::shared_caches`].
    pub(super) fn close(&self) {
        let mut state = self.inner.state.lock();
        state.is_closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        let shared_caches = std::mem::take(&mut state.shared_caches);
        drop(state);
        drop((waiting, shared_caches));
    }
}

impl ComponentsState {
    /// Returns `name` if it is free, or else the first free name of `name #2`, `name #3` ….
    fn free_name(&self, name: String) -> String {
        let numbered = (2..).map(|number: u32| format!("{name} #{number}"));
        let mut names = iter::once(name.clone()).chain(numbered);
        names.find(|it| !self.names.contains(it)).unwrap_or(name)
    }

    fn take(&mut self, phase: StartPhase) -> Option<Member> {
        let mut waiting = self.waiting.iter();
        let at = waiting.position(|member| member.is_for(phase))?;
        Some(self.waiting.remove(at))
    }
}

impl Member {
    /// Waits until the caches of the component have synced.
    pub(super) fn synced(
        &self,
    ) -> impl Future<Output = Result<(), Vec<CacheError>>> + Send + use<> {
        wait_until_synced(self.caches.iter().collect())
    }

    /// Runs the component until it ends, or until its group or its handle stops it.
    pub(super) async fn run(
        mut self,
        group: Run,
        timeouts: ShutdownTimeouts,
    ) -> Result<(), BoxError> {
        let Some(task) = self.task.take() else {
            return Ok(());
        };
        self.group = Some(group.stop.clone());
        let run = Run {
            stop: group.stop.child_token(),
            cancel: group.cancel.child_token(),
            end_requests: group.end_requests.child_token(),
        };
        let removal = self.handle.stop.clone();
        let work = AssertUnwindSafe(async { (task.run)(run.clone()).await }).catch_unwind();
        let mut work = pin!(work.map(flatten_panic));
        let ended = tokio::select! {
            biased;
            ended = work.as_mut() => ended,
            () = removal.cancelled() => {
                let stopped = timeouts.stop(&run, work).await;
                self.log_removal(&stopped);
                return Ok(());
            }
        };
        if ended.is_err() {
            self.share_caches();
        }
        ended
    }

    /// Logs the result of a removed component.
    fn log_removal(&self, stopped: &Option<Result<(), BoxError>>) {
        let component = &*self.name;
        match stopped {
            Some(Ok(())) => tracing::info!(component, "removed"),
            Some(Err(error)) => tracing::error!(component, error, "failed while stopping"),
            None => tracing::error!(component, "did not stop in time and was dropped"),
        }
    }

    /// Keeps the caches of this component for components that still run.
    fn share_caches(&mut self) {
        if let Some(components) = self.components.upgrade() {
            let mut state = components.state.lock();
            state.shared_caches.append(&mut self.caches);
        }
    }

    fn is_for(&self, phase: StartPhase) -> bool {
        self.task.as_ref().is_some_and(|task| task.phase == phase)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if self
            .group
            .as_ref()
            .is_some_and(CancellationToken::is_cancelled)
        {
            self.share_caches();
        }
        if let Some(components) = self.components.upgrade() {
            if self.has_readyz {
                components.readyz.remove(&self.name);
            }
            components.state.lock().names.remove(&self.name);
        }
    }
}

impl ComponentHandle {
    /// Removes the component from the manager, and waits until it has ended. A controller starts no
    /// new reconciles; running ones have the manager's whole shutdown timeout to end. Informers
    /// that no other component needs are stopped. After that, the name can be used again.
    ///
    /// A reconcile must not wait for the end of its own controller, because the controller waits
    /// for the reconcile.
    ///
    /// # Cancel safety
    ///
    /// The component ends even if the future is dropped.
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + use<> {
        self.stop.cancel();
        if let Some(components) = self.components.upgrade() {
            // A component that has not started yet never starts.
            let mut state = components.state.lock();
            let is_stopped = |member: &mut Member| member.handle.stop.is_cancelled();
            let stopped: Vec<_> = state.waiting.extract_if(.., is_stopped).collect();
            drop(state);
            drop(stopped);
        }
        self.ended()
    }

    /// Waits until the component has ended.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        self.ended.clone().cancelled_owned()
    }
}

impl fmt::Debug for ComponentsInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.state.lock().names).finish()
    }
}

/// Waits until the caches of the handles have synced. Each cache is waited for once, even if it has
/// several handles.
fn wait_until_synced(
    caches: Vec<&CacheHandle>,
) -> impl Future<Output = Result<(), Vec<CacheError>>> + Send + use<> {
    let mut distinct = Vec::<&CacheHandle>::new();
    for handle in caches {
        if !distinct.iter().any(|known| known.shares(handle)) {
            distinct.push(handle);
        }
    }
    let waiting = join_all(distinct.into_iter().map(CacheHandle::synced));
    waiting.map(|synced| {
        let failed: Vec<_> = synced.into_iter().filter_map(Result::err).collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(failed)
    })
}

fn flatten_panic(ended: std::thread::Result<Result<(), BoxError>>) -> Result<(), BoxError> {
    let panicked =
        |panic: Box<dyn Any + Send>| Err(format!("panicked: {}", panic_message(&*panic)).into());
    ended.unwrap_or_else(panicked)
}
