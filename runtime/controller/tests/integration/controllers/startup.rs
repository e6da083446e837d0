//! Tests of the start of a run, of the shutdown timeouts, and of leftover tasks.

use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient_controller::{ManagerFlags, Request, SetupError, Task, Watch, source};
use http::Request as HttpRequest;
use k8s_openapi::api::core::v1::{Pod, Secret};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::run::Slow;
use super::*;

/// Returns a connection that holds requests of `resource` until `released`.
pub(super) fn client_holding_requests(
    api: &Api,
    resource: &'static str,
    released: &CancellationToken,
) -> Client {
    let (client, released) = (api.client(), released.clone());
    let service = tower::service_fn(move |request: HttpRequest<Body>| {
        let (client, released) = (client.clone(), released.clone());
        async move {
            if request.uri().path().ends_with(resource) {
                released.cancelled().await;
            }
            client.send(request).await
        }
    });
    Client::new(service, "default")
}

/// The caches of every cluster sync before any component starts.
#[tokio::test(start_paused = true)]
async fn components_start_after_every_cache_is_synced() {
    for is_other_cluster in [false, true] {
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        let released = CancellationToken::new();
        let client = client_holding_requests(&api, "pods", &released);
        let scripted = Scripted::idle();
        let begun = Scripted::idle();
        let note = begun.clone();
        let settings = |builder: ManagerBuilder| {
            if is_other_cluster {
                builder
            } else {
                builder.client(client.clone())
            }
        };
        let running = Running::start_with(&api, settings, |manager| {
            let mut pods = Watch::<Pod>::new();
            if is_other_cluster {
                let other = manager.cluster("other", client.clone()).unwrap();
                pods = pods.in_cluster(&other);
            }
            manager.add(scripted.controller().caches(pods)).unwrap();
            let task = Task::new("task", move |_| async move {
                note.calls.lock().unwrap().push(Called::default());
                Ok(())
            });
            manager.add(task.on_every_replica()).unwrap();
        })
        .await;
        advance(Duration::from_secs(60)).await;
        assert_eq!((scripted.names().len(), begun.take().len()), (0, 0));
        released.cancel();
        advance(Duration::from_secs(5)).await;
        assert_eq!((scripted.names().len(), begun.take().len()), (1, 1));
        running.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn cache_sync_timeout_ends_the_run() {
    for (timeout, expected) in [(None, 120), (Some(10), 10), (Some(300), 300)] {
        let api = Api::new();
        let client = client_holding_requests(&api, "configmaps", &CancellationToken::new());
        let settings = |builder: ManagerBuilder| {
            let builder = builder.client(client);
            match timeout {
                Some(seconds) => builder.cache_sync_timeout(Duration::from_secs(seconds)),
                None => builder,
            }
        };
        let begun = Instant::now();
        let error = Running::start_with(&api, settings, |manager| {
            manager.add(Scripted::idle().controller()).unwrap();
        })
        .await
        .run
        .await
        .unwrap()
        .unwrap_err();
        assert!(matches!(error, RunError::Sync(_)), "{error}");
        assert_eq!(begun.elapsed().as_secs(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_during_cache_sync_is_not_an_error() {
    let api = Api::new();
    let client = client_holding_requests(&api, "configmaps", &CancellationToken::new());
    let scripted = Scripted::idle();
    let settings = |builder: ManagerBuilder| builder.client(client);
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(scripted.controller()).unwrap();
    })
    .await;
    advance(Duration::from_secs(1)).await;
    let begun = Instant::now();
    running.stop().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(scripted.names(), [""; 0]);
}

/// Therefore each initial object is reconciled once, however many watches enqueue it.
#[tokio::test(start_paused = true)]
async fn initial_objects_are_enqueued_before_the_first_reconcile() {
    let api = Api::new();
    for number in 0..100 {
        let name = format!("map-{number}");
        api.put("configmaps", config_map_json(&name, "1"));
        let metadata = json!({ "metadata": { "namespace": "a", "name": name } });
        api.put("pods", metadata.clone());
        api.put("secrets", metadata);
    }
    let scripted = Scripted::idle();
    let running = Running::start(&api, |manager| {
        let controller = scripted
            .controller()
            .watches(Watch::<Pod>::new(), |it: &Pod| {
                [ObjectName::from_object(it)]
            })
            .watches(Watch::<Secret>::new(), |it: &Secret| {
                [ObjectName::from_object(it)]
            });
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    let calls = scripted.take();
    assert_eq!(calls.len(), 100);
    let reasons = ["ConfigMap listed", "Pod listed", "Secret listed"];
    for call in calls {
        let mut found = call.reasons;
        found.sort();
        assert_eq!(found, reasons);
    }
    running.stop().await.unwrap();
}

/// Requests that are sent before the start are not lost. The end of a source ends nothing else.
#[tokio::test(start_paused = true)]
async fn sources_may_start_with_pending_requests_and_may_end() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let names = ["x", "y"].map(|name| ObjectName::namespaced("a", name));
    let running = Running::start(&api, |manager| {
        let sent = source::stream(futures::stream::iter(names));
        let never = source::every(Duration::ZERO, ObjectName::namespaced("a", "never"));
        let controller = scripted.controller().source(sent).source(never);
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    assert_eq!(scripted.names(), ["a/x", "a/y"]);
    api.put("configmaps", config_map_json("one", "1"));
    advance(Duration::from_secs(60)).await;
    assert_eq!(scripted.names(), ["a/one"]);
    running.stop().await.unwrap();
}

/// A source that fails.
struct Broken;

impl genclient_controller::Source<Request> for Broken {
    async fn run(
        self,
        _requests: genclient_controller::Requests<Request>,
    ) -> std::result::Result<(), BoxError> {
        Err("told to".into())
    }
}

#[tokio::test(start_paused = true)]
async fn source_that_fails_ends_the_run() {
    let api = Api::new();
    let error = Running::start(&api, |manager| {
        let controller = Scripted::idle().controller().source(Broken);
        manager.add(controller).unwrap();
    })
    .await
    .run
    .await
    .unwrap()
    .unwrap_err();
    assert_eq!(format_error_chain(&error), "`configmap` failed: told to");
}

/// Other components may read the caches until the run is over.
#[tokio::test(start_paused = true)]
async fn caches_of_a_failed_controller_can_be_read_during_the_shutdown() {
    let api = Api::new();
    let secret = json!({ "metadata": { "namespace": "a", "name": "one" } });
    api.put("secrets", secret);
    let found = Arc::new(Mutex::new(false));
    let noted = Arc::clone(&found);
    Running::start(&api, |manager| {
        let client = manager.client();
        let reader = Task::new("reader", move |run| async move {
            run.stop.cancelled().await;
            settle().await;
            let name = ObjectName::namespaced("a", "one");
            *noted.lock().unwrap() = client.get::<Secret>(&name).await?.is_some();
            Ok(())
        });
        manager.add(reader).unwrap();
        let controller = Scripted::idle()
            .controller()
            .source(Broken)
            .caches(Watch::<Secret>::new());
        manager.add(controller).unwrap();
    })
    .await
    .run
    .await
    .unwrap()
    .unwrap_err();
    assert!(*found.lock().unwrap());
}

/// The grace period is zero, or unlimited.
#[tokio::test(start_paused = true)]
async fn graceful_shutdown_timeout_may_be_zero_or_unlimited() {
    for (grace, ended, took) in [(Duration::ZERO, 0, 0), (Duration::MAX, 1, 3000)] {
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        let slow = Slow::taking(Duration::from_secs(3001));
        let settings = |builder: ManagerBuilder| builder.graceful_shutdown_timeout(grace);
        let running = Running::start_with(&api, settings, |manager| {
            manager.add(Controller::new(slow.clone())).unwrap();
        })
        .await;
        advance(Duration::from_secs(1)).await;
        let begun = Instant::now();
        let stopped = running.stop().await;
        assert_eq!(stopped.is_ok(), ended == 1, "{stopped:?}");
        assert_eq!((slow.ended(), begun.elapsed().as_secs()), (ended, took));
    }
}

/// The result is the first failure, even if other components do not end in time after it.
#[tokio::test(start_paused = true)]
async fn first_failure_is_returned_despite_stuck_components() {
    let api = Api::new();
    let error = Running::start(&api, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        let stuck = Task::new("stuck", |_| std::future::pending());
        let broken = Task::new("broken", |_| async { Err("told to".into()) });
        manager.add(stuck).unwrap();
        manager.add(broken).unwrap();
    })
    .await
    .run
    .await
    .unwrap()
    .unwrap_err();
    assert_eq!(format_error_chain(&error), "`broken` failed: told to");
}

/// A task may end before the run does. If it fails after the stop, the run fails.
#[tokio::test(start_paused = true)]
async fn components_may_end_before_the_run() {
    for fails in [false, true] {
        let api = Api::new();
        let scripted = Scripted::idle();
        let running = Running::start(&api, |manager| {
            manager.add(scripted.controller()).unwrap();
            manager.add(async |_: CancellationToken| Ok(())).unwrap();
            let told = Task::new("told", move |run| async move {
                run.stop.cancelled().await;
                if fails { Err("told to".into()) } else { Ok(()) }
            });
            manager.add(told).unwrap();
        })
        .await;
        advance(Duration::from_secs(5)).await;
        api.put("configmaps", config_map_json("one", "1"));
        settle().await;
        assert_eq!(scripted.names(), ["a/one"]);
        let stopped = running
            .stop()
            .await
            .map_err(|error| format_error_chain(&error));
        let expected = Err("`told` failed: told to".to_owned());
        assert_eq!(stopped, if fails { expected } else { Ok(()) });
    }
}

/// After each run, or if the manager never ran, the number of tasks is the same as before.
#[tokio::test(start_paused = true)]
async fn run_leaves_no_tasks_behind() {
    let alive = || Handle::current().metrics().num_alive_tasks();
    type Situation = fn(&Api, ManagerBuilder) -> ManagerBuilder;
    let situations: [(&str, Situation); 5] = [
        ("as usual", |_, builder| builder),
        ("with an election", |_, builder| {
            builder.leader_election(true)
        }),
        ("with servers", |_, builder| {
            builder
                .health_probe_bind_address(servers::LOOPBACK)
                .metrics_bind_address(servers::LOOPBACK)
        }),
        ("without grace", |_, builder| {
            builder.graceful_shutdown_timeout(Duration::ZERO)
        }),
        ("before the caches have synced", |api, builder| {
            builder.client(client_holding_requests(
                api,
                "configmaps",
                &CancellationToken::new(),
            ))
        }),
    ];
    for (situation, settings) in situations {
        for end in ["shut down", "dropped while it runs", "not run"] {
            let before = alive();
            let api = Api::new();
            api.put("configmaps", config_map_json("one", "1"));
            let slow = Slow::taking(Duration::from_secs(5));
            let builder = settings(&api, Manager::builder("tests").client(api.client()));
            let mut manager = builder.build().await.unwrap();
            manager.add(Controller::new(slow)).unwrap();
            let one: ConfigMap = serde_json::from_value(config_map_json("one", "1")).unwrap();
            let normal = genclient::record::EventType::Normal;
            manager.recorder().event(&one, normal, "Told", "to");
            if end == "not run" {
                drop(manager);
            } else {
                let running = manager.start();
                advance(Duration::from_secs(1)).await;
                if end == "shut down" {
                    // If there was no grace period, this is an error, which other tests check.
                    drop(running.shutdown().await);
                }
            }
            drop(api);
            advance(Duration::from_secs(30)).await;
            assert_eq!(alive(), before, "{situation}, {end}");
        }
    }
}

#[tokio::test]
async fn missing_kubeconfig_is_an_error() {
    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        manager: ManagerFlags,
    }

    let line = ["program", "--kubeconfig=/nonexistent/config"];
    let program = <Program as clap::Parser>::parse_from(line);
    let error = Manager::builder("tests")
        .flags(&program.manager)
        .build()
        .await
        .unwrap_err();
    assert!(matches!(error, SetupError::Config(_)), "{error}");
}
