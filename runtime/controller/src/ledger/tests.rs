//! Tests of the ledger.

use std::sync::Arc;

use serde_json::json;

use super::*;

/// A cache that shows nothing.
struct Blind;

impl Shows for Blind {
    fn shows(&self, _name: &ObjectName, _write: &Write) -> bool {
        false
    }
}

/// During its grace period, a Pod without finalizers still exists.
#[test]
fn removal_of_the_last_finalizer_is_a_deletion() {
    let deleted = "2026-01-01T00:00:00Z";
    for (finalizers, deleted, grace, is_gone) in [
        (json!(["a"]), None, None, false),
        (json!([]), None, None, false),
        (json!(["a"]), Some(deleted), Some(0), false),
        (json!([]), Some(deleted), Some(30), false),
        (json!([]), Some(deleted), Some(0), true),
        (json!([]), Some(deleted), None, true),
    ] {
        let ledger = Ledger::default();
        let target = WriteTarget::parse("/api/v1/namespaces/a/configmaps/one", false)
            .expect("the path is one of an object");
        let cache: Arc<dyn Shows> = Arc::new(Blind);
        ledger.watch(target.resource.clone(), Arc::downgrade(&cache));
        let mut metadata = json!({
            "namespace": "a", "name": "one", "uid": "7", "resourceVersion": "3",
            "finalizers": finalizers,
        });
        if let Some(deleted) = deleted {
            metadata["deletionTimestamp"] = deleted.into();
        }
        if let Some(grace) = grace {
            metadata["deletionGracePeriodSeconds"] = grace.into();
        }
        let body = json!({ "metadata": metadata }).to_string();
        ledger.record(&target, body.as_bytes(), Instant::now());
        let write = ledger
            .write(&target.resource, &ObjectName::namespaced("a", "one"))
            .unwrap_or_default();
        assert_eq!(write.is_gone, is_gone, "{body}");
        assert_eq!(write.deleted.is_some(), is_gone, "{body}");
    }
}

/// A cache that shows the objects of the namespace `shown`.
struct ShowsNamespace;

impl Shows for ShowsNamespace {
    fn shows(&self, name: &ObjectName, _write: &Write) -> bool {
        name.namespace() == Some("shown")
    }
}

/// Each eviction reads every write. So the limit is twice the number of writes that remain, and
/// small ledgers are never searched.
#[test]
fn shown_writes_are_evicted_above_the_limit() {
    let ledger = Ledger::default();
    let target =
        WriteTarget::parse("/api/v1/configmaps", false).expect("the path is one of a resource");
    let cache: Arc<dyn Shows> = Arc::new(ShowsNamespace);
    ledger.watch(target.resource.clone(), Arc::downgrade(&cache));
    let twice = 2 * (MIN_LIMIT + 1);
    // Namespace and number of the objects that are written, and the number of writes afterwards.
    for (round, (namespace, count, left)) in [
        ("shown", MIN_LIMIT, MIN_LIMIT),
        ("shown", 1, 0),
        ("shown", MIN_LIMIT, MIN_LIMIT),
        ("shown", 1, 0),
        ("hidden", MIN_LIMIT + 1, MIN_LIMIT + 1),
        ("shown", MIN_LIMIT + 1, twice),
        ("shown", 1, MIN_LIMIT + 1),
    ]
    .into_iter()
    .enumerate()
    {
        for object in 0..count {
            let name = format!("{round}-{object}");
            let body = json!({
                "metadata": { "namespace": namespace, "name": name, "resourceVersion": "1" },
            });
            ledger.record(&target, body.to_string().as_bytes(), Instant::now());
        }
        let writes = ledger.writes(&target.resource, None);
        assert_eq!(writes.len(), left, "{round}");
    }
}

const ONE: &str = "/api/v1/namespaces/a/configmaps/one";

