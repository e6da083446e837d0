//! Tests of conversion reviews.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt as _;
use genclient::conversion::{Inconvertible, Spoke, Versions};
use genclient::metrics::prometheus::Registry;
use genclient_controller::webhook::{
    Admission, Change, Denied, Validator, Warnings, WebhookService, Webhooks,
};
use http::{Request, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::post_body;

mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Backup {
        pub metadata: ObjectMeta,
        pub spec: BackupSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BackupSpec {
        pub days: u32,
    }
}

mod v1beta1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Backup {
        pub metadata: ObjectMeta,
        pub spec: BackupSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BackupSpec {
        pub weeks: u32,
    }
}

/// Weeks of retention of a backup whose conversion waits for [`HELD`].
pub(super) const WAITS: u32 = 98;
/// Whether backups of [`WAITS`] have to wait.
pub(super) static HELD: AtomicBool = AtomicBool::new(false);
/// Number of threads that convert a backup of [`WAITS`].
pub(super) static WAITING: AtomicUsize = AtomicUsize::new(0);
/// Weeks of retention that make a backup slow to convert.
const SLOW: u32 = 99;
/// Weeks of retention at which the conversion panics.
const PANICS: u32 = 13;
/// Number of slow backups whose conversion began.
static BEGUN_SLOW: AtomicUsize = AtomicUsize::new(0);

impl Spoke for v1beta1::Backup {
    type Hub = v1::Backup;

    fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
        assert_ne!(self.spec.weeks, PANICS, "thirteen weeks");
        if self.spec.weeks == SLOW {
            BEGUN_SLOW.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(100));
        }
        if self.spec.weeks == WAITS {
            WAITING.fetch_add(1, Ordering::Relaxed);
            while HELD.load(Ordering::Relaxed) {
                std::thread::sleep(millis(5));
            }
            WAITING.fetch_sub(1, Ordering::Relaxed);
        }
        let days = self.spec.weeks.checked_mul(7).ok_or("too many weeks")?;
        Ok(v1::Backup {
            metadata: self.metadata,
            spec: v1::BackupSpec { days },
        })
    }

    fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
        let weeks = hub.spec.days / 7;
        Ok(Self {
            metadata: hub.metadata,
            spec: v1beta1::BackupSpec { weeks },
        })
    }
}

pub(super) fn versions() -> Versions<v1::Backup> {
    Versions::hub().spoke::<v1beta1::Backup>()
}

pub(super) fn service() -> WebhookService {
    Webhooks::new()
        .conversion(versions())
        .into_service()
        .unwrap()
}

pub(super) fn backup(name: &str, weeks: Value) -> Value {
    json!({
        "apiVersion": "example.com/v1beta1",
        "kind": "Backup",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "weeks": weeks },
    })
}

pub(super) fn conversion_review(desired: &str, objects: Vec<Value>) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": { "uid": "c1", "desiredAPIVersion": desired, "objects": objects },
    })
}

async fn convert(review: &Value) -> Value {
    let (status, mut answer) = post_body(&service(), "/convert", review.to_string()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer["apiVersion"], "apiextensions.k8s.io/v1");
    assert_eq!(answer["kind"], "ConversionReview");
    answer["response"].take()
}

#[tokio::test]
async fn lists_are_converted_in_order() {
    let objects = vec![backup("a", json!(1)), backup("b", json!(2))];
    let response = convert(&conversion_review("example.com/v1", objects)).await;
    assert_eq!(response["uid"], "c1");
    assert_eq!(response["result"], json!({ "status": "Success" }));
    let converted = response["convertedObjects"].as_array().unwrap().iter();
    let found: Vec<_> = converted
        .map(|it| json!([it["apiVersion"], it["metadata"]["name"], it["spec"]["days"]]))
        .collect();
    assert_eq!(
        Value::Array(found),
        json!([["example.com/v1", "a", 7], ["example.com/v1", "b", 14]])
    );
    let none = convert(&conversion_review("example.com/v1", Vec::new())).await;
    assert_eq!(none["convertedObjects"], json!([]));
}

