//! [`CertRotator`]: control loop that issues certificates, stores them in a Secret, renews them,
//! and injects their authorities as `caBundle`.
//!
//! The leader renews and injects. While there is no leader, every replica does. If several replicas
//! write the Secret at once, the first succeeds, and the others get a conflict.
//!
//! The rotator waits neither for the manager's caches to sync nor for the leader election, which
//! follows. To list objects for the caches, the API server may have to call conversions of this
//! program, and these need certificates.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::stream::{self, BoxStream};
use futures::{StreamExt, future};
use genclient::informer::{Reachability, SharedInformerFactory};
use genclient::k8s_openapi::api::core::v1::Secret;
use genclient::kube::api::{Api, ApiResource, DynamicObject, PostParams};
use genclient::kube::core::Status;
use genclient::kube::{self, Client, ResourceExt as _};
use genclient::wait::Backoff;
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::bundle::{Bundle, Plan, Terms};
use super::inject::CaBundleTargets;
use crate::api_errors::{describe_error_with, is_missing_permission};
use crate::failure::BoxError;
use crate::tls::ServingCertificate;

/// Label of Secrets that a rotator has written.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// Minimum pause between two rounds of the control loop.
const MIN_ROUND_PAUSE: Duration = Duration::from_secs(1);
/// Maximum pause between two rounds, so that a replica notices that it has become the leader.
const MAX_ROUND_PAUSE: Duration = Duration::from_secs(30);
/// Pauses after failed rounds.
const FAILURE_BACKOFF: Backoff = Backoff {
    duration: MIN_ROUND_PAUSE,
    factor: 2.0,
    jitter: 0.1,
    steps: u32::MAX,
    cap: Some(MAX_ROUND_PAUSE),
};

/// Control loop for the certificates of a set of replicas.
pub(in crate::webhook) struct CertRotator {
    pub(in crate::webhook) client: Client,
    /// Shared with the caches of the manager.
    pub(in crate::webhook) reachability: Reachability,
    pub(in crate::webhook) namespace: String,
    pub(in crate::webhook) secret: String,
    pub(in crate::webhook) terms: Terms,
    pub(in crate::webhook) ca_targets: CaBundleTargets,
    pub(in crate::webhook) serving: ServingCertificate,
    pub(in crate::webhook) field_manager: Arc<str>,
    /// Whether this replica renews certificates and injects authorities.
    pub(in crate::webhook) is_active: Box<dyn Fn() -> bool + Send + Sync>,
    pub(in crate::webhook) readiness: Readiness,
    pub(in crate::webhook) state: RotatorState,
}

/// State of a replica between two rounds.
#[derive(Default)]
pub(in crate::webhook) struct RotatorState {
    /// The certificates that the replica presents.
    presented: Option<Bundle>,
    /// The authorities of the last injection, in PEM, and the time at which the wait of
    /// [`Self::trust_delay`] began.
    injected: Option<(Vec<u8>, Instant)>,
}

/// Whether the API server can call the webhooks. Once `Ok`, the value stays `Ok`: despite a later
/// error, such as an unreachable API server, the replica goes on to present its certificate.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct Readiness(Arc<Mutex<Result<(), String>>>);

impl Readiness {
    pub(in crate::webhook) fn new() -> Self {
        let not_yet = "the certificates have not been issued yet".to_owned();
        Self(Arc::new(Mutex::new(Err(not_yet))))
    }

    pub(in crate::webhook) fn check(&self) -> Result<(), String> {
        self.0.lock().clone()
    }

    pub(in crate::webhook) fn set(&self, readiness: Result<(), String>) {
        let mut current = self.0.lock();
        if current.is_err() {
            *current = readiness;
        }
    }
}

impl RotatorState {
    /// Returns the remaining time until the API servers trust the authorities `trusted`. The wait
    /// begins again if `trusted` differs from the last call, or if `is_new` tells that a `caBundle`
    /// differed from `trusted`.
    fn trust_delay(&mut self, trusted: Vec<u8>, is_new: bool, terms: &Terms) -> Duration {
        let injected = self.injected.take();
        let known = injected.filter(|(known, _)| !is_new && *known == trusted);
        let (_, since) = self
            .injected
            .insert(known.unwrap_or((trusted, Instant::now())));
        terms.trust_delay().saturating_sub(since.elapsed())
    }
}

