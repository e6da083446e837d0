//! Tests of leader election: components by replica, and release of the lease.

use genclient_controller::{SetupError, Task, Watch};
use k8s_openapi::api::core::v1::Pod;
use tokio::time::Instant;

use super::run::Slow;
use super::*;

fn with_leader_election(builder: ManagerBuilder) -> ManagerBuilder {
    builder.leader_election(true)
}

/// Returns the holder of the manager's default lease; empty if it was released.
fn lease_holder(api: &Api) -> String {
    let lease = api.get("leases", "default", "tests").unwrap_or_default();
    let holder = lease["spec"]["holderIdentity"].as_str();
    holder.unwrap_or_default().to_owned()
}

/// A replica that waits for the lease has synced caches, runs components that need no lease, and
/// stops without delay.
#[tokio::test(start_paused = true)]
async fn standby_syncs_caches_and_runs_components_without_election() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let leader = Scripted::idle();
    let leading = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(leader.controller()).unwrap();
    })
    .await;
    settle().await;
    assert_eq!(leader.names(), ["a/one"]);

    let (led, everywhere) = (Scripted::idle(), Scripted::idle());
    let mut client = None;
    let waiting = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(led.controller()).unwrap();
        let controller = everywhere.controller().named("everywhere");
        manager.add(controller.on_every_replica()).unwrap();
        let task = Task::new("task", |_| async { Err("needs the lease".into()) });
        manager.add(task).unwrap();
        client = Some(manager.client());
    })
    .await;
    advance(Duration::from_secs(60)).await;
    assert_eq!(everywhere.names(), ["a/one"]);
    let name = ObjectName::namespaced("a", "one");
    let cached = client.unwrap().get::<ConfigMap>(&name).await.unwrap();
    assert!(cached.is_some());
    let begun = Instant::now();
    waiting.stop().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(led.names(), [""; 0]);
    leading.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn lease_is_released_after_running_reconciles_end() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let slow = Slow::taking(Duration::from_secs(10));
    let running = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
    })
    .await;
    advance(Duration::from_secs(1)).await;
    let leader = lease_holder(&api);
    assert!(!leader.is_empty());
    running.stop.cancel();
    advance(Duration::from_secs(8)).await;
    assert_eq!((slow.ended(), lease_holder(&api)), (0, leader));
    running.stop().await.unwrap();
    assert_eq!((slow.ended(), lease_holder(&api)), (1, String::new()));
}

/// A lease that cannot be renewed is lost after the renew deadline. When it expires, nothing runs
/// any more.
#[tokio::test(start_paused = true)]
async fn lost_lease_drops_reconciles_before_it_expires() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let slow = Slow::taking(Duration::from_secs(3600));
    let running = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
    })
    .await;
    advance(Duration::from_secs(1)).await;
    let begun = Instant::now();
    api.refuse(http::Method::PUT, "leases", 500, usize::MAX);
    api.refuse(http::Method::PATCH, "leases", 500, usize::MAX);
    let error = running.run.await.unwrap().unwrap_err();
    assert!(matches!(error, RunError::LeadershipLost { .. }), "{error}");
    assert!(slow.was_cancelled());
    assert_eq!((slow.ended(), slow.dropped()), (0, 1));
    let took = begun.elapsed().as_secs();
    assert!((8..=15).contains(&took), "{took} s");
}

/// A lease that another replica holds is lost at once, whether or not a reconcile looks at its
/// token.
#[tokio::test(start_paused = true)]
async fn stolen_lease_drops_reconciles_at_once() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let slow = Slow::taking(Duration::from_secs(3600));
    let running = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
    })
    .await;
    advance(Duration::from_secs(3)).await;
    let mut lease = api.get("leases", "default", "tests").unwrap();
    lease["spec"]["holderIdentity"] = "other".into();
    api.put("leases", lease);
    let begun = Instant::now();
    let error = running.run.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "leader election lost, and the work was dropped: the lease is held by `other`"
    );
    assert_eq!((slow.ended(), slow.dropped()), (0, 1));
    let took = begun.elapsed();
    assert!(took <= Duration::from_secs(2), "{took:?}");
    assert_eq!(lease_holder(&api), "other");
}