#[tokio::test]
async fn conversion_errors_name_the_object() {
    let of = "cannot convert Backup default/bad of example.com/v1beta1 to";
    let mut other_kind = backup("bad", json!(1));
    other_kind["kind"] = "Restore".into();
    let cases = [
        (
            "example.com/v1",
            backup("bad", json!(u32::MAX)),
            format!("{of} example.com/v1: too many weeks"),
        ),
        (
            "example.com/v1",
            backup("bad", json!(13)),
            format!("{of} example.com/v1: the conversion panicked: assertion `left != right` failed: thirteen weeks"),
        ),
        (
            "example.com/v2",
            backup("good", json!(1)),
            "cannot convert Backup default/good of example.com/v1beta1 to example.com/v2: unknown version `example.com/v2` of `backups.example.com`".to_owned(),
        ),
        (
            "example.com/v1",
            other_kind,
            "cannot convert Restore default/bad of example.com/v1beta1 to example.com/v1: no conversion is registered for the kind".to_owned(),
        ),
    ];
    for (desired, bad, message) in cases {
        let objects = vec![backup("good", json!(1)), bad];
        let response = convert(&conversion_review(desired, objects)).await;
        assert_eq!(response["result"]["status"], "Failure");
        assert_eq!(response["convertedObjects"], json!([]));
        let found = response["result"]["message"].as_str().unwrap();
        assert!(found.starts_with(&message), "{found}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_counted_by_status() {
    let registry = Registry::new();
    let webhooks = Webhooks::new().conversion(versions());
    let service = webhooks.into_service_with(&registry).unwrap();
    let review = conversion_review("example.com/v1", Vec::new()).to_string();
    post_body(&service, "/convert", review).await;
    post_body(&service, "/convert", "{}").await;
    let endless = StreamBody::new(futures::stream::pending::<Result<Frame<Bytes>, Infallible>>());
    let request = Request::post("/convert").header("content-type", "application/json");
    let answer = service.oneshot(request.body(endless).unwrap()).await;
    assert_eq!(answer.unwrap().status(), StatusCode::REQUEST_TIMEOUT);
    let text = registry.encode();
    for (code, count) in [(200, 1), (400, 1), (408, 1), (413, 0), (500, 0), (504, 0)] {
        let expected = format!("{{webhook=\"/convert\",code=\"{code}\"}} {count}\n");
        assert!(text.contains(&expected), "{expected}{text}");
    }
}

#[tokio::test]
async fn invalid_conversion_reviews_are_rejected() {
    let (status, _) = post_body(&service(), "/convert", "{}").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let mut other = conversion_review("example.com/v1", Vec::new());
    other["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    let response = convert(&other).await;
    assert_eq!(
        response["result"]["message"],
        "expected ConversionReview of apiextensions.k8s.io/v1, found ConversionReview of apiextensions.k8s.io/v1beta1"
    );
}

#[tokio::test]
async fn conversions_have_one_path() {
    let review = conversion_review("example.com/v1", vec![backup("a", json!(1))]).to_string();
    for (path, expected) in [
        ("/convert", StatusCode::OK),
        ("/convert/", StatusCode::NOT_FOUND),
        ("/", StatusCode::NOT_FOUND),
    ] {
        let (status, _) = post_body(&service(), path, review.clone()).await;
        assert_eq!(status, expected, "{path}");
    }
}

#[tokio::test]
async fn conversions_stop_on_timeout_and_disconnect() {
    let slow =
        || conversion_review("example.com/v1", vec![backup("slow", json!(SLOW)); 100]).to_string();
    let begun = Instant::now();
    let (status, answer) = post_body(&service(), "/convert?timeout=250ms", slow()).await;
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(answer, "the conversion timed out after 0.25 s\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    // The caller disconnects.
    let asked = service();
    let gone = tokio::time::timeout(millis(250), post_body(&asked, "/convert", slow())).await;
    assert!(gone.is_err());
    tokio::time::sleep(millis(300)).await;
    let begun_slow = BEGUN_SLOW.load(Ordering::Relaxed);
    tokio::time::sleep(millis(300)).await;
    assert_eq!(BEGUN_SLOW.load(Ordering::Relaxed), begun_slow);
    // At 100 ms each, about 3 of 200 before the timeout, and 3 before the disconnect.
    assert!(begun_slow < 20, "{begun_slow}");
}

/// Returns a body that has these chunks and never ends.
pub(super) fn endless_body(
    chunks: usize,
    chunk: usize,
) -> impl Body<Data = Bytes, Error = Infallible> {
    let frame = move || Ok(Frame::data(Bytes::from(vec![b' '; chunk])));
    let sent = futures::stream::repeat_with(frame).take(chunks);
    StreamBody::new(sent.chain(futures::stream::pending()))
}

pub(super) fn conversion_of<B>(body: B) -> Request<B> {
    let request = Request::post("/convert").header("content-type", "application/json");
    request.body(body).unwrap()
}

/// Clients that send nothing do not delay others, whatever they announce.
#[tokio::test(start_paused = true)]
async fn announced_bytes_take_no_memory() {
    let service = service();
    let idle: Vec<_> = (0..1000)
        .map(|_| tokio::spawn(service.clone().oneshot(conversion_of(Announced(256 << 20)))))
        .collect();
    tokio::time::sleep(millis(10)).await;
    let review = conversion_review("example.com/v1", vec![backup("a", json!(1))]).to_string();
    let (status, _) = post_body(&service, "/convert?timeout=1s", review).await;
    assert_eq!(status, StatusCode::OK);
    // They are refused soon.
    let begun = tokio::time::Instant::now();
    for idle in idle {
        let answer = idle.await.unwrap().unwrap();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
    }
    assert!(begun.elapsed() < Duration::from_secs(11));
}

/// A body that trickles in ends with the time for a body.
#[tokio::test(start_paused = true)]
async fn bodies_have_a_deadline() {
    let byte = |_| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(b" "))),
            (),
        ))
    };
    let trickle = StreamBody::new(futures::stream::unfold((), byte));
    let begun = tokio::time::Instant::now();
    let answer = service().oneshot(conversion_of(trickle)).await.unwrap();
    // The time for the whole request ends with it.
    let expected = [StatusCode::REQUEST_TIMEOUT, StatusCode::GATEWAY_TIMEOUT];
    assert!(expected.contains(&answer.status()), "{}", answer.status());
    assert_eq!(begun.elapsed().as_secs(), 30);
}

