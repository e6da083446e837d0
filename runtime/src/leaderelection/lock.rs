//! [`LeaseLock`]: the `Lease` as the lock of an election, with the record that it stores
//! (client-go, `tools/leaderelection/resourcelock/leaselock.go`).

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::ObjectMeta;
use kube::core::Status;
use kube::{Client, Config};
use parking_lot::Mutex;

use crate::client::{self, GetParams, PostParams, TypedClient};
use crate::host_name::HOST_NAME;
use crate::record::{EventRecorder, EventType};
use crate::wait::random;

/// `Lease` of `coordination.k8s.io/v1` with the identity of a candidate: client-go's `LeaseLock`.
#[derive(Debug)]
pub struct LeaseLock {
    leases: TypedClient<Lease>,
    namespace: String,
    name: String,
    identity: String,
    labels: BTreeMap<String, String>,
    recorder: Option<EventRecorder>,
    /// The lease as last read or written. Updates send its resource version.
    lease: Mutex<Option<Lease>>,
}

/// Content of a lease: client-go's `LeaderElectionRecord`, without the fields of coordinated leader
/// election.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// Identity of the holder; empty if the lease was released.
    pub(super) holder: String,
    /// Lease duration: other replicas take the lease if the record has not changed for this number
    /// of seconds.
    pub(super) lease_seconds: i32,
    /// How often the holder has changed.
    pub(super) transitions: i32,
    pub(super) acquire_time: Option<MicroTime>,
    pub(super) renew_time: Option<MicroTime>,
}

/// Returns an identity for [`LeaseLock`] that no other replica has: the host name and a random
/// number. In a Pod, the host name is the name of the Pod.
///
/// The identity differs after every start, so that a restarted program is not mistaken for the
/// previous holder.
///
/// ```
/// use genclient::leaderelection::unique_identity;
///
/// assert_ne!(unique_identity(), unique_identity());
/// ```
#[must_use]
pub fn unique_identity() -> String {
    let chance = format!("{:016x}{:016x}", random(), random());
    match HOST_NAME.as_ref() {
        Some(host) => format!("{host}_{chance}"),
        None => chance,
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    #[error("lease not initialized, call get or create first")]
    Uninitialized,
    #[error("no response within {0:?}")]
    TimedOut(Duration),
    /// An error response of the API server.
    #[error("{}", describe_refusal(.0, r#""get", "create", "update""#))]
    Refused(Box<Status>),
    #[error("{0}")]
    Request(#[source] kube::Error),
}

/// Returns the message of the API server. For 403, adds the RBAC rule to grant, with these verbs.
pub(crate) fn describe_refusal(status: &Status, verbs: &str) -> String {
    if status.code == 403 {
        format!(
            "{}; grant it through a Role with the rule {{apiGroups: [\"coordination.k8s.io\"], \
             resources: [\"leases\"], verbs: [{verbs}]}}",
            status.message
        )
    } else {
        status.message.clone()
    }
}

impl From<kube::Error> for LockError {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::Refused(status),
            error => Self::Request(error),
        }
    }
}

impl LockError {
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(status) if status.is_not_found())
    }

    /// Whether the API server rejected the request. After 5xx or without a response, it may have
    /// applied the request.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(status) if status.code < 500)
    }

    pub(super) fn is_conflict(&self) -> bool {
        matches!(self, Self::Refused(status) if status.is_conflict())
    }

    /// Whether another client has written the lease since it was read: it was changed or created.
    pub(super) fn is_preempted(&self) -> bool {
        matches!(self, Self::Refused(status) if status.code == 409)
    }
}

impl LeaseLock {
    /// Returns a lock on the lease `name` in `namespace` with its own connection, as client-go's
    /// `NewFromKubeconfig`. So renewals wait neither for other requests nor for a rate limit. The
    /// `User-Agent` ends in `/leader-election`.
    ///
    /// The call blocks while an exec plugin of the kubeconfig runs.
    ///
    /// The lease is created when it is acquired for the first time. `identity` must differ between
    /// replicas; [`unique_identity`](super::unique_identity) returns such an identity.
    ///
    /// # Errors
    ///
    /// If the credentials cannot be read, the TLS or proxy settings of `config` cannot be used, or
    /// the user agent is not a valid header.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which drives the connection.
    pub fn connect(
        config: Config,
        namespace: &str,
        name: &str,
        identity: &str,
    ) -> client::Result<Self> {
        let builder = client::builder(config).user_agent_suffix("/leader-election");
        let client = builder.connect()?;
        Ok(Self::new(client, namespace, name, identity))
    }