/// If a component of the leader fails, the lease is not lost: other components have their grace,
/// and the lease is released after them.
#[tokio::test(start_paused = true)]
async fn failure_on_the_leader_leaves_other_components_their_grace() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let slow = Slow::taking(Duration::from_secs(10));
    let running = Running::start_with(&api, with_leader_election, |manager| {
        manager.add(Controller::new(slow.clone())).unwrap();
        let broken = Task::new("broken", |_| async {
            advance(Duration::from_secs(1)).await;
            Err("told to".into())
        });
        manager.add(broken).unwrap();
    })
    .await;
    advance(Duration::from_secs(5)).await;
    assert!(!slow.was_cancelled());
    assert!(!lease_holder(&api).is_empty());
    let error = running.run.await.unwrap().unwrap_err();
    assert_eq!(format_error_chain(&error), "`broken` failed: told to");
    assert_eq!((slow.ended(), slow.was_cancelled()), (1, false));
    assert_eq!(lease_holder(&api), "");
}

#[tokio::test(start_paused = true)]
async fn lease_has_the_configured_namespace_and_name() {
    type Settings = fn(ManagerBuilder) -> ManagerBuilder;
    let cases: [(Settings, (&str, &str)); 3] = [
        (|it| it, ("default", "tests")),
        (|it| it.leader_election_namespace("x"), ("x", "tests")),
        (|it| it.leader_election_id("y"), ("default", "y")),
    ];
    for (settings, (namespace, name)) in cases {
        let api = Api::new();
        let settings = |builder| settings(with_leader_election(builder));
        let running = Running::start_with(&api, settings, |manager| {
            manager.add(Scripted::idle().controller()).unwrap();
        })
        .await;
        settle().await;
        assert!(api.get("leases", namespace, name).is_some(), "{name}");
        running.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn inconsistent_election_settings_are_errors() {
    for (lease, renew, retry, is_right) in [
        (15, 10, 2, true),
        (10, 10, 2, false),
        (15, 2, 2, false),
        (15, 10, 0, false),
    ] {
        let builder = Manager::builder("tests").client(Api::new().client());
        let builder = with_leader_election(builder)
            .lease_duration(Duration::from_secs(lease))
            .renew_deadline(Duration::from_secs(renew))
            .retry_period(Duration::from_secs(retry));
        let built = builder.build().await;
        let is_refused = matches!(built, Err(SetupError::Election { .. }));
        assert_eq!(is_refused, !is_right, "{lease} {renew} {retry}");
    }
}

/// A replica caches objects while another one leads, and reconciles them when it becomes the
/// leader.
#[tokio::test(start_paused = true)]
async fn new_leader_reconciles_cached_objects() {
    let api = Api::new();
    let (first, second) = (Scripted::idle(), Scripted::idle());
    let mut replicas = Vec::new();
    for scripted in [&first, &second] {
        let running = Running::start_with(&api, with_leader_election, |manager| {
            let controller = scripted.controller().owns(Watch::<Pod>::new());
            manager.add(controller).unwrap();
        })
        .await;
        replicas.push(running);
        settle().await;
    }
    for name in ["one", "two"] {
        api.put("configmaps", config_map_json(name, "1"));
    }
    settle().await;
    assert_eq!((first.names().len(), second.names().len()), (2, 0));
    replicas.remove(0).stop().await.unwrap();
    advance(Duration::from_secs(5)).await;
    let mut names = second.names();
    names.sort();
    assert_eq!(names, ["a/one", "a/two"]);
    replicas.remove(0).stop().await.unwrap();
}
