//! Tests of the lease lock: client-go's `resourcelock/leaselock_test.go`.

use genclient_apiserver::Verb;
use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::Server;
use crate::leaderelection::LeaseLock;
use crate::leaderelection::lock::LockError;
use crate::leaderelection::lock::Record;
use crate::record::FakeRecorder;

fn test_record() -> Record {
    let time = MicroTime(Timestamp::new(1_700_000_000, 123_456_000).unwrap());
    Record {
        holder: "test-identity".to_owned(),
        lease_seconds: 15,
        transitions: 1,
        acquire_time: Some(time.clone()),
        renew_time: Some(time),
    }
}

/// Returns a server and a lock that has created its lease there.
async fn create_lease(change: impl FnOnce(LeaseLock) -> LeaseLock) -> (Server, LeaseLock) {
    let server = Server::new();
    let lock = change(server.lock("test-identity"));
    lock.create(&test_record()).await.unwrap();
    (server, lock)
}

#[tokio::test]
async fn get_error() {
    let lock = Server::new().lock("test-identity");
    assert!(lock.get().await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn get() {
    let (_, lock) = create_lease(|lock| lock).await;
    assert_eq!(lock.get().await.unwrap(), test_record());
}

#[tokio::test]
async fn create_error() {
    let (_, lock) = create_lease(|lock| lock).await;
    let error = lock.create(&test_record()).await.unwrap_err();
    assert!(matches!(&error, LockError::Refused(status) if status.is_already_exists()));
    assert!(!error.is_conflict(), "not one to be tried again");
}

#[tokio::test]
async fn update_error() {
    let server = Server::new();
    let error = server.lock("test-identity").update(&test_record()).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "lease not initialized, call get or create first"
    );
    assert_eq!(server.verbs(), []);
}

#[tokio::test]
async fn record_event_success() {
    let mut fake = FakeRecorder::new();
    let recorder = fake.recorder();
    let (_, lock) = create_lease(|lock| lock.recorder(recorder)).await;
    lock.record_event("test event");
    assert_eq!(
        fake.take(),
        ["Normal LeaderElection test-identity test event"]
    );
}

#[tokio::test]
async fn record_event_nil_recorder() {
    let (_, lock) = create_lease(|lock| lock).await;
    lock.record_event("should not panic");
}

#[tokio::test]
async fn describe() {
    let lock = Server::new().lock("test-identity");
    assert_eq!(lock.to_string(), "foo/bar");
}

#[test]
fn lease_conversion() {
    let spec = LeaseSpec::from(&test_record());
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({
            "holderIdentity": "test-identity",
            "leaseDurationSeconds": 15,
            "leaseTransitions": 1,
            "acquireTime": "2023-11-14T22:13:20.123456Z",
            "renewTime": "2023-11-14T22:13:20.123456Z",
        })
    );
    assert_eq!(Record::from(&spec), test_record());
    assert_eq!(Record::from(&LeaseSpec::default()), Record::default());
}

/// `TestUpdateWithNilLabelsOnLease`, `TestUpdateWithNilLabelsOnLeaseLock`, `TestLabelUpdate`:
/// labels of the lease, labels of the lock, and labels of the lease after the update.
#[tokio::test]
async fn label_update() {
    let cases = [
        (
            "update with nil labels on lease",
            json!(null),
            vec![("custom-key", "custom-val")],
            json!({"custom-key": "custom-val"}),
        ),
        (
            "update with nil labels on lease lock",
            json!({"custom-key": "custom-val"}),
            vec![],
            json!({"custom-key": "custom-val"}),
        ),
        (
            "label update",
            json!({"custom-key": "new-custom-val", "custom-key-2": "custom-val-2"}),
            vec![("custom-key", "custom-val")],
            json!({"custom-key": "custom-val", "custom-key-2": "custom-val-2"}),
        ),
        ("no labels", json!(null), vec![], json!(null)),
    ];
    for (name, on_lease, on_lock, expected) in cases {
        let (server, lock) = create_lease(|lock| lock.labels(on_lock)).await;
        server.change("/metadata/labels", on_lease).await;
        lock.get().await.unwrap();
        lock.update(&test_record()).await.unwrap();
        assert_eq!(stored_labels(&server).await, expected, "{name}");
        assert_eq!(server.verbs(), [Verb::Create, Verb::Get, Verb::Update]);
    }
}

#[tokio::test]
async fn labels_are_set_when_the_lease_is_created() {
    let (server, _) = create_lease(|lock| lock.labels([("team", "gpu")])).await;
    assert_eq!(stored_labels(&server).await, json!({"team": "gpu"}));
}

async fn stored_labels(server: &Server) -> Value {
    json!(server.lease().await.unwrap().metadata.labels)
}

/// The log shows the status once: the error has no source that repeats it.
#[test]
fn lock_error_does_not_repeat_the_status() {
    let mut status = kube::core::Status::failure("told to", "Forbidden");
    status.code = 403;
    let error = LockError::from(kube::Error::Api(Box::new(status)));
    assert!(std::error::Error::source(&error).is_none(), "{error:?}");
    let rule =
        "told to; grant it through a Role with the rule {apiGroups: [\"coordination.k8s.io\"]";
    assert!(error.to_string().starts_with(rule), "{error}");
}
