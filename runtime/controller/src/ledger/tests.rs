use serde_json::json;

use super::*;

/// A cache that shows nothing.
struct Blind;

impl Shows for Blind {
    fn shows(&self, _name: &ObjectName, _write: &Write) -> bool {
        false
    }
}

/// A Pod has a grace period in which it is there without a finalizer.
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
        let target = Target::of("/api/v1/namespaces/a/configmaps/one", false);
        let target = target.expect("the path is one of an object");
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
        ledger.note(&target, body.as_bytes());
        let write = ledger.write(&target.resource, &ObjectName::namespaced("a", "one"));
        let write = write.unwrap_or_default();
        assert_eq!(write.is_gone, is_gone, "{body}");
        assert_eq!(write.deleted.is_some(), is_gone, "{body}");
    }
}

#[test]
fn paths_name_resources() {
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
        let found = Target::of(path, false);
        let found = found.as_ref().map(|target| {
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