impl CertRotator {
    /// Keeps the certificates valid until `stop` is cancelled.
    pub(in crate::webhook) async fn run(mut self, stop: CancellationToken) {
        let factories = self.factories();
        let changes = factories
            .iter()
            .map(subscribe_to_changes)
            .collect::<Vec<_>>();
        let mut changes = stream::select_all(changes).ready_chunks(1000);
        let rounds = async {
            let mut failures = FAILURE_BACKOFF;
            loop {
                let error = match self.run_round(SystemTime::now()).await {
                    Ok(pause) => {
                        failures = FAILURE_BACKOFF;
                        tokio::time::sleep(MIN_ROUND_PAUSE).await;
                        // A change and the timeout both start a round, which checks everything.
                        let rest = pause.saturating_sub(MIN_ROUND_PAUSE);
                        let _ = tokio::time::timeout(rest, changes.next()).await;
                        continue;
                    }
                    Err(error) => describe_error_with(&*error, |status| self.permissions(status)),
                };
                self.log(&error);
                self.readiness.set(Err(error));
                tokio::time::sleep(failures.step()).await;
            }
        };
        stop.run_until_cancelled(rounds).await;
        future::join_all(factories.iter().map(|(_, factory)| factory.shutdown())).await;
    }

    /// Returns how to grant what the program needs, if a permission is missing.
    fn permissions(&self, status: &Status) -> Option<String> {
        is_missing_permission(status).then(|| self.ca_targets.permissions(&self.namespace))
    }

    /// Logs the error of a round. In an outage, informers warn of it.
    fn log(&self, error: &str) {
        let (namespace, secret) = (&self.namespace, &self.secret);
        if self.reachability.is_reachable() {
            tracing::warn!(
                error,
                namespace,
                secret,
                "failed to update the webhook certificates"
            );
        } else {
            tracing::debug!(
                error,
                namespace,
                secret,
                "failed to update the webhook certificates"
            );
        }
    }

    /// Does one round: reads or issues, presents, injects and renews the certificates. Returns the
    /// pause before the next round.
    async fn run_round(&mut self, now: SystemTime) -> Result<Duration, BoxError> {
        let Some((secret, bundle)) = self.read_or_issue(now).await? else {
            return Ok(MIN_ROUND_PAUSE);
        };
        let presented = self.state.presented.as_ref();
        // A new certificate is presented at once if there is no old one, if the old one is not
        // trusted any more, or if both have the same authority, which is already trusted.
        if presented
            .is_none_or(|presented| !bundle.trusts(presented) || bundle.has_authority_of(presented))
        {
            self.present(&bundle)?;
        }
        let trusted = bundle.trusted();
        let is_active = (self.is_active)();
        let injected = self
            .ca_targets
            .inject(&self.client, &trusted, is_active, &self.field_manager)
            .await?;
        let trust_delay = self
            .state
            .trust_delay(trusted, injected.is_new, &self.terms);
        if trust_delay.is_zero() {
            self.present(&bundle)?;
        }
        let pause = if is_active {
            self.renew(secret, &bundle, trust_delay, now).await?
        } else {
            MAX_ROUND_PAUSE
        };
        if !injected.errors.is_empty() {
            let mut errors = injected.errors;
            if injected.is_forbidden {
                errors.push(self.ca_targets.permissions(&self.namespace));
            }
            return Err(errors.join("; ").into());
        }
        let not_yet = "the API server does not trust the certificates yet";
        let is_trusted = is_active || !injected.is_new;
        self.readiness.set(if is_trusted {
            Ok(())
        } else {
            Err(not_yet.to_owned())
        });
        let trust_delay = Some(trust_delay).filter(|trust_delay| !trust_delay.is_zero());
        Ok(pause
            .min(trust_delay.unwrap_or(MAX_ROUND_PAUSE))
            .min(MAX_ROUND_PAUSE))
    }

    /// Presents the certificate of a bundle from now on.
    fn present(&mut self, bundle: &Bundle) -> Result<(), BoxError> {
        self.serving.replace(&bundle.serving)?;
        self.state.presented = Some(bundle.clone());
        Ok(())
    }

    /// Replaces certificates that are due for renewal. Returns the time until the next renewal.
    async fn renew(
        &self,
        secret: Secret,
        bundle: &Bundle,
        trust_delay: Duration,
        now: SystemTime,
    ) -> Result<Duration, BoxError> {
        match bundle.plan(&self.terms, trust_delay, now)? {
            Plan::Wait(until) => Ok(until.duration_since(now).unwrap_or_default()),
            Plan::Replace(bundle) => {
                self.write(Some(secret), &bundle).await?;
                Ok(MIN_ROUND_PAUSE)
            }
        }
    }

