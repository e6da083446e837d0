//! Tests of webhooks in a manager, called by the real API server and by the one in the process.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use e2e::{ControlPlane, eventually};
use genclient_controller::webhook::{
    Admission, Certificates, Change, Defaulter, Denied, FieldError, Validator, Warnings,
    WebhookServer, Webhooks,
};
use genclient_controller::{Manager, RunError};
use genclient_envtest::Manifests;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, Error, ResourceExt};
use libtest_mimic::Failed;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("webhooks::defaults_and_denials", defaults_and_denials);
    suite.both("webhooks::manifests_are_installed", manifests_are_installed);
    suite.both(
        "webhooks::certificates_rotate_without_failed_requests",
        certificates_rotate_without_failed_requests,
    );
}

/// A defaulter that sets the `team` of ConfigMaps.
struct Team;

impl Defaulter for Team {
    type Object = ConfigMap;

    async fn set_defaults(&self, map: &mut ConfigMap, request: &Admission) -> Result<(), Denied> {
        let data = map.data.get_or_insert_default();
        let user = request.user_info.username.clone().unwrap_or_default();
        data.entry("team".to_owned()).or_insert(user);
        Ok(())
    }
}

/// A validator that keeps the `team` of ConfigMaps unchanged.
struct FrozenTeam;

impl Validator for FrozenTeam {
    type Object = ConfigMap;

    async fn validate(
        &self,
        change: Change<ConfigMap>,
        request: &Admission,
    ) -> Result<Warnings, Denied> {
        let team = |map: &ConfigMap| map.data.as_ref()?.get("team").cloned();
        match change {
            Change::Create(map) if team(&map).as_deref() == Some("nobody") => {
                Err("nobody is no team".into())
            }
            Change::Update { old, new } if team(&old) != team(&new) => {
                let error = FieldError::immutable("data.team", team(&new));
                Err(Denied::invalid([error]))
            }
            Change::Delete(map) if team(&map).as_deref() == Some("kept") => {
                Err(Denied::forbidden("it is kept"))
            }
            _ if request.dry_run => Ok(["nothing was stored"].into()),
            _ => Ok(Warnings::none()),
        }
    }
}

/// A manager with these webhooks, which the API server calls by URL.
struct Running {
    namespace: String,
    stop: CancellationToken,
    run: JoinHandle<Result<(), RunError>>,
    probes: String,
}

impl Running {
    async fn start(
        plane: &ControlPlane,
        certificates: impl FnOnce(Certificates) -> Certificates,
    ) -> Result<Self, Failed> {
        let namespace = plane.create_namespace("webhooks").await?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("https://{}", listener.local_addr()?);
        configure(&plane.client(), &namespace, &url).await?;
        let webhooks = Webhooks::new().defaulter(Team).validator(FrozenTeam);
        let own = Certificates::own("webhook-certificate")
            .namespace(&namespace)
            .url(&url);
        let mut manager = Manager::builder("webhooks")
            .client(plane.client())
            .health_probe_bind_address(([127, 0, 0, 1], 0).into())
            .build()
            .await?;
        let probes = manager.health_probe_address().ok_or("no probes")?;
        manager.add(WebhookServer::new(webhooks, certificates(own)).listener(listener))?;
        let stop = CancellationToken::new();
        let run = tokio::spawn(manager.run(stop.clone()));
        let running = Self {
            namespace,
            stop,
            run,
            probes: format!("http://{probes}"),
        };
        Ok(running)
    }

    async fn stop(self) -> Outcome {
        self.stop.cancel();
        Ok(self.run.await??)
    }
}

/// Configures the API server to call a URL for the ConfigMaps of a namespace.
async fn configure(client: &Client, namespace: &str, url: &str) -> Outcome {
    let webhook = |name: &str, path: &str, operations: &[&str]| {
        json!({
            "metadata": { "name": namespace },
            "webhooks": [{
                "name": name,
                "admissionReviewVersions": ["v1"],
                "clientConfig": { "url": format!("{url}{path}") },
                "namespaceSelector": {
                    "matchLabels": { "kubernetes.io/metadata.name": namespace },
                },
                "rules": [{
                    "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                    "operations": operations,
                }],
                "sideEffects": "None",
            }],
        })
    };
    let mutating = webhook(
        "team.example.com",
        "/mutate--v1-configmap",
        &["CREATE", "UPDATE"],
    );
    let validating = webhook("frozen.example.com", "/validate--v1-configmap", &["*"]);
    create::<MutatingWebhookConfiguration>(client, mutating).await?;
    create::<ValidatingWebhookConfiguration>(client, validating).await
}

async fn create<K>(client: &Client, object: Value) -> Outcome
where
    K: kube::Resource<DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + DeserializeOwned
        + serde::Serialize,
{
    let api: Api<K> = Api::all(client.clone());
    api.create(&PostParams::default(), &serde_json::from_value(object)?)
        .await?;
    Ok(())
}

fn config_map(data: Value) -> Result<ConfigMap, Failed> {
    Ok(serde_json::from_value(json!({
        "metadata": { "generateName": "map-" }, "data": data,
    }))?)
}