/// Received bytes take memory. Large bodies wait for it, except one; small ones do not.
#[tokio::test(start_paused = true)]
async fn large_bodies_wait_for_memory() {
    const MIB: usize = 1 << 20;
    let service = service();
    let padded_review = |mib: usize| {
        let spaces = " ".repeat(mib * MIB);
        conversion_review("example.com/v1", vec![backup("a", json!(1))]).to_string() + &spaces
    };
    // Two bodies that never end take up the 256 MiB of memory.
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(tokio::spawn(
            service
                .clone()
                .oneshot(conversion_of(endless_body(128, MIB))),
        ));
    }
    tokio::time::sleep(millis(10)).await;
    // One more large body may exceed the memory. The next has to wait.
    held.push(tokio::spawn(
        service.clone().oneshot(conversion_of(endless_body(2, MIB))),
    ));
    tokio::time::sleep(millis(10)).await;
    let (status, _) = post_body(&service, "/convert?timeout=1s", padded_review(0)).await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = post_body(&service, "/convert?timeout=1s", padded_review(2)).await;
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    held.iter().for_each(|request| request.abort());
    let (status, answer) = post_body(&service, "/convert", padded_review(2)).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["response"]["result"]["status"], "Success");
}

#[tokio::test]
async fn announced_length_above_the_limit_is_refused_at_once() {
    let status = service()
        .oneshot(conversion_of(Announced((256 << 20) + 1)))
        .await
        .unwrap()
        .status();
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// A body that announces its length, and never arrives.
struct Announced(u64);

impl Body for Announced {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

pub(super) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test]
async fn invalid_conversion_settings_are_errors() {
    struct Convert;

    impl Validator for Convert {
        type Object = ConfigMap;
        const PATH: Option<&'static str> = Some("/convert");

        async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
            Ok(Warnings::none())
        }
    }

    let twice = Webhooks::new()
        .conversion(versions())
        .conversion(versions());
    let error = twice.into_service().unwrap_err().to_string();
    assert_eq!(error, "duplicate conversion of `backups.example.com`");
    let taken = Webhooks::new().conversion(versions()).validator(Convert);
    let error = taken.into_service().unwrap_err().to_string();
    assert_eq!(
        error,
        "webhook at `/convert`: the path is reserved for conversions: choose another path"
    );
}
