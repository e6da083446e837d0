//! [`StorageMigration`]: rewrites the objects of a kind after a change of its storage version.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use genclient::client::{NotRetried, TypedClient};
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::kube::client::Body;
use genclient::kube::{self, Resource as _};
use genclient::metrics::{Counter, Gauge, Provider};
use genclient::scheme::Object;
use genclient::wait::{self, Backoff};
use genclient_apimachinery::storage_migration::{
    Answer, End, FailedObject, Migration, Options, Outcome, Refusal, Request, RequestId, Step,
};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::api_errors::describe_error;
use crate::component::{Component, Run, Task};
use crate::error::SetupError;
use crate::failure::BoxError;
use crate::metrics;
use crate::setup::Setup;

/// Default of [`StorageMigration::concurrency`].
const CONCURRENCY: usize = 8;

/// Limits each request. The API server itself ends a request after 60 s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(65);

/// Maximum number of failed objects that are logged by name.
const LOGGED_FAILURES: usize = 10;

/// Pauses after failed migrations.
const FAILURE_BACKOFF: Backoff = Backoff {
    duration: Duration::from_secs(60),
    factor: 2.0,
    jitter: 0.1,
    steps: u32::MAX,
    cap: Some(Duration::from_secs(3600)),
};

/// Rewrites the objects of a kind in its storage version, and then removes the other versions from
/// `status.storedVersions` of the CustomResourceDefinition, so that they can be removed from it.
///
/// The component runs on the leader. It watches the definition, and runs once after each start and
/// each change of the definition. A run lists the metadata of all objects. It writes only if
/// `status.storedVersions` has an old version, or if `managedFields` of an object name a version
/// that is not served. In both cases, the content of the objects does not change. Objects are not
/// cached.
///
/// A run has no effect unless `K` is the storage version: during a roll-out, an older program may
/// still lead.
///
/// If objects cannot be rewritten, because a conversion or admission webhook refuses them, the
/// others are, and `status.storedVersions` stays. The first ten are logged. The next run is after
/// the next change of the definition, or after a minute, which doubles up to an hour.
///
/// Counterparts are kube-storage-version-migrator and the `crdmigrator` of cluster-api.
/// `genclient migrate` does the same from a terminal.
///
/// # Permissions
///
/// `genclient update` infers them if the migration is added in the module of the controllers, such
/// as `pkg/controller`, or below it: `get`, `list` and `watch` of the definition,
/// `patch` of its status, and `get`, `list` and `patch` of the objects in all namespaces, and of
/// their status.
///
/// ```no_run
/// use genclient_controller::{Manager, SetupError, StorageMigration};
/// # use k8s_openapi::api::core::v1::ConfigMap as GPUTask;
///
/// fn add(manager: &mut Manager) -> Result<(), SetupError> {
///     manager.add(StorageMigration::<GPUTask>::new())?;
///     Ok(())
/// }
/// ```
#[must_use = "a migration does nothing until it is added to a manager"]
pub struct StorageMigration<K: Object> {
    types: K::DynamicType,
    concurrency: usize,
}

impl<K: Object<DynamicType: Default>> StorageMigration<K> {
    /// Migrates the objects of a kind.
    pub fn new() -> Self {
        Self::of(K::DynamicType::default())
    }
}

impl<K: Object<DynamicType: Default>> Default for StorageMigration<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object> StorageMigration<K> {
    /// Migrates the objects of a kind that is known only at run time. `types` describes the kind in
    /// its storage version.
    pub fn of(types: K::DynamicType) -> Self {
        Self {
            types,
            concurrency: CONCURRENCY,
        }
    }

    /// Sets the maximum number of concurrent writes. Default: 8.
    pub fn concurrency(mut self, writes: usize) -> Self {
        self.concurrency = writes;
        self
    }
}

impl<K: Object> Component for StorageMigration<K> {
    fn set_up(self, setup: &Setup) -> Result<Task, SetupError> {
        let (plural, group) = (K::plural(&self.types), K::group(&self.types));
        let name = format!("{plural}.{group}");
        let runner = MigrationRunner {
            client: setup.own_cluster().client().clone(),
            metrics: MigrationMetrics::new(&**setup.metrics(), &name),
            storage: K::version(&self.types).into_owned(),
            concurrency: self.concurrency,
            definition: name.clone(),
        };
        Ok(Task::new(format!("storage-migration:{name}"), |run| {
            runner.run(run)
        }))
    }
}

