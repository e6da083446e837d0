//! Tests of certificates that the program issues, on an in-memory API server and a paused clock.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient_controller::webhook::Webhooks;
use genclient_controller::{BoxError, Controller, ManagerBuilder};
use http::{Method, Request, Response};
use k8s_openapi::ByteString;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::replica::{Idle, Replica, SECRET};
use super::serving::Allows;
use crate::api::Api;
use crate::log::Log;

const DAY: Duration = Duration::from_secs(24 * 3600);
const URL: &str = "https://127.0.0.1:9443";

/// Returns an authority with this age and lifetime, in days.
fn issue_authority(age: u32, lifetime: u32) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = certificate_params(age, lifetime);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn certificate_params(age: u32, lifetime: u32) -> CertificateParams {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let issued = SystemTime::now() - age * DAY;
    params.not_before = issued.into();
    params.not_after = (issued + lifetime * DAY).into();
    params.distinguished_name.push(DnType::CommonName, "tests");
    params
}

/// Returns a Secret with these authorities. The first has signed a server certificate of this age,
/// in days.
fn secret(authorities: &[&CertifiedIssuer<'static, KeyPair>], age: u32) -> Value {
    let key = KeyPair::generate().unwrap();
    let leaf = certificate_params(age, 90)
        .signed_by(&key, authorities[0])
        .unwrap();
    let pems: Vec<_> = authorities.iter().map(|it| it.pem()).collect();
    let mut data = json!({
        "ca.crt": encode_base64(&pems.concat()),
        "ca.key": encode_base64(&authorities[0].key().serialize_pem()),
        "tls.crt": encode_base64(&leaf.pem()),
        "tls.key": encode_base64(&key.serialize_pem()),
    });
    if let Some(next) = authorities.get(1) {
        data["next-ca.key"] = encode_base64(&next.key().serialize_pem());
    }
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "default", "name": SECRET,
            "labels": { "app.kubernetes.io/managed-by": "tests" },
        },
        "data": data,
    })
}

fn encode_base64(text: &str) -> Value {
    serde_json::to_value(ByteString(text.as_bytes().to_vec())).unwrap()
}

fn decode_base64(value: &Value) -> String {
    let bytes: ByteString = serde_json::from_value(value.clone()).unwrap();
    String::from_utf8(bytes.0).unwrap()
}

/// Returns the data of the stored Secret.
fn secret_data(api: &Api) -> Value {
    let secret = api.get("secrets", "default", SECRET);
    secret.unwrap_or_default()["data"].clone()
}

fn serving_certificate(api: &Api) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(decode_base64(&secret_data(api)["tls.crt"]).as_bytes()).unwrap()
}

fn put_webhook_configuration(api: &Api, name: &str, url: &str, trusted: &Value) {
    let object = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": name },
        "webhooks": [{
            "name": "tests.example.com",
            "clientConfig": { "url": format!("{url}/validate"), "caBundle": trusted },
        }],
    });
    api.put("validatingwebhookconfigurations", object);
}

/// Returns the authorities that a webhook configuration trusts.
fn trusted_authorities(api: &Api, name: &str) -> Value {
    let object = api.get("validatingwebhookconfigurations", "", name);
    object.unwrap()["webhooks"][0]["clientConfig"]["caBundle"].clone()
}

/// Returns a client that gets an error for this method and path.
fn client_with_refusal(api: &Api, method: Method, path: &'static str) -> Client {
    let client = api.client();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        let is_refused = request.method() == method && request.uri().path().ends_with(path);
        async move {
            if is_refused {
                let status = json!({ "status": "Failure", "message": "told to", "code": 403 });
                let refusal = Response::builder().status(403);
                return Ok(refusal.body(Body::from(status.to_string().into_bytes()))?);
            }
            Ok::<_, BoxError>(client.send(request).await?)
        }
    });
    Client::new(service, "default")
}

/// Returns a client whose connections are refused while `is_down`.
fn client_with_outage(api: &Api, is_down: &Arc<AtomicBool>) -> Client {
    let (client, is_down) = (api.client(), Arc::clone(is_down));
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        let is_refused = is_down.load(Ordering::Relaxed);
        async move {
            if is_refused {
                return Err(io::Error::from(ErrorKind::ConnectionRefused).into());
            }
            Ok::<_, BoxError>(client.send(request).await?)
        }
    });
    Client::new(service, "default")
}

