//! Tests of the component `StorageMigration`: when it runs, and how it stops.

use genclient::kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use genclient_controller::StorageMigration;
use http::Method;
use tokio::time::Instant;

use super::*;

const DEFINITIONS: &str = "customresourcedefinitions";

/// Starts a manager that migrates Beacons.
async fn start(api: &Api) -> Running {
    start_with(api, |builder| builder).await
}

async fn start_with(api: &Api, settings: fn(ManagerBuilder) -> ManagerBuilder) -> Running {
    let kind = GroupVersionKind::gvk("lab.example.com", "v1", "Beacon");
    let kind = ApiResource::from_gvk_with_plural(&kind, "beacons");
    let running = Running::start_with(api, settings, |manager| {
        let migration = StorageMigration::<DynamicObject>::of(kind);
        manager.add(migration.concurrency(4)).unwrap();
    })
    .await;
    settle().await;
    running
}

/// The definition of Beacons after a change of their storage version. `established` is the status
/// of its conditions.
fn definition(established: &str) -> Value {
    let condition = |name: &str| json!({ "type": name, "status": established });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "beacons.lab.example.com", "generation": 2,
            "managedFields": [
                { "time": "2026-01-01T00:00:00Z", "fieldsV1": { "f:spec": { "f:versions": {} } } },
            ],
        },
        "spec": {
            "group": "lab.example.com", "scope": "Namespaced",
            "names": { "plural": "beacons", "kind": "Beacon" },
            "versions": [
                { "name": "v1", "served": true, "storage": true },
                { "name": "v1beta1", "served": true, "storage": false },
            ],
        },
        "status": {
            "storedVersions": ["v1beta1", "v1"],
            "acceptedNames": { "plural": "beacons", "kind": "Beacon" },
            "conditions": [condition("NamesAccepted"), condition("Established")],
        },
    })
}

fn put_beacons(api: &Api) {
    for number in 0..20 {
        let name = format!("a{number:02}");
        api.put(
            "beacons",
            json!({ "metadata": { "namespace": "a", "name": name } }),
        );
    }
}

fn stored_versions(api: &Api) -> Value {
    let definition = api.get(DEFINITIONS, "", "beacons.lab.example.com").unwrap();
    definition["status"]["storedVersions"].clone()
}

fn count_of_beacons(writes: &[String]) -> usize {
    let beacons = writes.iter().filter(|write| write.contains("/beacons/"));
    beacons.count()
}

async fn stop(running: Running) -> Duration {
    let begun = Instant::now();
    running.stop().await.unwrap();
    begun.elapsed()
}

/// Nothing is waited for: neither the definition, nor the end of the pause after an error.
#[tokio::test(start_paused = true)]
async fn idle_migration_stops_at_once() {
    for code in [None, Some(403)] {
        let api = Api::new();
        if let Some(code) = code {
            api.refuse(Method::GET, DEFINITIONS, code, usize::MAX);
        }
        let running = start(&api).await;
        let time = stop(running).await;
        assert!(time < Duration::from_secs(1), "{code:?}: {time:?}");
    }
}

/// The writes in progress are answered, and no others begin.
#[tokio::test(start_paused = true)]
async fn running_migration_stops_after_its_writes() {
    let api = Api::new();
    put_beacons(&api);
    api.put(DEFINITIONS, definition("True"));
    api.delay_writes(Duration::from_secs(10));
    let running = start(&api).await;
    let time = stop(running).await;
    assert!((9..11).contains(&time.as_secs()), "{time:?}");
    let writes = api.writes();
    assert_eq!(writes.len(), 4, "{writes:?}");
    assert_eq!(stored_versions(&api), json!(["v1beta1", "v1"]));
}

/// A change of the conditions alone has the same generation.
#[tokio::test(start_paused = true)]
async fn migration_begins_once_the_definition_is_established() {
    let api = Api::new();
    put_beacons(&api);
    api.put(DEFINITIONS, definition("False"));
    let running = start(&api).await;
    assert_eq!(api.writes(), [""; 0]);
    api.put(DEFINITIONS, definition("True"));
    settle().await;
    assert_eq!(api.writes().len(), 21);
    assert_eq!(stored_versions(&api), json!(["v1"]));
    running.stop().await.unwrap();
}

/// A replica begins only once it leads. It cannot know which objects its predecessor has rewritten,
/// so it rewrites all.
#[tokio::test(start_paused = true)]
async fn next_leader_finishes_a_migration() {
    let api = Api::new();
    put_beacons(&api);
    api.put(DEFINITIONS, definition("True"));
    api.delay_writes(Duration::from_secs(1));
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let leading = start_with(&api, elected).await;
    let waiting = start_with(&api, elected).await;
    advance(Duration::from_millis(2500)).await;
    leading.stop().await.unwrap();
    assert_eq!(count_of_beacons(&api.writes()), 8);
    assert_eq!(stored_versions(&api), json!(["v1beta1", "v1"]));

    advance(Duration::from_secs(30)).await;
    assert_eq!(count_of_beacons(&api.writes()), 20);
    assert_eq!(stored_versions(&api), json!(["v1"]));
    waiting.stop().await.unwrap();
}
