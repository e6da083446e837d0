//! Tests of startup and shutdown of a manager.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use genclient::kube::api::{Patch, PostParams};
use genclient::kube::client::Body;
use genclient_controller::{ReadError, Task, Watch};
use k8s_openapi::api::core::v1::Secret;
use tokio::time::Instant;

use super::*;
use crate::log::Log;

/// A reconciler that takes time, and records how it ended.
#[derive(Clone, Default)]
pub(super) struct Slow {
    begun: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    cancelled: Arc<AtomicBool>,
    dropped: Arc<AtomicUsize>,
    takes: Duration,
}

impl Slow {
    pub(super) fn taking(takes: Duration) -> Self {
        Self {
            takes,
            ..Self::default()
        }
    }

    /// Returns the number of reconciles that ended.
    pub(super) fn ended(&self) -> usize {
        self.ended.load(Ordering::Relaxed)
    }

    /// Returns the number of reconciles that were dropped or ended.
    pub(super) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Whether the stop token of a reconcile was cancelled.
    pub(super) fn was_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Reconciler for Slow {
    type Object = ConfigMap;

    async fn reconcile(&self, _object: Arc<ConfigMap>, cx: &Context) -> Result {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let _dropped = OnDrop(Arc::clone(&self.dropped));
        let (cancelled, stop) = (Arc::clone(&self.cancelled), cx.stop().clone());
        let cancelled = async move {
            stop.cancelled().await;
            cancelled.store(true, Ordering::Relaxed);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = advance(self.takes) => {}
            () = cancelled => {}
        }
        self.ended.fetch_add(1, Ordering::Relaxed);
        Ok(Action::done())
    }
}

/// Stops the manager while three objects are reconciled one after another. Returns the result, and
/// how long the stop took.
async fn stop_slow(slow: &Slow) -> (std::result::Result<(), RunError>, Duration) {
    let api = Api::new();
    for name in ["one", "two", "three"] {
        api.put("configmaps", config_map_json(name, "1"));
    }
    let running = Running::start(&api, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
    })
    .await;
    settle().await;
    let begun = Instant::now();
    (running.stop().await, begun.elapsed())
}

