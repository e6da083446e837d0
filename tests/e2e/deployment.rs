//! Tests of `genclient render plain` for `examples/application`: its output, installed by kubectl
//! on the real API server, and the controller with only the permissions of its account.
//!
//! Nothing routes to Services here: the API server gets URLs in their place.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use application::apis::apps::v1alpha1::Application;
use application::{controller, webhook};
use clap::Parser;
use e2e::{ControlPlane, eventually};
use genclient_controller::webhook::{WebhookFlags, WebhookServer};
use genclient_controller::{Manager, ManagerFlags};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Event, Secret, Service, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::AuthInfo;
use kube::{Client, Config};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/application");
const NAMESPACE: &str = "application-system";
const ACCOUNT: &str = "application-controller-manager";

pub(crate) fn tests(suite: &mut Suite) {
    suite.own(
        "deployment::service_account_has_the_permissions_of_the_program",
        async |plane: &_| full_lifecycle(plane, "", "default").await,
    );
    suite.own(
        "deployment::namespaced_service_account_has_the_permissions_of_the_program",
        async |plane: &_| full_lifecycle(plane, "namespaced = true\n", NAMESPACE).await,
    );
    suite.own(
        "deployment::sharing_service_account_has_the_permissions_of_the_program",
        async |plane: &_| full_lifecycle(plane, "shard-by = \"namespace\"\n", "default").await,
    );
}

/// The flags of `examples/application`.
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    manager: ManagerFlags,

    #[command(flatten)]
    webhook: WebhookFlags,
}

/// Runs the whole life of an Application in a namespace, with additional settings.
async fn full_lifecycle(plane: &ControlPlane, settings: &str, namespace: &str) -> Outcome {
    let rendered = rendered(settings)?;
    apply(plane, &rendered)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("https://{}", listener.local_addr()?);
    call_by_url(&plane.client(), &url).await?;

    let token = token(plane, ACCOUNT).await?;
    let kubeconfig = plane.logs().join("account.kubeconfig");
    fs::write(&kubeconfig, as_account(plane, &token)?.to_string())?;
    let mut line = arguments(&rendered)?;
    line.extend([
        format!("--kubeconfig={}", kubeconfig.display()),
        format!("--webhook-url={url}"),
    ]);
    let flags = Flags::try_parse_from(["application".to_owned()].into_iter().chain(line))?;
    let mut manager = Manager::builder(controller::NAME)
        .flags(&flags.manager)
        .build()
        .await?;
    let server = WebhookServer::from_flags(webhook::webhooks(), &flags.webhook);
    manager.add(server.listener(listener))?;
    controller::add(&mut manager)?;
    let probes = manager.health_probe_address().ok_or("no probes")?;
    let metrics = manager.metrics_address().ok_or("no metrics")?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));

    is_ready(probes).await?;
    has_own_objects(&plane.client()).await?;
    keeps_an_application(&plane.client(), namespace).await?;
    // Replicas that share the objects hold no election.
    let is_elected = !settings.contains("shard-by");
    records_events(&plane.client(), is_elected).await?;
    shows_metrics(plane, metrics).await?;
    stop.cancel();
    run.await??;
    // The lease is released.
    let leases: Api<Lease> = Api::namespaced(plane.client(), NAMESPACE);
    let lease = leases.get(ACCOUNT).await?.spec.unwrap_or_default();
    assert_eq!(lease.holder_identity.unwrap_or_default(), "");
    Ok(())
}

/// Returns the rendered example with additional settings.
fn rendered(settings: &str) -> Result<String, Failed> {
    let folder = tempfile::tempdir()?;
    copy(&Path::new(PACKAGE).join("pkg"), &folder.path().join("pkg"))?;
    let table = "[package.metadata.genclient.deploy]\n";
    let manifest = fs::read_to_string(Path::new(PACKAGE).join("Cargo.toml"))?;
    assert!(manifest.contains(table));
    let manifest = manifest.replace(table, &format!("{table}{settings}"));
    fs::write(folder.path().join("Cargo.toml"), manifest)?;
    let program = env!("CARGO_BIN_EXE_genclient-under-test");
    let output = Command::new(program)
        .args(["render", "plain", "--image", "example.com/application:v1"])
        .current_dir(folder.path())
        .output()?;
    assert!(output.status.success(), "{output:?}");
    Ok(String::from_utf8(output.stdout)?)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &to)?
        } else {
            fs::copy(&path, &to).map(drop)?
        }
    }
    Ok(())
}

