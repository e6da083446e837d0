//! Tests of adding components to a running manager, and of removing them.

use genclient_controller::{ManagerHandle, SetupError, Task, Watch};
use k8s_openapi::api::core::v1::{Pod, Secret};
use tokio::time::{Instant, timeout};

use super::*;

/// Starts a manager with the controller `first` of ConfigMaps. Also returns a handle for adding
/// other components.
async fn start_with_first(api: &Api, first: &Scripted) -> (Running, ManagerHandle) {
    start_with_settings_and_first(api, |builder| builder, first).await
}

async fn start_with_settings_and_first(
    api: &Api,
    settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
    first: &Scripted,
) -> (Running, ManagerHandle) {
    let mut handle = None;
    let running = Running::start_with(api, settings, |manager| {
        manager.add(first.controller().named("first")).unwrap();
        handle = Some(manager.handle());
    })
    .await;
    settle().await;
    (running, handle.unwrap())
}

fn count_tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

fn secret(name: &str) -> Value {
    json!({ "metadata": { "namespace": "a", "name": name } })
}

fn late_controller(scripted: &Scripted) -> Controller<Request> {
    let names = |secret: &Secret| [ObjectName::from_object(secret)];
    let controller = scripted.controller().named("late");
    controller.watches(Watch::<Secret>::new(), names)
}

/// The second controller is added and removed twice, with changes in between.
#[tokio::test(start_paused = true)]
async fn added_controllers_start_with_synced_caches_and_leak_nothing() {
    let api = Api::new();
    let (first, second) = (Scripted::idle(), Scripted::idle());
    let (running, manager) = start_with_first(&api, &first).await;
    let before = count_tasks();
    for round in ["one", "two"] {
        api.put("secrets", secret(round));
        api.put("configmaps", config_map_json(round, "1"));
        settle().await;
        assert_eq!(first.names(), [format!("a/{round}")]);
        let handle = manager.add(late_controller(&second)).await.unwrap();
        let name = ObjectName::namespaced("a", round);
        let cached = manager.client().get::<Secret>(&name).await.unwrap();
        assert!(cached.is_some());
        settle().await;
        let expected = if round == "one" { 1 } else { 2 };
        let calls = second.take();
        assert_eq!(calls.len(), expected);
        assert!(
            calls
                .iter()
                .all(|call| call.reasons == ["ConfigMap listed", "Secret listed"])
        );
        assert_eq!((api.watches("configmaps"), api.watches("secrets")), (1, 1));
        handle.shutdown().await;
        settle().await;
        // The first controller still needs ConfigMaps.
        assert_eq!((api.watches("configmaps"), api.watches("secrets")), (1, 0));
        assert_eq!(count_tasks(), before);
        api.put("secrets", secret("unseen"));
        api.remove("secrets", "a", "unseen");
        settle().await;
        assert_eq!(second.names(), [""; 0]);
        let error = manager.client().get::<Secret>(&name).await.unwrap_err();
        assert!(error.to_string().contains("is not cached"), "{error}");
    }
    running.stop().await.unwrap();
}

/// A component that waits for a lease ends with the run, although it never started. A handle of
/// the manager keeps nothing of it.
#[tokio::test(start_paused = true)]
async fn component_that_never_started_ends_with_the_run() {
    let api = Api::new();
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let (leading, _) = start_with_settings_and_first(&api, elected, &Scripted::idle()).await;
    let (waiting, manager) = start_with_settings_and_first(&api, elected, &Scripted::idle()).await;
    let task = Task::new("task", |_| async { Err("needs the lease".into()) });
    let task = manager.add(task).await.unwrap();
    waiting.stop.cancel();
    let late = Task::new("late", |_| async { Err("the run is over".into()) });
    let late = manager.add(late).await.unwrap();
    waiting.stop().await.unwrap();
    for component in [task, late] {
        let ended = timeout(Duration::from_secs(1), component.ended()).await;
        assert!(ended.is_ok(), "it waits for a run that is over");
    }
    let task = Task::new("task", |_| async { Ok(()) });
    assert!(matches!(manager.add(task).await, Err(SetupError::Stopped(name)) if name == "task"));
    drop(manager);
    leading.stop().await.unwrap();
}