    /// Returns the Secret and its certificates. Issues certificates if the Secret has none. `None`
    /// if another replica has written the Secret at the same time.
    async fn read_or_issue(&self, now: SystemTime) -> Result<Option<(Secret, Bundle)>, BoxError> {
        let secret = self.secrets().get_opt(&self.secret).await?;
        if let Some(secret) = &secret
            && let Some(bundle) = self.bundle(secret)?
        {
            return Ok(Some((secret.clone(), bundle)));
        }
        let bundle = Bundle::new(&self.terms, self.state.presented.as_ref(), now)?;
        let written = self.write(secret, &bundle).await?;
        Ok(written.map(|secret| (secret, bundle)))
    }

    /// Returns the certificates in a Secret. `None` if the Secret has no data, or if this program
    /// manages the Secret and the certificates in it are damaged.
    fn bundle(&self, secret: &Secret) -> Result<Option<Bundle>, BoxError> {
        let Some(data) = secret.data.as_ref().filter(|data| !data.is_empty()) else {
            return Ok(None);
        };
        let manager = secret.labels().get(MANAGED_BY);
        let hint = "use another Secret or `Certificates::files`";
        let secret_name = format!("Secret {}/{}", self.namespace, self.secret);
        if let Some(other) = manager.filter(|manager| **manager != *self.field_manager) {
            let error =
                format!("{secret_name} is managed by `{other}` (label `{MANAGED_BY}`): {hint}");
            return Err(error.into());
        }
        match Bundle::from_data(data) {
            Ok(bundle) => Ok(Some(bundle)),
            Err(error) if manager.is_some() => {
                tracing::error!(
                    error,
                    namespace = self.namespace,
                    secret = self.secret,
                    "invalid certificates; issuing new ones"
                );
                Ok(None)
            }
            Err(error) => {
                let error =
                    format!("{secret_name} is not managed by this program, and {error}: {hint}");
                Err(error.into())
            }
        }
    }

    /// Writes the Secret and returns it. `None` if another client has written it since it was read.
    async fn write(
        &self,
        secret: Option<Secret>,
        bundle: &Bundle,
    ) -> Result<Option<Secret>, BoxError> {
        let params = PostParams {
            field_manager: Some(self.field_manager.to_string()),
            ..PostParams::default()
        };
        let is_new = secret.is_none();
        let mut secret = secret.unwrap_or_else(|| Secret {
            type_: Some("kubernetes.io/tls".to_owned()),
            ..Secret::default()
        });
        let name = self.secret.clone();
        secret.metadata.name = Some(name.clone());
        let manager = self.field_manager.to_string();
        secret.labels_mut().insert(MANAGED_BY.to_owned(), manager);
        secret.data = Some(bundle.to_data());
        let written = if is_new {
            self.secrets().create(&params, &secret).await
        } else {
            self.secrets().replace(&name, &params, &secret).await
        };
        match written {
            Ok(written) => {
                tracing::info!(
                    namespace = self.namespace,
                    secret = name,
                    "issued the webhook certificates"
                );
                Ok(Some(written))
            }
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Returns an informer factory for each resource that the rotator reads.
    fn factories(&self) -> Vec<(ApiResource, SharedInformerFactory)> {
        let secret = ApiResource::erase::<Secret>(&());
        let fields = Some(format!("metadata.name={}", self.secret));
        let secret = (secret, fields, Some(&self.namespace));
        let ca_targets = self
            .ca_targets
            .objects
            .iter()
            .map(|it| (it.resource(), it.fields(), None));
        let watched = [secret].into_iter().chain(ca_targets);
        let factories = watched.map(|(resource, fields, namespace)| {
            let mut builder = SharedInformerFactory::builder(self.client.clone())
                .reachability(&self.reachability)
                .tweak_list_params(|params| params.fields = fields)
                .resync(Duration::ZERO);
            if let Some(namespace) = namespace {
                builder = builder.namespace(namespace);
            }
            (resource, builder.build())
        });
        factories.collect()
    }
}

/// Starts a factory. Returns a stream with an item for each change of its resource.
fn subscribe_to_changes(
    (resource, factory): &(ApiResource, SharedInformerFactory),
) -> BoxStream<'static, ()> {
    let informer = factory.metadata_informer_for_with::<DynamicObject>(resource.clone());
    let changes = informer.subscribe().map(drop).boxed();
    factory.start();
    changes
}