/// Returns the recorded write of an object after these answers. Fields of an answer: whether the
/// request is a deletion, version, uid, whether the last finalizer was removed.
fn last_write(answers: &[(bool, &str, &str, bool)]) -> Write {
    let ledger = Ledger::default();
    let cache: Arc<dyn Shows> = Arc::new(Blind);
    let name = ObjectName::namespaced("a", "one");
    let sent = Instant::now();
    for &(is_deletion, version, uid, is_gone) in answers {
        let target = WriteTarget::parse(ONE, is_deletion).expect("the path is one of an object");
        ledger.watch(target.resource.clone(), Arc::downgrade(&cache));
        let mut body = json!({
            "metadata": { "namespace": "a", "name": "one", "uid": uid, "resourceVersion": version },
        });
        if is_gone {
            body["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        }
        ledger.record(&target, body.to_string().as_bytes(), sent);
    }
    let target = WriteTarget::parse(ONE, false).expect("the path is one of an object");
    ledger.write(&target.resource, &name).unwrap_or_default()
}

/// Concurrent requests are answered in any order.
#[test]
fn deletion_stays_recorded_after_a_late_patch_response() {
    let late_patch = last_write(&[(true, "4", "7", false), (false, "3", "7", false)]);
    assert_eq!(late_patch.deleted.as_deref(), Some("7"));
    assert_eq!(late_patch.version.as_deref(), Some("3"));
    let another = last_write(&[(true, "4", "7", false), (false, "5", "8", false)]);
    assert_eq!(another.deleted, None);
}

/// Another client may have created an object of the same name.
#[test]
fn deletion_of_a_recreated_object_may_wait_for_finalizers() {
    let same = last_write(&[(false, "3", "7", true), (true, "4", "7", false)]);
    assert_eq!((same.deleted.as_deref(), same.is_gone), (Some("7"), true));
    let another = last_write(&[(false, "3", "7", true), (true, "5", "8", false)]);
    assert_eq!(
        (another.deleted.as_deref(), another.is_gone),
        (Some("8"), false)
    );
}

/// Reads do not wait for a dry run, and must wait for every other write.
#[tokio::test]
async fn dry_runs_are_detected_by_their_query_parameter() {
    for (query, expected) in [
        ("?dryRun=All", true),
        ("?fieldManager=a&dryRun=All", true),
        ("?fieldManager=dryRun=", false),
        ("?noDryRun=dryRun=All", false),
        ("", false),
    ] {
        for method in [Method::PUT, Method::DELETE] {
            let request = Request::builder()
                .method(&method)
                .uri(format!("{ONE}{query}"))
                .body(Body::empty())
                .expect("the URI is valid");
            let found = detect_dry_run(request).await.expect("the body is empty");
            assert_eq!(found.1, expected, "{method} {query}");
        }
    }
}

#[test]
fn write_targets_are_parsed_from_request_paths() {
    let cases = [
        (
            "/api/v1/namespaces/default/pods",
            Some(("", "pods", Some("default"))),
        ),
        (
            "/api/v1/namespaces/default/pods/train/status",
            Some(("", "pods", Some("default"))),
        ),
        ("/api/v1/nodes/worker", Some(("", "nodes", None))),
        ("/api/v1/namespaces", Some(("", "namespaces", None))),
        ("/api/v1/namespaces/default", Some(("", "namespaces", None))),
        (
            "/api/v1/namespaces/default/finalize",
            Some(("", "namespaces", None)),
        ),
        (
            "/apis/apps/v1/namespaces/a/deployments/web/scale",
            Some(("apps", "deployments", Some("a"))),
        ),
        (
            "/apis/falldio.com/v1/gputasks",
            Some(("falldio.com", "gputasks", None)),
        ),
        ("/version", None),
        ("/apis/apps", None),
    ];
    for (path, expected) in cases {
        let target = WriteTarget::parse(path, false);
        let found = target.as_ref().map(|target| {
            let resource = &target.resource;
            (
                &*resource.group,
                &*resource.resource,
                target.namespace.as_deref(),
            )
        });
        assert_eq!(found, expected, "{path}");
    }
}

/// If a write is answered with a lower version than an earlier one of the same object, etcd was
/// restored, unless the answers only arrived in another order. Earlier writes with lower versions
/// may be writes since the restore.
#[tokio::test(start_paused = true)]
async fn lower_version_of_a_later_write_voids_the_writes_before() {
    let names = ["one", "two", "three", "four"].map(|name| ObjectName::namespaced("a", name));
    for (is_later, version, expected) in [
        (
            false,
            "40",
            [Some("90"), Some("95"), Some("30"), Some("35")],
        ),
        (true, "40", [Some("40"), None, Some("30"), Some("35")]),
        (true, "33", [Some("33"), None, Some("30"), None]),
        // A write without changes leaves the version as it is.
        (true, "90", [Some("90"), Some("95"), Some("30"), Some("35")]),
    ] {
        let ledger = Ledger::default();
        let cache: Arc<dyn Shows> = Arc::new(Blind);
        let target = WriteTarget::parse(ONE, false).expect("the path is one of an object");
        ledger.watch(target.resource.clone(), Arc::downgrade(&cache));
        let first_sent = Instant::now();
        let note = |name: &ObjectName, version: &str, sent| {
            let body = json!({
                "metadata": { "namespace": "a", "name": name.name(), "resourceVersion": version },
            });
            ledger.record(&target, body.to_string().as_bytes(), sent);
        };
        for (name, version) in names.iter().zip(["90", "95", "20", "35"]) {
            note(name, version, first_sent);
        }
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let sent = if is_later { Instant::now() } else { first_sent };
        // This write may be a later one.
        note(&names[2], "30", sent);
        note(&names[0], version, sent);
        let versions = names
            .each_ref()
            .map(|name| ledger.write(&target.resource, name)?.version);
        let found = versions.each_ref().map(Option::as_deref);
        assert_eq!(found, expected, "later: {is_later}, {version}");
    }
}