/// A running reconcile may end within the grace period. Two thirds into it, its stop token is
/// cancelled.
#[tokio::test(start_paused = true)]
async fn removed_controllers_finish_running_reconciles() {
    struct Slow(Arc<Mutex<Vec<&'static str>>>, Duration);

    impl Reconciler for Slow {
        type Object = Secret;

        async fn reconcile(&self, _secret: Arc<Secret>, cx: &Context) -> Result {
            let says = |what| self.0.lock().unwrap().push(what);
            tokio::select! {
                () = advance(self.1) => says("done"),
                () = cx.stop().cancelled() => {
                    says("told");
                    advance(self.1).await;
                    says("done");
                }
            }
            Ok(Action::done())
        }
    }

    for (takes, expected, least) in [
        (10, &["done"][..], 9),
        (19, &["done"], 18),
        (21, &["told"], 29),
        (25, &["told"], 29),
        (600, &["told"], 29),
    ] {
        let api = Api::new();
        api.put("secrets", secret("one"));
        let (running, manager) = start_with_first(&api, &Scripted::idle()).await;
        let said = Arc::default();
        let slow = Slow(Arc::clone(&said), Duration::from_secs(takes));
        let handle = manager.add(Controller::new(slow)).await.unwrap();
        settle().await;
        let begun = Instant::now();
        handle.shutdown().await;
        let took = begun.elapsed().as_secs();
        assert!((least..least + 2).contains(&took), "{takes}: {took}");
        assert_eq!(*said.lock().unwrap(), expected);
        // Removing the controller does not end other components.
        assert!(!running.run.is_finished());
        running.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn failed_cache_sync_fails_only_the_added_controller() {
    let api = Api::new();
    api.refuse(http::Method::GET, "secrets", 403, usize::MAX);
    let (first, second) = (Scripted::idle(), Scripted::idle());
    let (running, manager) = start_with_first(&api, &first).await;
    let before = count_tasks();
    for is_dropped in [false, true] {
        let adding = timeout(
            Duration::from_secs(5),
            manager.add(late_controller(&second)),
        );
        if is_dropped {
            assert!(adding.await.is_err());
        } else {
            let error = manager.add(late_controller(&second)).await.unwrap_err();
            assert!(matches!(error, SetupError::Sync(_)), "{error}");
            assert!(
                error.to_string().contains(r#"resources: ["secrets"]"#),
                "{error}"
            );
        }
        settle().await;
        assert_eq!(count_tasks(), before);
    }
    api.refuse(http::Method::GET, "secrets", 403, 0);
    api.put("configmaps", config_map_json("one", "1"));
    settle().await;
    assert_eq!(
        (first.names(), second.names()),
        (vec!["a/one".to_owned()], vec![])
    );
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn names_of_ended_components_can_be_reused() {
    let api = Api::new();
    let (running, manager) = start_with_first(&api, &Scripted::idle()).await;
    // The readiness check has the same name.
    let sleeps = |seconds| {
        let task = Task::new("late", move |_| async move {
            advance(Duration::from_secs(seconds)).await;
            Ok(())
        });
        task.ready(|| Ok(()))
    };
    let handle = manager.add(sleeps(1)).await.unwrap();
    let error = manager.add(sleeps(1)).await.unwrap_err();
    assert!(matches!(error, SetupError::SameName(name) if name == "late"));
    handle.ended().await;
    let handle = manager.add(sleeps(600)).await.unwrap();
    // A task that ignores its token is dropped at the end of the grace period.
    handle.shutdown().await;
    manager.add(sleeps(1)).await.unwrap();
    running.stop().await.unwrap();
    let error = manager.add(sleeps(1)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot add `late`: the manager has stopped"
    );
}

/// Components wait before the run, and on a replica that does not lead.
#[tokio::test(start_paused = true)]
async fn waiting_components_can_be_removed() {
    let api = Api::new();
    let begun = Arc::new(Mutex::new(Vec::new()));
    let task = |name: &'static str| {
        let begun = Arc::clone(&begun);
        Task::new(name, move |_| async move {
            begun.lock().unwrap().push(name);
            Ok(())
        })
    };
    let mut handle = None;
    let leader = json!({
        "metadata": { "namespace": "default", "name": "tests" },
        "spec": { "holderIdentity": "other", "leaseDurationSeconds": 3600,
                  "acquireTime": "2026-01-01T00:00:00.000000Z", "renewTime": "2026-01-01T00:00:00.000000Z" },
    });
    api.put("leases", leader);
    let elected = |builder: ManagerBuilder| {
        builder
            .leader_election(true)
            .lease_duration(Duration::from_secs(3600))
    };
    let running = Running::start_with(&api, elected, |manager| {
        let removed = manager.add(task("removed")).unwrap();
        drop(removed.shutdown());
        manager.add(task("everywhere").on_every_replica()).unwrap();
        handle = Some(manager.handle());
    })
    .await;
    settle().await;
    let manager = handle.unwrap();
    manager
        .add(task("second").on_every_replica())
        .await
        .unwrap();
    let waits = manager
        .add(late_controller(&Scripted::idle()))
        .await
        .unwrap();
    settle().await;
    assert_eq!(api.watches("secrets"), 1);
    waits.shutdown().await;
    settle().await;
    assert_eq!(api.watches("secrets"), 0);
    assert_eq!(*begun.lock().unwrap(), ["everywhere", "second"]);
    running.stop().await.unwrap();
}

/// A reconcile adds a controller, and the informer of that controller fails.
#[tokio::test(start_paused = true)]
async fn components_can_add_components_during_the_run() {
    let api = Api::new();
    api.put("pods", secret("one"));
    let first = Scripted::idle();
    let (running, manager) = start_with_first(&api, &first).await;
    let added = Arc::new(Mutex::new(false));
    let done = Arc::clone(&added);
    let adding = manager.clone();
    let adder = Task::new("adder", move |_| async move {
        let scripted = Scripted::idle();
        let controller = scripted
            .controller()
            .named("pods")
            .caches(Watch::<Pod>::new());
        adding.add(controller).await?;
        *done.lock().unwrap() = true;
        Ok(())
    });
    manager.add(adder).await.unwrap();
    settle().await;
    assert!(*added.lock().unwrap());
    let broken = Task::new("broken", |_| async { Err("told to".into()) });
    manager.add(broken).await.unwrap();
    let error = running.run.await.unwrap().unwrap_err();
    assert_eq!(format_error_chain(&error), "`broken` failed: told to");
}

/// Closures in the same function have the same type name.
#[tokio::test(start_paused = true)]
async fn closures_get_distinct_component_names() {
    let api = Api::new();
    let begun = Arc::new(Mutex::new(0));
    let running = Running::start(&api, |manager| {
        for _ in 0..3 {
            let begun = Arc::clone(&begun);
            let closure = async move |stop: CancellationToken| {
                *begun.lock().unwrap() += 1;
                stop.cancelled().await;
                Ok(())
            };
            manager.add(closure).unwrap();
        }
    })
    .await;
    settle().await;
    assert_eq!(*begun.lock().unwrap(), 3);
    running.stop().await.unwrap();
}

/// Nothing waits for the caches of a removed component.
#[tokio::test(start_paused = true)]
async fn component_can_be_removed_during_cache_sync() {
    let api = Api::new();
    api.refuse(http::Method::GET, "secrets", 503, usize::MAX);
    let (first, second) = (Scripted::idle(), Scripted::idle());
    let mut removed = None;
    let running = Running::start(&api, |manager| {
        manager.add(first.controller()).unwrap();
        removed = Some(manager.add(late_controller(&second)).unwrap());
    })
    .await;
    api.put("configmaps", config_map_json("one", "1"));
    settle().await;
    assert_eq!(first.names(), [""; 0]);
    removed.unwrap().shutdown().await;
    settle().await;
    assert_eq!(first.names(), ["a/one"]);
    running.stop().await.unwrap();
}

/// After the run, neither a controller runs nor one of its maps, which informers call.
#[tokio::test(flavor = "multi_thread")]
async fn map_functions_have_returned_when_the_run_ends() {
    let api = Api::new();
    let calls = Arc::new(Mutex::new((0, 0)));
    let counted = Arc::clone(&calls);
    let slow = move |secret: &Secret| {
        counted.lock().unwrap().0 += 1;
        std::thread::sleep(millis(300));
        counted.lock().unwrap().1 += 1;
        [ObjectName::from_object(secret)]
    };
    let running = Running::start(&api, |manager| {
        let controller = Scripted::idle().controller();
        manager
            .add(controller.watches(Watch::<Secret>::new(), slow))
            .unwrap();
    })
    .await;
    advance(millis(300)).await;
    api.put("secrets", secret("one"));
    while calls.lock().unwrap().0 == 0 {
        advance(millis(5)).await;
    }
    running.stop().await.unwrap();
    assert_eq!(*calls.lock().unwrap(), (1, 1));
}
