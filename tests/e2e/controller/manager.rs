//! Tests of managers on the real API server: servers, events, lease and failures.

use genclient::record::EventType;
use genclient_controller::Task;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Event;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller::manager::servers", servers);
    suite.both("controller::manager::events", events);
    suite.both("controller::manager::lease", lease);
    suite.both("controller::manager::failures", failures);
}

/// Returns the status and the body of an answer, if there is one.
async fn get(address: std::net::SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: tests\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// Probes and metrics are served while the manager runs, each only at its address.
async fn servers(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("servers").await?;
    let loopback = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let mut addresses = None;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| {
            builder
                .health_probe_bind_address(loopback)
                .metrics_bind_address(loopback)
        },
        |manager| {
            addresses = manager
                .health_probe_address()
                .zip(manager.metrics_address());
            manager.add(Controller::new(Counting::default()))
        },
    )
    .await?;
    let (probes, metrics) = addresses.ok_or("both are served")?;
    eventually("readiness", async || {
        let answer = get(probes, "/readyz")
            .await
            .map_err(|error| error.to_string())?;
        if answer.starts_with("HTTP/1.1 200") {
            Ok(())
        } else {
            Err(answer)
        }
    })
    .await?;
    for (address, path, status, text) in [
        (probes, "/healthz", 200, "ok"),
        (probes, "/readyz/caches", 200, "ok"),
        (probes, "/metrics", 404, "not found"),
        (
            metrics,
            "/metrics",
            200,
            "controller_runtime_reconcile_total",
        ),
        (metrics, "/metrics", 200, "workqueue_depth"),
        (metrics, "/healthz", 404, "not found"),
        (metrics, "/debug/pprof/", 404, "not found"),
    ] {
        let answer = get(address, path).await?;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{path}: {answer}"
        );
        assert!(answer.contains(text), "{path}: {answer}");
    }
    running.stop().await?;
    for address in [probes, metrics] {
        assert!(get(address, "/").await.is_err());
    }
    Ok(())
}

/// Events of a reconcile and of the manager, written before the run has returned.
async fn events(plane: &ControlPlane) -> Outcome {
    struct EventReconciler;

    impl Reconciler for EventReconciler {
        type Object = ConfigMap;

        async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
            cx.recorder()
                .event(&*map, EventType::Normal, "Told", "by the reconcile");
            Err(cx.refuse(&*map, "Refused", "it is refused"))
        }
    }

    let namespace = plane.create_namespace("events").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let map = config_map(&namespace, "one", "1")?;
    let map = maps.create(&PostParams::default(), &map).await?;
    let mut recorder = None;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            recorder = Some(manager.recorder().clone());
            manager.add(Controller::new(EventReconciler))
        },
    )
    .await?;
    let recorder = recorder.ok_or("the manager has one")?;
    recorder.event(&map, EventType::Warning, "Warned", "by the manager");
    tokio::time::sleep(Duration::from_secs(1)).await;
    running.stop().await?;
    let events: Api<Event> = Api::namespaced(plane.client(), &namespace);
    let events = events.list(&Default::default()).await?;
    let of_map = events.items.iter().filter(|event| {
        event.involved_object.uid == map.metadata.uid
            && event
                .source
                .as_ref()
                .and_then(|source| source.component.as_deref())
                == Some("controllers")
    });
    let mut reasons: Vec<_> = of_map
        .filter_map(|event| Some((event.type_.as_deref()?, event.reason.as_deref()?)))
        .collect();
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            ("Normal", "Told"),
            ("Warning", "Refused"),
            ("Warning", "Warned")
        ]
    );
    Ok(())
}

/// The lease is held while the manager runs, and released when it has ended. The new leader is
/// announced.
async fn lease(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("lease").await?;
    let running = Running::start(plane, &namespace, |builder| {
        elected(builder).leader_election_id("a-lease")
    })
    .await?;
    create_and_wait(plane, &namespace, "one", &running.counting).await?;
    let leases: Api<Lease> = Api::namespaced(plane.client(), &namespace);
    let held = leases.get("a-lease").await?.spec.ok_or("a lease")?;
    let holder = held.holder_identity.ok_or("a holder")?;
    assert_eq!(held.lease_duration_seconds, Some(3));
    running.stop().await?;
    let given_back = leases.get("a-lease").await?.spec.ok_or("a lease")?;
    assert_eq!(given_back.holder_identity.as_deref(), Some(""));
    let events: Api<Event> = Api::namespaced(plane.client(), &namespace);
    let events = events.list(&Default::default()).await?;
    let mut elections = events
        .items
        .iter()
        .filter_map(|event| event.message.as_deref());
    assert!(elections.any(|it| it.contains(&holder) && it.contains("became leader")));
    Ok(())
}

/// A component that fails ends the run after work under way has ended. The error is that of the
/// component.
async fn failures(plane: &ControlPlane) -> Outcome {
    for is_led in [false, true] {
        let namespace = plane.create_namespace("failures").await?;
        let counting = Counting::default();
        let ended = Running::start_with(
            plane,
            &namespace,
            |builder| if is_led { elected(builder) } else { builder },
            |manager| {
                manager.add(Controller::new(counting.clone()))?;
                let broken = Task::new("broken", |_| async {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    Err("told to".into())
                });
                manager.add(broken)
            },
        )
        .await?
        .run
        .await?;
        let error = ended.err().ok_or("it fails")?;
        let cause = std::error::Error::source(&error).ok_or("it has a cause")?;
        assert_eq!(format!("{error}: {cause}"), "`broken` failed: told to");
        // `kube-root-ca.crt` may exist, and no other object did.
        assert_eq!(counting.of("one"), 0);
    }
    Ok(())
}