async fn advance_seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// The caches may need a conversion, and have to sync before the election.
#[tokio::test(start_paused = true)]
async fn certificates_are_issued_before_leader_election() {
    let api = Api::new();
    put_webhook_configuration(&api, "one", URL, &encode_base64("an authority of yore"));
    // No cache ever syncs.
    api.refuse(Method::GET, "configmaps", 500, usize::MAX);
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let replica = Replica::start_with(api.client(), URL, elected, |manager| {
        manager.add(Controller::new(Idle)).unwrap();
    })
    .await;
    advance_seconds(5).await;
    assert_eq!(
        trusted_authorities(&api, "one"),
        secret_data(&api)["ca.crt"]
    );
    assert_eq!(replica.readiness("/webhooks").await.0, 200);
    assert_eq!(api.list("leases"), [Value::Null; 0]);
    replica.stop().await;
}

/// With conversions, readiness does not depend on the caches. The caches may need the conversions,
/// and the API server reaches these through a Service, which sends requests only to ready Pods.
#[tokio::test(start_paused = true)]
async fn readiness_ignores_caches_if_conversions_are_served() {
    for converts in [false, true] {
        let api = Api::new();
        api.refuse(Method::GET, "configmaps", 500, usize::MAX);
        let mut webhooks = Webhooks::new().validator(Allows);
        if converts {
            webhooks = webhooks.conversion(super::conversion::versions());
        }
        let replica = Replica::serve(
            webhooks,
            api.client(),
            URL,
            |builder| builder,
            |manager| {
                manager.add(Controller::new(Idle)).unwrap();
            },
        )
        .await;
        advance_seconds(5).await;
        let expected = if converts { 200 } else { 500 };
        assert_eq!(replica.readiness("").await.0, expected);
        assert_eq!(replica.readiness("/caches").await.0, 500);
        replica.stop().await;
    }
}

/// The caches of the manager and those of the certificates log an outage together.
#[tokio::test(start_paused = true)]
async fn an_outage_is_logged_once_with_a_webhook_server() {
    let log = Log::default();
    let _another = tracing::Dispatch::new(log.subscriber());
    let _listening = tracing::subscriber::set_default(log.subscriber());
    let api = Api::new();
    put_webhook_configuration(&api, "one", URL, &encode_base64("an authority of yore"));
    let is_down = Arc::default();
    let client = client_with_outage(&api, &is_down);
    let replica = Replica::start_with(
        client,
        URL,
        |builder| builder,
        |manager| {
            manager.add(Controller::new(Idle)).unwrap();
        },
    )
    .await;
    advance_seconds(60).await;
    is_down.store(true, Ordering::Relaxed);
    // Ends the watches.
    api.restore(api.backup());
    // Longer than the rotator's interval between two rounds.
    advance_seconds(700).await;
    is_down.store(false, Ordering::Relaxed);
    advance_seconds(60).await;
    let text = log.text();
    let warnings = |message| {
        let lines = text.lines().filter(|line| line.contains("WARN"));
        lines.filter(|line| line.contains(message)).count()
    };
    let issued = r#"issued the webhook certificates namespace="default""#;
    assert_eq!(text.matches(issued).count(), 1, "{text}");
    // At the start and every 30 s.
    assert_eq!(warnings("list or watch failed"), 24, "{text}");
    // Before an informer notices the outage.
    assert_eq!(warnings("failed to update the webhook"), 1, "{text}");
    assert_eq!(warnings(""), 25, "{text}");
    assert_eq!(text.matches("can be reached again").count(), 1, "{text}");
    replica.stop().await;
}

#[tokio::test(start_paused = true)]
async fn certificates_have_default_lifetimes() {
    let api = Api::new();
    let replica = Replica::start(api.client(), URL).await;
    advance_seconds(5).await;
    for (name, days) in [("tls.crt", 90), ("ca.crt", 5 * 365)] {
        let pem = decode_base64(&secret_data(&api)[name]);
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        let (_, certificate) = x509_parser::parse_x509_certificate(&der).unwrap();
        let expires = certificate.validity().not_after.to_datetime();
        let left = SystemTime::from(expires).duration_since(SystemTime::now());
        // The seconds that the test takes round it down.
        assert_eq!(left.unwrap().as_secs() / DAY.as_secs(), days - 1, "{name}");
    }
    replica.stop().await;
}