/// Applies the objects twice: without a warning of the API server, and the second time without a
/// change.
fn apply(plane: &ControlPlane, rendered: &str) -> Outcome {
    let mut versions = Vec::new();
    for _ in 0..2 {
        let mut kubectl = Command::new(kubectl()?);
        kubectl.arg("--kubeconfig").arg(plane.kubeconfig());
        kubectl.args([
            "apply",
            "--server-side",
            "--output=jsonpath-as-json={.metadata.resourceVersion}",
            "-f",
            "-",
        ]);
        kubectl.stdin(Stdio::piped());
        kubectl.stdout(Stdio::piped());
        kubectl.stderr(Stdio::piped());
        let mut child = kubectl.spawn()?;
        let mut stdin = child.stdin.take().ok_or("no stdin")?;
        std::io::Write::write_all(&mut stdin, rendered.as_bytes())?;
        drop(stdin);
        let output = child.wait_with_output()?;
        let said = String::from_utf8(output.stderr)?;
        assert!(output.status.success() && said.is_empty(), "{said}");
        versions.push(String::from_utf8(output.stdout)?);
    }
    assert_eq!(versions[0], versions[1]);
    Ok(())
}

fn kubectl() -> Result<PathBuf, Failed> {
    let folder = std::env::var_os("KUBEBUILDER_ASSETS").ok_or("no KUBEBUILDER_ASSETS")?;
    Ok(Path::new(&folder).join("kubectl"))
}

/// Replaces the Service by URLs.
async fn call_by_url(client: &Client, url: &str) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let mutating: Api<MutatingWebhookConfiguration> = Api::all(client.clone());
    let validating: Api<ValidatingWebhookConfiguration> = Api::all(client.clone());
    let name = "application-mutating-webhook-configuration";
    patched(&mutating, name, "/webhooks/0/clientConfig", url).await?;
    let name = "application-validating-webhook-configuration";
    patched(&validating, name, "/webhooks/0/clientConfig", url).await?;
    let name = "applications.apps.example.io";
    patched(
        &definitions,
        name,
        "/spec/conversion/webhook/clientConfig",
        url,
    )
    .await
}

async fn patched<K>(api: &Api<K>, name: &str, place: &str, url: &str) -> Outcome
where
    K: Clone + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    let object = json!(api.get(name).await?);
    let path = object
        .pointer(&format!("{place}/service/path"))
        .and_then(Value::as_str)
        .ok_or("no path")?;
    let value = json!({ "url": format!("{url}{path}") });
    let patch = json!([{ "op": "replace", "path": place, "value": value }]);
    let patch = Patch::Json::<()>(serde_json::from_value(patch)?);
    api.patch(name, &PatchParams::default(), &patch).await?;
    Ok(())
}

/// Returns a token of an account in the namespace of the deployment.
async fn token(plane: &ControlPlane, account: &str) -> Result<String, Failed> {
    let accounts: Api<ServiceAccount> = Api::namespaced(plane.client(), NAMESPACE);
    let request = TokenRequest {
        spec: Some(TokenRequestSpec::default()),
        ..TokenRequest::default()
    };
    let params = PostParams::default();
    let answer = accounts
        .create_token_request(account, &params, &request)
        .await?;
    let status = answer.status.ok_or("no status")?;
    Ok(status.token.ok_or("no token")?)
}

/// Returns the kubeconfig of a Pod: with its token, and its namespace.
fn as_account(plane: &ControlPlane, token: &str) -> Result<Value, Failed> {
    let mut kubeconfig: Value = serde_saphyr::from_str(&fs::read_to_string(plane.kubeconfig())?)?;
    kubeconfig["users"][0]["user"] = json!({ "token": token });
    kubeconfig["contexts"][0]["context"]["namespace"] = NAMESPACE.into();
    Ok(kubeconfig)
}