#[tokio::test(start_paused = true)]
async fn running_reconciles_finish_and_no_others_start() {
    let slow = Slow::taking(Duration::from_secs(10));
    let (stopped, took) = stop_slow(&slow).await;
    stopped.unwrap();
    assert_eq!(slow.begun.load(Ordering::Relaxed), 1);
    assert_eq!(slow.ended(), 1);
    assert!(!slow.was_cancelled());
    assert!((9..11).contains(&took.as_secs()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn stuck_reconcile_is_cancelled_and_then_dropped() {
    let slow = Slow::taking(Duration::from_secs(3600));
    let (stopped, took) = stop_slow(&slow).await;
    let error = stopped.unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmap did not stop within 25 s and was dropped"
    );
    assert!(slow.was_cancelled());
    assert_eq!(slow.ended(), 0);
    assert_eq!(slow.dropped(), 1);
    assert!((24..27).contains(&took.as_secs()), "{took:?}");
}

/// A reconciler that creates a Secret, and records how and when that fails.
#[derive(Clone, Default)]
struct Creator(Arc<Mutex<Vec<(String, u64)>>>);

impl Reconciler for Creator {
    type Object = ConfigMap;

    async fn reconcile(&self, _object: Arc<ConfigMap>, cx: &Context) -> Result {
        let begun = Instant::now();
        let secrets =
            genclient::kube::Api::<Secret>::namespaced(cx.client().live().clone(), "default");
        let secret = json!({"metadata": {"name": "one"}});
        let secret = serde_json::from_value(secret).unwrap();
        let failed = secrets
            .create(&PostParams::default(), &secret)
            .await
            .unwrap_err();
        let took = begun.elapsed().as_secs();
        self.0.lock().unwrap().push((failed.to_string(), took));
        Err(failed.into())
    }
}

/// Runs a [`Creator`]. The client of the program has no limit of its own, and gets no answer to a
/// `POST` of a Secret.
async fn start_unanswered_post(creator: &Creator) -> Running {
    unanswered_by(&Api::new(), creator, |builder| builder).await
}

async fn unanswered_by(
    api: &Api,
    creator: &Creator,
    settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
) -> Running {
    api.put("configmaps", config_map_json("one", "1"));
    let client = api.client();
    let deaf = tower::service_fn(move |request: http::Request<Body>| {
        let client = client.clone();
        async move {
            let is_of_secrets = request.uri().path().ends_with("/secrets");
            if request.method() == http::Method::POST && is_of_secrets {
                std::future::pending::<()>().await;
            }
            client.send(request).await
        }
    });
    let deaf = genclient::kube::Client::new(deaf, "default");
    Running::start_with(
        api,
        |builder| settings(builder.client(deaf)),
        |manager| {
            manager.add(Controller::new(creator.clone())).unwrap();
        },
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn unanswered_request_fails_its_reconcile() {
    let creator = Creator::default();
    let running = start_unanswered_post(&creator).await;
    advance(Duration::from_secs(66)).await;
    let failures = creator.0.lock().unwrap().clone();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(
        failures[0].0.contains("no response within 65s"),
        "{failures:?}"
    );
    assert_eq!(failures[0].1, 65);
    // The second attempt, after the pause of the first failure, ends before the shutdown does.
    advance(Duration::from_secs(60)).await;
    running.stop().await.unwrap();
    assert_eq!(creator.0.lock().unwrap().len(), 2);
}

/// A request that waits for longer than the shutdown may take: it fails, and the reconcile ends in
/// time.
#[tokio::test(start_paused = true)]
async fn unanswered_request_does_not_outlast_the_shutdown() {
    let creator = Creator::default();
    let running = start_unanswered_post(&creator).await;
    advance(Duration::from_secs(1)).await;
    let begun = Instant::now();
    running.stop().await.unwrap();
    // Between the cancellation of the stop token and the end of the work.
    assert!((20..25).contains(&begun.elapsed().as_secs()));
    let failures = creator.0.lock().unwrap().clone();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let expected = "the controller is being shut down";
    assert!(failures[0].0.contains(expected), "{failures:?}");
}

/// The requests of reconciles end with the leadership, and not only when the lease expires.
#[tokio::test(start_paused = true)]
async fn unanswered_request_does_not_outlast_the_lease() {
    let (api, creator) = (Api::new(), Creator::default());
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let running = unanswered_by(&api, &creator, elected).await;
    advance(Duration::from_secs(1)).await;
    let begun = Instant::now();
    for method in [http::Method::PUT, http::Method::PATCH] {
        api.refuse(method, "leases", 500, usize::MAX);
    }
    let error = running.run.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "leader election lost: failed to update lease: told to refuse"
    );
    // The renew deadline is 10 s, and the lease lasts 15 s.
    assert!((8..=12).contains(&begun.elapsed().as_secs()));
    let failures = creator.0.lock().unwrap().clone();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let expected = "the controller is being shut down";
    assert!(failures[0].0.contains(expected), "{failures:?}");
}

/// Reads the object that it has changed, whose watch event never arrives.
#[derive(Clone, Default)]
struct Reader(Arc<Mutex<Vec<String>>>);

impl Reconciler for Reader {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = ObjectName::from_object(&*object);
        let patch = Patch::Merge(json!({ "data": { "value": "2" } }));
        cx.client().patch::<ConfigMap, _>(&name, &patch).await?;
        let failed = cx.client().get::<ConfigMap>(&name).await.unwrap_err();
        assert!(matches!(failed, ReadError::ShuttingDown), "{failed}");
        self.0.lock().unwrap().push(failed.to_string());
        Err(failed.into())
    }
}

/// A read that the shutdown ends does not blame the cache.
#[tokio::test(start_paused = true)]
async fn read_that_waits_for_the_cache_does_not_outlast_the_shutdown() {
    let log = Log::default();
    // As in `log_names_cancelled_and_dropped_reconciles`.
    let _another = tracing::Dispatch::new(log.subscriber());
    let _listening = tracing::subscriber::set_default(log.subscriber());
    let (api, reader) = (Api::new(), Reader::default());
    api.put("configmaps", config_map_json("one", "1"));
    api.delay(|| Duration::from_secs(3600));
    let settings = |builder: ManagerBuilder| builder.read_timeout(Duration::from_secs(60));
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(Controller::new(reader.clone())).unwrap();
    })
    .await;
    advance(Duration::from_secs(1)).await;
    running.stop().await.unwrap();
    let failures = reader.0.lock().unwrap().clone();
    assert_eq!(failures, ["the controller is being shut down"]);
    let text = log.text();
    assert!(
        text.contains("reconcile failed error=the controller is being shut down"),
        "{text}"
    );
    assert!(!text.contains("stale"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn failed_sync_ends_the_run_with_every_cause() {
    let api = Api::new();
    api.refuse(http::Method::GET, "configmaps", 403, usize::MAX);
    api.refuse(http::Method::GET, "secrets", 404, usize::MAX);
    let scripted = Scripted::idle();
    let error = Running::start(&api, |manager| {
        let controller = scripted.controller();
        let secrets = Watch::<k8s_openapi::api::core::v1::Secret>::new();
        manager.add(controller.caches(secrets)).unwrap();
    })
    .await
    .run
    .await
    .unwrap()
    .unwrap_err();
    let RunError::Sync(errors) = &error else {
        panic!("{error}");
    };
    let codes: Vec<_> = errors.iter().map(|failed| failed.error.code()).collect();
    assert_eq!(codes, [Some(403), Some(404)]);
    let text = error.to_string();
    assert!(
        text.contains(r#"resources: ["configmaps"], verbs: ["list", "watch"]"#),
        "{text}"
    );
    assert!(text.contains("secrets.v1 cannot be cached"), "{text}");
    assert_eq!(scripted.names(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn component_that_fails_or_panics_ends_the_run() {
    for (panics, expected) in [
        (false, "`broken` failed: told to"),
        (true, "`broken` failed: panicked: told to"),
    ] {
        let slow = Slow::taking(Duration::from_secs(3));
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        let error = Running::start(&api, |manager| {
            manager.add(Controller::new(slow.clone())).unwrap();
            let broken = Task::new("broken", move |_| async move {
                settle().await;
                assert!(!panics, "told to");
                Err("told to".into())
            });
            manager.add(broken).unwrap();
        })
        .await
        .run
        .await
        .unwrap()
        .unwrap_err();
        assert_eq!(format_error_chain(&error), expected);
        // The running reconcile ended nevertheless.
        assert_eq!(slow.ended(), 1);
    }
}

/// After this time of refusals, a cache without `wait_for_crd` has failed to sync.
const LONG_UNSERVED: Duration = Duration::from_secs(20);

/// The CustomResourceDefinition is installed after the start.
#[tokio::test(start_paused = true)]
async fn wait_for_crd_waits_for_unserved_kinds() {
    for is_served in [true, false] {
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        api.refuse(http::Method::GET, "configmaps", 404, usize::MAX);
        let scripted = Scripted::idle();
        let watch = Watch::<ConfigMap>::new().wait_for_crd(Duration::from_secs(60));
        let running = Running::start(&api, |manager| {
            manager
                .add(Controller::watching(watch, scripted.clone()))
                .unwrap();
        })
        .await;
        let begun = Instant::now();
        if is_served {
            advance(LONG_UNSERVED).await;
            api.accept("configmaps");
        }
        while scripted.calls.lock().unwrap().is_empty() && !running.run.is_finished() {
            advance(millis(100)).await;
        }
        let waited = begun.elapsed().as_secs();
        if is_served {
            assert_eq!(scripted.names(), ["a/one"]);
            running.stop().await.unwrap();
        } else {
            assert!((60..75).contains(&waited), "{waited} s");
            let error = running.run.await.unwrap().unwrap_err();
            assert!(matches!(error, RunError::Sync(_)), "{error}");
        }
    }
}

/// Watches of one kind share a cache, which waits as long as the most patient of them.
#[tokio::test(start_paused = true)]
async fn wait_for_crd_is_the_longest_of_all_watches() {
    for waits in [[60, 1], [1, 60]] {
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        api.refuse(http::Method::GET, "configmaps", 404, usize::MAX);
        let scripted = Scripted::idle();
        let running = Running::start(&api, |manager| {
            for (name, seconds) in ["first", "second"].into_iter().zip(waits) {
                let patience = Duration::from_secs(seconds);
                let watch = Watch::<ConfigMap>::new().wait_for_crd(patience);
                let controller = Controller::watching(watch, scripted.clone());
                manager.add(controller.named(name)).unwrap();
            }
        })
        .await;
        advance(LONG_UNSERVED).await;
        api.accept("configmaps");
        advance(Duration::from_secs(40)).await;
        assert_eq!(scripted.names(), ["a/one", "a/one"], "{waits:?}");
        running.stop().await.unwrap();
    }
}

/// The rest of the timeout is for reconciles that end by their stop token.
#[tokio::test(start_paused = true)]
async fn reconciles_are_cancelled_after_two_thirds_of_the_timeout() {
    for (timeout, expected) in [(30, 20), (9, 6)] {
        let slow = Slow::taking(Duration::from_secs(3600));
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        let timeout = Duration::from_secs(timeout);
        let settings = |builder: ManagerBuilder| builder.graceful_shutdown_timeout(timeout);
        let running = Running::start_with(&api, settings, |manager| {
            manager.add(Controller::new(slow.clone())).unwrap();
        })
        .await;
        settle().await;
        running.stop.cancel();
        advance(Duration::from_secs(expected) - millis(100)).await;
        assert!(!slow.was_cancelled(), "{timeout:?}");
        advance(millis(200)).await;
        assert!(slow.was_cancelled(), "{timeout:?}");
        running.stop().await.unwrap_err();
    }
}

/// The log has two lines: that reconciles have to end, and which reconcile was dropped.
#[tokio::test(start_paused = true)]
async fn log_names_cancelled_and_dropped_reconciles() {
    let log = Log::default();
    // With only one subscriber, tracing caches whether a callsite is enabled, and other tests would
    // decide this.
    let _another = tracing::Dispatch::new(log.subscriber());
    let _listening = tracing::subscriber::set_default(log.subscriber());
    let slow = Slow {
        takes: Duration::from_secs(3600),
        ..Slow::default()
    };
    let (stopped, _) = stop_slow(&slow).await;
    assert!(stopped.is_err());
    let text = log.text();
    let line = |of: &str| {
        text.lines()
            .find(|line| line.contains(of))
            .unwrap_or_default()
    };
    let told = line("canceling reconciles");
    assert!(told.contains(r#"controller="configmap""#), "{text}");
    let dropped = line("reconcile was dropped before it ended");
    // Any of the three objects may be reconciled first.
    assert!(dropped.contains(r#"namespace="a" name=""#), "{text}");
}

#[tokio::test(start_paused = true)]
async fn lost_lease_ends_the_run_with_the_cause() {
    let api = Api::new();
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let running = Running::start_with(&api, elected, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
    })
    .await;
    settle().await;
    let mut lease = api.get("leases", "default", "tests").unwrap();
    lease["spec"]["holderIdentity"] = "other".into();
    api.put("leases", lease);
    let error = running.run.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "leader election lost, and the work was dropped: the lease is held by `other`"
    );
}

/// Work, events and servers together end within one deadline.
#[tokio::test(start_paused = true)]
async fn graceful_shutdown_shares_one_deadline() {
    let slow = Slow::taking(Duration::from_secs(3600));
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    api.refuse(http::Method::POST, "events", 503, usize::MAX);
    let running = Running::start(&api, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
        let never = Task::new("server", |_| std::future::pending()).as_server();
        manager.add(never).unwrap();
        let recorder = manager.recorder().clone();
        let event = genclient::record::EventType::Normal;
        recorder.event(&ConfigMap::default(), event, "Begun", "it has begun");
    })
    .await;
    settle().await;
    let begun = Instant::now();
    let error = running.stop().await.unwrap_err();
    assert!(
        error.to_string().starts_with("configmap did not"),
        "{error}"
    );
    assert!(
        (26..=30).contains(&begun.elapsed().as_secs()),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn started_manager_ends_on_shutdown_and_on_failure() {
    let started = async |fails: bool| {
        let api = Api::new();
        let builder = Manager::builder("tests").client(api.client());
        let mut manager = builder.build().await.unwrap();
        let task = Task::new("told", move |run| async move {
            if fails {
                Err("told to".into())
            } else {
                run.stop.cancelled().await;
                Ok(())
            }
        });
        manager.add(task).unwrap();
        manager.start()
    };
    started(false).await.shutdown().await.unwrap();
    let minute = Duration::from_secs(60);
    assert!(
        tokio::time::timeout(minute, started(false).await.ended())
            .await
            .is_err(),
        "nobody has stopped it"
    );
    let failed = started(true).await.ended().await.unwrap_err();
    assert_eq!(failed.to_string(), "`told` failed");
    let running = started(true).await;
    advance(minute).await;
    let failed = running.shutdown().await.unwrap_err();
    assert_eq!(failed.to_string(), "`told` failed");
}

#[tokio::test(start_paused = true)]
async fn controllers_are_listed_until_a_reconcile_succeeds() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let builder = Manager::builder("tests").client(api.client());
    let mut manager = builder.build().await.unwrap();
    let outcomes = [
        ("done", Action::done(), 0),
        ("again", Action::after(Duration::from_secs(600)), 0),
        ("late", Action::done(), 3),
        ("never", Action::done(), u32::MAX),
    ];
    for (name, action, failures) in outcomes {
        let scripted = Scripted::new(move |call, _| {
            if call.attempt <= failures {
                Err(failure("not yet"))
            } else {
                Ok(action)
            }
        });
        manager.add(scripted.controller().named(name)).unwrap();
    }
    let running = manager.start();
    let all = ["again", "done", "late", "never"];
    assert_eq!(running.controllers_without_success(), all);
    advance(Duration::from_millis(1)).await;
    assert_eq!(running.controllers_without_success(), ["late", "never"]);
    advance(Duration::from_secs(60)).await;
    assert_eq!(running.controllers_without_success(), ["never"]);
    running.shutdown().await.unwrap();
}