/// The state of a definition by which a run is due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DefinitionState {
    uid: Option<String>,
    generation: Option<i64>,
    stored_versions: Vec<String>,
    /// Whether both conditions are true without which a migration is refused.
    is_established: bool,
}

impl DefinitionState {
    fn of(definition: &CustomResourceDefinition) -> Self {
        let status = definition.status.as_ref();
        let stored_versions = status.and_then(|status| status.stored_versions.clone());
        let conditions = status.and_then(|status| status.conditions.as_ref());
        let is_true = |name: &str| {
            let mut conditions = conditions.into_iter().flatten();
            conditions.any(|it| it.type_ == name && it.status == "True")
        };
        Self {
            uid: definition.meta().uid.clone(),
            generation: definition.meta().generation,
            stored_versions: stored_versions.unwrap_or_default(),
            is_established: is_true("NamesAccepted") && is_true("Established"),
        }
    }
}

/// Runs the migrations of one kind.
struct MigrationRunner {
    client: kube::Client,
    metrics: MigrationMetrics,
    /// The name of the definition.
    definition: String,
    /// The version of the program's type.
    storage: String,
    concurrency: usize,
}

impl MigrationRunner {
    async fn run(self, run: Run) -> Result<(), BoxError> {
        let rounds = self.follow_definition(&run.stop);
        run.cancel.run_until_cancelled(rounds).await;
        Ok(())
    }

    /// Migrates the objects after each change of the definition, until `stop`. A wait ends at once.
    /// A migration awaits the answers to its requests.
    async fn follow_definition(&self, stop: &CancellationToken) {
        let mut handled = None;
        let mut failures = FAILURE_BACKOFF;
        loop {
            let change = self.wait_for_change(handled.as_ref());
            let mut state = match stop.run_until_cancelled(change).await {
                None => return,
                Some(Ok(state)) => state,
                Some(Err(error)) => {
                    self.warn(&describe_error(&error));
                    let pause = tokio::time::sleep(failures.step());
                    stop.run_until_cancelled(pause).await;
                    continue;
                }
            };
            let outcome = self.migrate(stop).await;
            let is_done = self.report(&outcome);
            if outcome.end == End::Migrated {
                // The run's own change is not a reason for another one.
                state.stored_versions = vec![self.storage.clone()];
            }
            handled = Some(state);
            if is_done {
                failures = FAILURE_BACKOFF;
                continue;
            }
            tokio::select! {
                () = tokio::time::sleep(failures.step()) => {}
                Ok(_) = self.wait_for_change(handled.as_ref()) => {}
                () = stop.cancelled() => {}
            }
            handled = None;
        }
    }

    /// Waits until the definition exists in another state.
    async fn wait_for_change(
        &self,
        handled: Option<&DefinitionState>,
    ) -> kube::Result<DefinitionState> {
        let definitions = TypedClient::<CustomResourceDefinition>::cluster(self.client.clone());
        let is_new = |definition: Option<&CustomResourceDefinition>| {
            definition.is_some_and(|it| Some(&DefinitionState::of(it)) != handled)
        };
        let found = wait::for_condition(&definitions, &self.definition, is_new).await?;
        Ok(found.as_ref().map(DefinitionState::of).unwrap_or_default())
    }

    /// Sends the requests of a migration until it ends. After `stop`, it ends with the answers to
    /// the requests in progress.
    async fn migrate(&self, stop: &CancellationToken) -> Outcome {
        let options = Options {
            dry_run: false,
            expected_storage: Some(self.storage.clone()),
            concurrency: self.concurrency,
            review_permissions: false,
        };
        let mut migration = Migration::new(self.definition.clone(), options);
        let mut requests = FuturesUnordered::new();
        loop {
            let now = since_epoch();
            match migration.next(now) {
                Step::Send(request) => requests.push(self.send(request)),
                Step::Wait(until) => {
                    let pause = until.map(|until| until.saturating_sub(now));
                    tokio::select! {
                        Some((id, answer)) = requests.next() => {
                            migration.answer(id, answer, since_epoch());
                        }
                        () = tokio::time::sleep(pause.unwrap_or(REQUEST_TIMEOUT)) => {}
                        () = stop.cancelled(), if !migration.is_ended() => migration.interrupt(),
                    }
                }
                Step::Done => return migration.into_outcome(),
            }
        }
    }