    /// Returns a lock on the lease `name` in `namespace` over an existing connection.
    ///
    /// Use a client with neither kube's retries nor a rate limit, as from [`client::connect`].
    #[must_use]
    pub fn new(client: Client, namespace: &str, name: &str, identity: &str) -> Self {
        Self {
            leases: TypedClient::namespaced(client, namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            identity: identity.to_owned(),
            labels: BTreeMap::new(),
            recorder: None,
            lease: Mutex::new(None),
        }
    }

    /// Records the events `became leader` and `stopped leading` about the lease.
    #[must_use]
    pub fn recorder(mut self, recorder: EventRecorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Sets these labels on the lease with every write. Other labels stay.
    #[must_use]
    pub fn labels<K: Into<String>, V: Into<String>>(
        mut self,
        labels: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let labels = labels.into_iter();
        self.labels
            .extend(labels.map(|(key, value)| (key.into(), value.into())));
        self
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    pub(super) async fn get(&self) -> Result<Record, LockError> {
        let lease = self.leases.get(&self.name, &GetParams::default()).await?;
        Ok(self.keep(lease))
    }

    /// Creates the lease. Returns the stored record.
    pub(super) async fn create(&self, record: &Record) -> Result<Record, LockError> {
        let lease = Lease {
            metadata: ObjectMeta {
                name: Some(self.name.clone()),
                namespace: Some(self.namespace.clone()),
                labels: (!self.labels.is_empty()).then(|| self.labels.clone()),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec::from(record)),
        };
        let lease = self.leases.create(&lease, &PostParams::default()).await?;
        Ok(self.keep(lease))
    }

    /// Replaces the lease if its resource version is still the one that was last read or written.
    /// Returns the stored record.
    pub(super) async fn update(&self, record: &Record) -> Result<Record, LockError> {
        let mut lease = self.lease.lock().clone().ok_or(LockError::Uninitialized)?;
        lease.spec = Some(LeaseSpec::from(record));
        if !self.labels.is_empty() {
            let labels = lease.metadata.labels.get_or_insert_default();
            labels.extend(self.labels.clone());
        }
        let lease = self.leases.update(&lease, &PostParams::default()).await?;
        Ok(self.keep(lease))
    }

    pub(super) fn record_event(&self, event: &str) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let metadata = self
            .lease
            .lock()
            .as_ref()
            .map(|lease| &lease.metadata)
            .cloned();
        let subject = Lease {
            metadata: metadata.unwrap_or_else(|| ObjectMeta {
                name: Some(self.name.clone()),
                namespace: Some(self.namespace.clone()),
                ..ObjectMeta::default()
            }),
            spec: None,
        };
        let message = format!("{} {event}", self.identity);
        recorder.event(&subject, EventType::Normal, "LeaderElection", message);
    }

    fn keep(&self, lease: Lease) -> Record {
        let record = lease.spec.as_ref().map(Record::from).unwrap_or_default();
        *self.lease.lock() = Some(lease);
        record
    }
}

/// Formats as `namespace/name`.
impl fmt::Display for LeaseLock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl From<&LeaseSpec> for Record {
    fn from(spec: &LeaseSpec) -> Self {
        Self {
            holder: spec.holder_identity.clone().unwrap_or_default(),
            lease_seconds: spec.lease_duration_seconds.unwrap_or_default(),
            transitions: spec.lease_transitions.unwrap_or_default(),
            acquire_time: spec.acquire_time.clone(),
            renew_time: spec.renew_time.clone(),
        }
    }
}

impl From<&Record> for LeaseSpec {
    fn from(record: &Record) -> Self {
        Self {
            holder_identity: Some(record.holder.clone()),
            lease_duration_seconds: Some(record.lease_seconds),
            lease_transitions: Some(record.transitions),
            acquire_time: record.acquire_time.clone(),
            renew_time: record.renew_time.clone(),
            ..Self::default()
        }
    }
}
