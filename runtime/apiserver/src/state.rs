//! [`ServerState`]: objects, kinds and settings of a server.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::addresses::Addresses;
use crate::admission::DynAdmissionPlugin;
use crate::clock::Clock;
use crate::controller_queue::ControllerQueue;
use crate::conversion_functions::ConversionFunctions;
use crate::faults::Faults;
use crate::feature_gate::FeatureGate;
use crate::kinds::Kinds;
use crate::rbac::AuthorizationState;
use crate::recorded_requests::RecordedRequest;
use crate::seed::Seed;
use crate::store::{GroupResource, Store};
use crate::watch_faults::WatchFaults;
use crate::webhook_services::WebhookServices;

/// Limit on concurrent requests other than watches; further requests wait. It is the sum of the
/// defaults of `--max-requests-inflight` and `--max-mutating-requests-inflight`.
const MAX_REQUESTS_IN_FLIGHT: usize = 600;

/// State of a server, which all its clones and clients share.
pub(crate) struct ServerState {
    pub(crate) store: Store,
    pub(crate) kinds: Kinds,
    pub(crate) clock: Clock,
    pub(crate) authorization: AuthorizationState,
    pub(crate) seed: Seed,
    pub(crate) conversions: ConversionFunctions,
    /// Feature gates that are on.
    pub(crate) feature_gates: BTreeSet<FeatureGate>,
    /// Upper limit of the random delay after which watches see a change.
    pub(crate) lag: Duration,
    pub(crate) namespaces: GroupResource,
    pub(crate) definitions: GroupResource,
    /// Locked while the served kinds are updated after a write of a CustomResourceDefinition, so
    /// that one such update runs at a time.
    pub(crate) settling: Mutex<()>,
    pub(crate) watch_faults: WatchFaults,
    /// Changes that the controllers have not processed.
    pub(crate) controller_queue: ControllerQueue,
    pub(crate) webhooks: WebhookServices,
    /// Admission plug-ins of the test, in the order in which they were added.
    pub(crate) admission: Vec<Box<dyn DynAdmissionPlugin>>,
    is_built: AtomicBool,
    pub(crate) in_flight: Semaphore,
    pub(crate) faults: Faults,
    pub(crate) addresses: Mutex<Addresses>,
    /// Received requests for objects.
    pub(crate) requests: Mutex<Vec<RecordedRequest>>,
}

impl ServerState {
    pub(crate) fn new(
        clock: Clock,
        seed: u64,
        lag: Duration,
        authorization: AuthorizationState,
    ) -> Self {
        Self {
            store: Store::default(),
            kinds: Kinds::default(),
            clock,
            authorization,
            seed: Seed::new(seed),
            conversions: ConversionFunctions::default(),
            feature_gates: BTreeSet::new(),
            lag,
            namespaces: GroupResource::new("", "namespaces"),
            definitions: GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions"),
            settling: Mutex::default(),
            watch_faults: WatchFaults::default(),
            controller_queue: ControllerQueue::default(),
            webhooks: WebhookServices::default(),
            admission: Vec::new(),
            is_built: AtomicBool::new(false),
            in_flight: Semaphore::new(MAX_REQUESTS_IN_FLIGHT),
            faults: Faults::default(),
            addresses: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    pub(crate) fn is_enabled(&self, gate: FeatureGate) -> bool {
        self.feature_gates.contains(&gate)
    }

    /// Returns whether the initial objects of the builder have been created. Before that, the
    /// test's admission plug-ins and admission webhooks are not called.
    pub(crate) fn is_built(&self) -> bool {
        self.is_built.load(Ordering::Acquire)
    }

    pub(crate) fn finish_building(&self) {
        self.is_built.store(true, Ordering::Release);
    }
}