    async fn send(&self, request: Request) -> (RequestId, Answer) {
        let id = request.id;
        let answer = match tokio::time::timeout(REQUEST_TIMEOUT, self.exchange(request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Answer::Lost(describe_error(&*error)),
            Err(_) => Answer::TimedOut,
        };
        (id, answer)
    }

    async fn exchange(&self, request: Request) -> Result<Answer, BoxError> {
        let mut builder = http::Request::builder()
            .method(request.method)
            .uri(request.path)
            .header(ACCEPT, request.accept)
            // The migration retries by its own rules.
            .extension(NotRetried);
        let body = match request.body {
            Some((content_type, body)) => {
                builder = builder.header(CONTENT_TYPE, content_type);
                Body::from(serde_json::to_vec(&body)?)
            }
            None => Body::empty(),
        };
        let response = self.client.send(builder.body(body)?).await?;
        let code = response.status().as_u16();
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|it| it.to_str().ok()?.parse().ok());
        let body = response.into_body().collect().await?.to_bytes();
        Ok(Answer::Response {
            code,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            retry_after: seconds.map(Duration::from_secs),
        })
    }

    /// Logs and counts a migration. Returns false if it has to be repeated.
    fn report(&self, outcome: &Outcome) -> bool {
        let definition = &*self.definition;
        self.metrics.record(outcome);
        let progress = outcome.progress;
        match &outcome.end {
            End::Migrated => {
                let (storage, written) = (&*self.storage, progress.written);
                tracing::info!(
                    definition,
                    storage,
                    written,
                    "every object is stored as the storage version"
                );
                true
            }
            End::NothingToDo | End::Checked | End::Interrupted => true,
            End::Refused(Refusal::OtherStorage { cluster, types }) => {
                tracing::debug!(definition, cluster, types, "not the storage version");
                true
            }
            // The definition is watched. The API server may be about to establish it.
            End::Refused(refusal) => {
                tracing::debug!(definition, ?refusal, "the objects cannot be migrated now");
                !matches!(refusal, Refusal::NotEstablished(_))
            }
            End::Failed => {
                for failure in outcome.failures.iter().take(LOGGED_FAILURES) {
                    let object = match &failure.object {
                        FailedObject::Named(Some(namespace), name) => format!("{namespace}/{name}"),
                        FailedObject::Named(None, name) => name.clone(),
                        FailedObject::After(last) => {
                            format!("after {}", last.as_deref().unwrap_or_default())
                        }
                    };
                    let error = &*failure.message;
                    tracing::warn!(definition, object, error, "failed to rewrite an object");
                }
                let (count, total) = (progress.failed, progress.total());
                self.warn(&format!("{count} of {total} objects are not rewritten"));
                false
            }
            End::Forbidden(permissions) => {
                self.warn(&format!(
                    "missing permissions: {permissions:?}; run `genclient update` and deploy the roles"
                ));
                false
            }
            End::Changed => {
                self.warn("the definition was changed meanwhile");
                false
            }
            End::Stopped(message) => {
                self.warn(message);
                false
            }
        }
    }

    fn warn(&self, error: &str) {
        let definition = &*self.definition;
        tracing::warn!(definition, error, "failed to migrate the stored objects");
    }
}

/// Instruments of one kind.
struct MigrationMetrics {
    written: Arc<dyn Counter>,
    gone: Arc<dyn Counter>,
    failed: Arc<dyn Counter>,
    last_success: Arc<dyn Gauge>,
}

impl MigrationMetrics {
    fn new(provider: &dyn Provider, definition: &str) -> Self {
        let objects =
            |result| provider.counter(&metrics::STORAGE_MIGRATION_OBJECTS, &[definition, result]);
        Self {
            written: objects("written"),
            gone: objects("gone"),
            failed: objects("failed"),
            last_success: provider.gauge(&metrics::STORAGE_MIGRATION_LAST_SUCCESS, &[definition]),
        }
    }

    fn record(&self, outcome: &Outcome) {
        let progress = outcome.progress;
        self.written.add(progress.written);
        self.gone.add(progress.gone);
        self.failed.add(progress.failed);
        if matches!(outcome.end, End::Migrated | End::NothingToDo) {
            self.last_success.set(since_epoch().as_secs_f64());
        }
    }
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