async fn defaults_and_denials(plane: &ControlPlane) -> Outcome {
    let running = Running::start(plane, |own| own).await?;
    eventually("readiness", async || ready(&running.probes).await).await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &running.namespace);
    let params = PostParams::default();
    let created = maps
        .create(&params, &config_map(json!({ "a": "b" }))?)
        .await?;
    let team = created.data.as_ref().and_then(|data| data.get("team"));
    assert!(team.is_some_and(|team| !team.is_empty()), "{created:?}");
    let denied = maps
        .create(&params, &config_map(json!({ "team": "nobody" }))?)
        .await;
    assert_eq!(
        message(denied),
        r#"403 Forbidden admission webhook "frozen.example.com" denied the request: nobody is no team"#
    );
    let name = created.name_any();
    let patch = Patch::Merge(json!({ "data": { "team": "other" } }));
    let denied = maps.patch(&name, &PatchParams::default(), &patch).await;
    assert_eq!(
        message(denied),
        format!(
            r#"422 Invalid admission webhook "frozen.example.com" denied the request: ConfigMap "{name}" is invalid: data.team: Invalid value: "other": field is immutable"#
        )
    );
    running.stop().await
}

/// Deployed manifests, with a Service, call webhooks of this process.
async fn manifests_are_installed(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("manifests").await?;
    let local = plane.local_webhooks()?;
    let manifests = Manifests::new([json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": namespace },
        "webhooks": [{
            "name": "deployed.example.com",
            "admissionReviewVersions": ["v1"],
            "clientConfig": { "service": {
                "name": "webhook-service", "namespace": "system", "path": "/validate--v1-configmap",
            }},
            "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } },
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                "operations": ["CREATE"],
            }],
            "sideEffects": "None",
        }],
    })])?;
    plane.install_webhooks(&manifests, &local).await?;

    let mut manager = Manager::builder("manifests")
        .client(plane.client())
        .health_probe_bind_address(([127, 0, 0, 1], 0).into())
        .build()
        .await?;
    let certificates = Certificates::files(local.certificate(), local.key());
    let server = WebhookServer::new(Webhooks::new().validator(FrozenTeam), certificates);
    manager.add(server.listener(local.listener()?))?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));

    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let map = config_map(json!({ "team": "nobody" }))?;
    let denied = r#"403 Forbidden admission webhook "deployed.example.com" denied the request: nobody is no team"#;
    eventually("the webhook denies", async || {
        match message(maps.create(&PostParams::default(), &map).await) {
            answer if answer == denied => Ok(()),
            answer => Err(answer),
        }
    })
    .await?;
    stop.cancel();
    Ok(run.await??)
}

/// Checks whether the webhooks are ready.
async fn ready(probes: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_from(kube::Config::new(probes.parse()?))?;
    let request = http::Request::get("/readyz/webhooks").body(Vec::new())?;
    client.request_text(request).await?;
    Ok(())
}

fn message<K: std::fmt::Debug>(result: kube::Result<K>) -> String {
    match result {
        Err(Error::Api(status)) => format!("{} {} {}", status.code, status.reason, status.message),
        other => format!("{other:?}"),
    }
}

/// Server certificates and authorities are renewed several times while objects are created
/// continuously.
async fn certificates_rotate_without_failed_requests(plane: &ControlPlane) -> Outcome {
    let running = Running::start(plane, |own| {
        own.lifetime(Duration::from_secs(12))
            .authority_lifetime(Duration::from_secs(30))
    })
    .await?;
    eventually("readiness", async || ready(&running.probes).await).await?;
    let client = plane.client();
    let admissions = Arc::new(AtomicU64::new(0));
    let end = Instant::now() + Duration::from_secs(50);
    let (namespace, counted) = (running.namespace.clone(), Arc::clone(&admissions));
    let load = tokio::spawn(async move {
        let maps: Api<ConfigMap> = Api::namespaced(client, &namespace);
        let params = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        while Instant::now() < end {
            let map = config_map(json!({})).map_err(|error| format!("{error:?}"))?;
            maps.create(&params, &map)
                .await
                .map_err(|error| error.to_string())?;
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<_, String>(())
    });
    let secrets: Api<Secret> = Api::namespaced(plane.client(), &running.namespace);
    let (mut leaves, mut authorities) = (Vec::new(), Vec::new());
    while Instant::now() < end {
        let secret = secrets.get("webhook-certificate").await?;
        let data = secret.data.unwrap_or_default();
        // `ca.crt` may have two authorities, `ca.key` has the key of the current one.
        for (seen, name) in [(&mut leaves, "tls.crt"), (&mut authorities, "ca.key")] {
            let value = data
                .get(name)
                .ok_or("a part of the Secret is missing")?
                .clone();
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    load.await??;
    let admissions = admissions.load(Ordering::Relaxed);
    // Renewal is after two thirds of the lifetime: every 8 and every 20 of the 50 seconds.
    assert!(leaves.len() > 3, "{} leaves", leaves.len());
    assert!(authorities.len() > 2, "{} authorities", authorities.len());
    assert!(admissions > 100, "{admissions} admissions");
    println!(
        "{} leaves, {} authorities, {admissions} admissions",
        leaves.len(),
        authorities.len()
    );
    running.stop().await
}