/// A replica that does not lead does not write certificates.
#[tokio::test(start_paused = true)]
async fn only_the_leader_maintains_certificates() {
    let api = Api::new();
    put_webhook_configuration(&api, "one", URL, &Value::Null);
    let elected = |builder: ManagerBuilder| builder.leader_election(true);
    let leader = Replica::start_with(api.client(), URL, elected, |_| {}).await;
    advance_seconds(5).await;
    let waiting = Replica::start_with(api.client(), URL, elected, |_| {}).await;
    advance_seconds(5).await;
    assert_eq!(leader.shown().await, waiting.shown().await);
    leader.run.abort();
    advance_seconds(1).await;
    put_webhook_configuration(&api, "one", URL, &encode_base64("something else"));
    advance_seconds(5).await;
    assert_eq!(
        trusted_authorities(&api, "one"),
        encode_base64("something else")
    );
    // The lease of the first replica expires.
    advance_seconds(60).await;
    assert_eq!(
        trusted_authorities(&api, "one"),
        secret_data(&api)["ca.crt"]
    );
    waiting.stop().await;
}

#[tokio::test(start_paused = true)]
async fn failed_ca_injection_does_not_block_other_objects() {
    let api = Api::new();
    for name in ["a", "b"] {
        put_webhook_configuration(&api, name, URL, &Value::Null);
    }
    let signs = issue_authority(1000, 1800);
    api.put("secrets", secret(&[&signs], 80));
    let expiring = secret_data(&api)["tls.crt"].clone();
    let path = "validatingwebhookconfigurations/a";
    let replica = Replica::start(client_with_refusal(&api, Method::PATCH, path), URL).await;
    advance_seconds(5).await;
    assert_eq!(trusted_authorities(&api, "a"), Value::Null);
    assert_eq!(trusted_authorities(&api, "b"), secret_data(&api)["ca.crt"]);
    assert_ne!(secret_data(&api)["tls.crt"], expiring, "not renewed");
    let (code, text) = replica.readiness("/webhooks").await;
    assert_eq!(code, 500);
    assert!(
        text.contains("ValidatingWebhookConfiguration a: "),
        "{text}"
    );
    replica.stop().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_secrets_are_repaired() {
    for (name, value) in [
        ("tls.key", encode_base64("no key")),
        (
            "tls.key",
            encode_base64(&KeyPair::generate().unwrap().serialize_pem()),
        ),
        ("ca.key", encode_base64("no key")),
        (
            "ca.key",
            encode_base64(&KeyPair::generate().unwrap().serialize_pem()),
        ),
        ("ca.crt", encode_base64(&issue_authority(0, 300).pem())),
    ] {
        let api = Api::new();
        put_webhook_configuration(&api, "one", URL, &Value::Null);
        let mut damaged = secret(&[&issue_authority(0, 300)], 0);
        damaged["data"][name] = value;
        api.put("secrets", damaged);
        let replica = Replica::start(api.client(), URL).await;
        advance_seconds(5).await;
        assert_eq!(
            trusted_authorities(&api, "one"),
            secret_data(&api)["ca.crt"],
            "{name}"
        );
        assert_eq!(replica.shown().await, serving_certificate(&api), "{name}");
        assert_eq!(replica.readiness("/webhooks").await.0, 200, "{name}");
        replica.stop().await;
    }
}

/// The Secret belongs to another program, and may have any content.
#[tokio::test(start_paused = true)]
async fn secrets_with_another_manager_are_not_modified() {
    for is_readable in [true, false] {
        let api = Api::new();
        let mut other = secret(&[&issue_authority(0, 300)], 80);
        other["metadata"]["labels"]["app.kubernetes.io/managed-by"] = "other".into();
        if !is_readable {
            other["data"] = json!({ "password": encode_base64("x") });
        }
        let other = api.put("secrets", other);
        let replica = Replica::start(api.client(), URL).await;
        advance_seconds(60).await;
        assert_eq!(api.get("secrets", "default", SECRET), Some(other));
        let (code, text) = replica.readiness("/webhooks").await;
        let expected = "Secret default/webhook-certificate is managed by `other` (label \
                        `app.kubernetes.io/managed-by`): use another Secret or";
        assert!(code == 500 && text.contains(expected), "{text}");
        replica.stop().await;
    }
}

/// A Secret without data, for example of a Helm chart, is filled.
#[tokio::test(start_paused = true)]
async fn empty_secrets_are_populated() {
    let api = Api::new();
    let mut empty = secret(&[&issue_authority(0, 300)], 0);
    empty["metadata"]["labels"]["app.kubernetes.io/managed-by"] = "Helm".into();
    empty.as_object_mut().unwrap().remove("data");
    api.put("secrets", empty);
    let replica = Replica::start(api.client(), URL).await;
    advance_seconds(5).await;
    assert_eq!(replica.shown().await, serving_certificate(&api));
    replica.stop().await;
}

/// The next authority signs after it was trusted for a minute. It does not matter how long ago
/// another leader has issued it without injecting it.
#[tokio::test(start_paused = true)]
async fn new_ca_signs_a_minute_after_injection() {
    let api = Api::new();
    let (signs, next) = (issue_authority(290, 300), issue_authority(1, 300));
    api.put("secrets", secret(&[&signs, &next], 0));
    put_webhook_configuration(&api, "one", URL, &encode_base64(&signs.pem()));
    let before = serving_certificate(&api);
    let replica = Replica::start(api.client(), URL).await;
    advance_seconds(55).await;
    assert_eq!(
        decode_base64(&trusted_authorities(&api, "one")),
        signs.pem() + &next.pem()
    );
    assert_eq!(replica.shown().await, before);
    assert_eq!(serving_certificate(&api), before);
    advance_seconds(10).await;
    assert_ne!(serving_certificate(&api), before);
    // The replica presents the new certificate after another minute.
    assert_eq!(replica.shown().await, before);
    advance_seconds(65).await;
    assert_eq!(replica.shown().await, serving_certificate(&api));
    replica.stop().await;
}

#[tokio::test(start_paused = true)]
async fn deleted_secret_is_recreated_without_downtime() {
    let api = Api::new();
    put_webhook_configuration(&api, "one", URL, &Value::Null);
    let replicas = [
        Replica::start(api.client(), URL).await,
        Replica::start(api.client(), URL).await,
    ];
    advance_seconds(100).await;
    let (before, authority) = (
        serving_certificate(&api),
        decode_base64(&secret_data(&api)["ca.crt"]),
    );
    api.remove("secrets", "default", SECRET);
    advance_seconds(5).await;
    assert_ne!(serving_certificate(&api), before);
    let told = decode_base64(&trusted_authorities(&api, "one"));
    assert!(told.ends_with(&authority) && told != authority, "{told}");
    for replica in &replicas {
        assert_eq!(replica.shown().await, before);
    }
    advance_seconds(70).await;
    for replica in replicas {
        assert_eq!(replica.shown().await, serving_certificate(&api));
        replica.stop().await;
    }
}

/// Nobody trusts the certificate in use any more if the authority in the Secret has not signed it
/// and does not name the authority that has. So the new certificate is presented at once.
#[tokio::test(start_paused = true)]
async fn certificate_of_a_replaced_ca_is_not_presented_any_longer() {
    let api = Api::new();
    put_webhook_configuration(&api, "one", URL, &Value::Null);
    let (old, new) = (issue_authority(0, 300), issue_authority(0, 300));
    api.put("secrets", secret(&[&old], 0));
    let replica = Replica::start(api.client(), URL).await;
    advance_seconds(100).await;
    assert_eq!(replica.shown().await, serving_certificate(&api));
    api.put("secrets", secret(&[&new], 0));
    advance_seconds(5).await;
    assert_eq!(decode_base64(&trusted_authorities(&api, "one")), new.pem());
    assert_eq!(replica.shown().await, serving_certificate(&api));
    replica.stop().await;
}

/// The new certificate does not wait for the next authority, which does not sign it.
#[tokio::test(start_paused = true)]
async fn new_certificate_of_the_trusted_ca_is_presented_at_once() {
    let api = Api::new();
    let signs = issue_authority(250, 300);
    api.put("secrets", secret(&[&signs], 0));
    put_webhook_configuration(&api, "one", URL, &encode_base64(&signs.pem()));
    let before = serving_certificate(&api);
    let replica = Replica::start(api.client(), URL).await;
    advance_seconds(5).await;
    assert_ne!(serving_certificate(&api), before);
    assert_ne!(
        decode_base64(&trusted_authorities(&api, "one")),
        signs.pem()
    );
    assert_eq!(replica.shown().await, serving_certificate(&api));
    replica.stop().await;
}

/// An IP address has several notations.
#[tokio::test(start_paused = true)]
async fn equivalent_ip_notations_do_not_reissue_certificates() {
    let api = Api::new();
    let url = "https://[0:0:0:0:0:0:0:1]:9443";
    put_webhook_configuration(&api, "one", url, &Value::Null);
    let replica = Replica::start(api.client(), url).await;
    advance_seconds(5).await;
    let issued = api.get("secrets", "default", SECRET);
    advance_seconds(120).await;
    assert_eq!(api.get("secrets", "default", SECRET), issued);
    replica.stop().await;
}