/// Returns the arguments of the container, with free ports.
fn arguments(rendered: &str) -> Result<Vec<String>, Failed> {
    let objects = serde_saphyr::from_multiple::<Value>(rendered)?;
    let deployment = objects.iter().find(|it| it["kind"] == "Deployment");
    let container =
        &deployment.ok_or("no Deployment")?["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "example.com/application:v1");
    let arguments: Vec<String> = serde_json::from_value(container["args"].clone())?;
    let local = |argument: String| match argument.split_once("-bind-address=:") {
        Some((flag, _)) => format!("{flag}-bind-address=127.0.0.1:0"),
        // As the downward API does.
        None => argument.replace("$(POD_NAMESPACE)", NAMESPACE),
    };
    Ok(arguments.into_iter().map(local).collect())
}

/// Waits until the Pod would get requests: its caches have synced, and the API server trusts it.
async fn is_ready(probes: SocketAddr) -> Outcome {
    let client = Client::try_from(Config::new(format!("http://{probes}").parse()?))?;
    let said = eventually("the program is ready", async || {
        let request = http::Request::get("/readyz?verbose")
            .body(Vec::new())
            .map_err(|error| error.to_string())?;
        let answer = client.request_text(request).await;
        answer.map_err(|error| format!("{error:?}"))
    })
    .await?;
    assert!(said.contains("webhooks ok"), "{said}");
    Ok(())
}

/// The objects that the program creates for itself have the names that its role allows.
async fn has_own_objects(client: &Client) -> Outcome {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    secrets.get("application-webhook-server-cert").await?;
    let leases: Api<Lease> = Api::namespaced(client.clone(), NAMESPACE);
    eventually("a leader", async || {
        let lease = leases
            .get(ACCOUNT)
            .await
            .map_err(|error| error.to_string())?;
        let holder = lease.spec.and_then(|spec| spec.holder_identity);
        holder
            .filter(|it| !it.is_empty())
            .ok_or_else(|| "none".to_owned())
    })
    .await?;
    Ok(())
}

/// An Application is defaulted, converted, run, reported and cleaned up.
async fn keeps_an_application(client: &Client, namespace: &str) -> Outcome {
    let applications: Api<Application> = Api::namespaced(client.clone(), namespace);
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let services: Api<Service> = Api::namespaced(client.clone(), namespace);
    let sample = include_str!("../../examples/application/config/samples/web.yaml");
    let mut web: Application = serde_saphyr::from_str(sample)?;
    web.metadata.namespace = Some(namespace.to_owned());
    let created = applications.create(&PostParams::default(), &web).await?;
    assert_eq!(created.spec.replicas, Some(1));
    eventually("its Service", async || services.get("web").await).await?;
    let ready = Patch::Merge(json!({ "status": { "replicas": 1, "readyReplicas": 1 } }));
    eventually("its Deployment", async || {
        let params = PatchParams::default();
        deployments.patch_status("web", &params, &ready).await
    })
    .await?;
    eventually("its status", async || {
        let web = applications
            .get("web")
            .await
            .map_err(|error| error.to_string())?;
        let status = web.status.unwrap_or_default();
        if status.ready_replicas == 1 {
            Ok(())
        } else {
            Err(format!("{status:?}"))
        }
    })
    .await?;
    applications.delete("web", &DeleteParams::default()).await?;
    eventually("its end", async || {
        let left = applications
            .get_opt("web")
            .await
            .map_err(|error| error.to_string())?;
        left.map_or(Ok(()), |web| Err(format!("{web:?}")))
    })
    .await?;
    Ok(())
}

async fn records_events(client: &Client, is_elected: bool) -> Outcome {
    let events: Api<Event> = Api::all(client.clone());
    let of_election = is_elected.then_some("LeaderElection");
    for reason in ["Applied"].into_iter().chain(of_election) {
        eventually("events", async || {
            let params = ListParams::default().fields(&format!("reason={reason}"));
            let events = events
                .list(&params)
                .await
                .map_err(|error| error.to_string())?;
            if events.items.is_empty() {
                Err(reason.to_owned())
            } else {
                Ok(())
            }
        })
        .await?;
    }
    Ok(())
}

/// Metrics are served to clients with the role.
async fn shows_metrics(plane: &ControlPlane, metrics: SocketAddr) -> Outcome {
    let params = PostParams::default();
    let accounts: Api<ServiceAccount> = Api::namespaced(plane.client(), NAMESPACE);
    let account = serde_json::from_value(json!({ "metadata": { "name": "prometheus" } }))?;
    accounts.create(&params, &account).await?;
    let binding: k8s_openapi::api::rbac::v1::ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": { "name": "prometheus" },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "application-metrics-reader",
        },
        "subjects": [{ "kind": "ServiceAccount", "name": "prometheus", "namespace": NAMESPACE }],
    }))?;
    Api::all(plane.client()).create(&params, &binding).await?;
    for (account, is_allowed) in [("prometheus", true), (ACCOUNT, false)] {
        let mut config = Config::new(format!("https://{metrics}").parse()?);
        config.accept_invalid_certs = true;
        config.auth_info = AuthInfo {
            token: Some(token(plane, account).await?.into()),
            ..AuthInfo::default()
        };
        let request = http::Request::get("/metrics").body(Vec::new())?;
        let answer = Client::try_from(config)?.request_text(request).await;
        assert_eq!(answer.is_ok(), is_allowed, "{account}: {answer:?}");
    }
    Ok(())
}
