//! Tests of credentials that change: exec plugins, token files and client certificates.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use http::Request;
use kube::client::Body;
use kube::config::{ExecConfig, ExecInteractiveMode};
use kube::{Client, Config};
use serde_json::{Value, json};

use super::super::credentials::Credentials;
use super::super::send_with_renewal;
use super::server::{Issued, Server};
use super::{connect, get, watch};
use crate::error_chain::error_chain;

/// Folder of a test, removed with its value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("credentials-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Returns a plugin that prints the file `credential`, and counts its runs in the file `runs`.
    fn plugin(&self) -> ExecConfig {
        let script = r#"echo "$KUBERNETES_EXEC_INFO" >> "$FOLDER/runs"; cat "$FOLDER/credential""#;
        let folder = self.0.to_str().unwrap().to_owned();
        let variable = [("name", "FOLDER".to_owned()), ("value", folder)]
            .map(|(key, value)| (key.to_owned(), value));
        ExecConfig {
            api_version: Some("client.authentication.k8s.io/v1".to_owned()),
            command: Some("sh".to_owned()),
            args: Some(vec!["-c".to_owned(), script.to_owned()]),
            env: Some(vec![variable.into()]),
            interactive_mode: Some(ExecInteractiveMode::Never),
            ..serde_json::from_value(json!({})).unwrap()
        }
    }

    fn prints(&self, status: Value) {
        let credential = json!({"kind": "ExecCredential", "status": status});
        self.write("credential", credential.to_string());
    }

    fn runs(&self) -> usize {
        let runs = fs::read_to_string(self.path("runs")).unwrap_or_default();
        assert!(runs.lines().all(|info| {
            let info: Value = serde_json::from_str(info).unwrap();
            info["spec"]["interactive"] == json!(false)
        }));
        runs.lines().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn post(client: &Client) -> u16 {
    let request = Request::post("/pods").body(Body::from(b"{}".to_vec()));
    let response = client.send(request.unwrap()).await.unwrap();
    response.status().as_u16()
}

/// Without an expiry, only a 401 shows that a token is no longer valid.
#[tokio::test]
async fn rejected_token_of_a_plugin_is_replaced() {
    let (server, folder) = (Server::start().await, Folder::new());
    let mut config = server.config();
    config.auth_info.exec = Some(folder.plugin());
    folder.prints(json!({"token": "first"}));
    server.accept("Bearer first");
    let client = connect(config);
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert_eq!(folder.runs(), 1);

    folder.prints(json!({"token": "second"}));
    server.accept("Bearer second");
    // One run for requests at the same time, each of which is sent again: writes as well.
    let answers = join_all((0..20).map(|_| post(&client))).await;
    assert_eq!(answers, [200; 20]);
    assert_eq!(folder.runs(), 2);
    // The certificate is the same, and so are the connections.
    assert_eq!(server.connections(), 1);
}

/// While the API server rejects every token, the plugin is not run for every request.
#[tokio::test]
async fn plugin_runs_at_most_once_in_five_seconds() {
    let (server, folder) = (Server::start().await, Folder::new());
    let mut config = server.config();
    config.auth_info.exec = Some(folder.plugin());
    folder.prints(json!({"token": "first"}));
    server.accept("Bearer other");
    let client = connect(config);
    for _ in 0..10 {
        assert_eq!(get(&client, "/pods").await.unwrap(), 401);
    }
    assert_eq!(folder.runs(), 2);
    // Each request is sent once, apart from the one that ran the plugin.
    assert_eq!(server.seen().len(), 11);
}

#[tokio::test]
async fn token_that_is_about_to_expire_is_replaced_before() {
    let (server, folder) = (Server::start().await, Folder::new());
    let mut config = server.config();
    config.auth_info.exec = Some(folder.plugin());
    folder.prints(json!({"token": "first", "expirationTimestamp": "2020-01-01T00:00:00Z"}));
    server.accept("Bearer second");
    let client = connect(config);
    let expiry = "2999-01-01T00:00:00Z";
    folder.prints(json!({"token": "second", "expirationTimestamp": expiry}));
    for _ in 0..3 {
        assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    }
    assert_eq!(folder.runs(), 2);
    assert_eq!(server.seen().len(), 3);
}

/// The command of kube's provider `gcp`.
#[tokio::test]
async fn command_of_an_auth_provider_is_run_again() {
    let (server, folder) = (Server::start().await, Folder::new());
    let script = r#"cd "$(dirname "$0")"; echo run >> count; printf %s "$(cat token)""#;
    let script = folder.write("script", script);
    let provider = json!({"name": "gcp", "config": {"cmd-path": "sh", "cmd-args": script}});
    let mut config = server.config();
    config.auth_info.auth_provider = Some(serde_json::from_value(provider).unwrap());
    folder.write("token", "first");
    server.accept("Bearer first");
    let client = connect(config);
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    folder.write("token", "second");
    server.accept("Bearer second");
    assert_eq!(post(&client).await, 200);
    let runs = fs::read_to_string(folder.path("count")).unwrap();
    assert_eq!(runs.lines().count(), 2);
}

#[tokio::test]
async fn rejected_token_file_is_read_again() {
    let (server, folder) = (Server::start().await, Folder::new());
    let mut config = server.config();
    config.auth_info.token_file = Some(folder.write("token", "first"));
    server.accept("Bearer first");
    let client = connect(config);
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    folder.write("token", "second");
    server.accept("Bearer second");
    assert_eq!(post(&client).await, 200);
    // The last token is kept if the file cannot be read.
    fs::remove_file(folder.path("token")).unwrap();
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
}

fn set_client_certificate(folder: &Folder, issued: &Issued, config: &mut Config) {
    config.auth_info.client_certificate = Some(folder.write("tls.crt", &issued.certificate));
    config.auth_info.client_key = Some(folder.write("tls.key", &issued.key));
}

/// New connections present the new certificate. Open watches go on.
#[tokio::test]
async fn rejected_client_certificate_is_read_again() {
    let (server, folder) = (Server::start().await, Folder::new());
    let [first, second] = ["first", "second"].map(|name| server.authority().issue(name));
    let mut config = server.config();
    set_client_certificate(&folder, &first, &mut config);
    server.accept_certificate(&first);
    let client = connect(config.clone());
    let mut watched = watch(&client).await;
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    set_client_certificate(&folder, &second, &mut config);
    server.accept_certificate(&second);
    assert_eq!(post(&client).await, 200);
    assert_eq!(server.connections(), 2);
    let body = http_body_util::BodyExt::frame(watched.0.body_mut());
    let silent = tokio::time::timeout(Duration::from_millis(200), body).await;
    assert!(silent.is_err(), "the watch has ended");
}

/// Certificate files are read every five minutes. Only another certificate leads to new
/// connections.
#[tokio::test]
async fn changed_client_certificate_is_noticed() {
    let (server, folder) = (Server::start().await, Folder::new());
    let [first, second] = ["first", "second"].map(|name| server.authority().issue(name));
    let mut config = server.config();
    set_client_certificate(&folder, &first, &mut config);
    let credentials = Arc::new(Credentials::new(config.clone(), super::PINGS).unwrap());
    let presented = async || {
        let url = format!("{}pods", config.cluster_url);
        let request = Request::get(url).body(Body::empty()).unwrap();
        send_with_renewal(Arc::clone(&credentials), request)
            .await
            .unwrap();
        (
            server.seen().pop().unwrap().certificate,
            server.connections(),
        )
    };
    assert_eq!(presented().await, (Some(first.der.clone()), 1));
    set_client_certificate(&folder, &second, &mut config.clone());
    assert_eq!(presented().await, (Some(first.der.clone()), 1));
    credentials.make_due();
    // No request waits for credentials while the old ones are valid.
    assert_eq!(presented().await, (Some(first.der.clone()), 1));
    credentials.settled().await;
    assert_eq!(presented().await, (Some(second.der.clone()), 2));
    credentials.make_due();
    assert_eq!(presented().await, (Some(second.der.clone()), 2));
    credentials.settled().await;
    assert_eq!(presented().await, (Some(second.der.clone()), 2));
}

#[tokio::test]
async fn plugin_may_return_a_client_certificate() {
    let (server, folder) = (Server::start().await, Folder::new());
    let [first, second] = ["first", "second"].map(|name| server.authority().issue(name));
    let status = |issued: &Issued| {
        json!({
            "clientCertificateData": issued.certificate,
            "clientKeyData": issued.key,
            "token": "both",
        })
    };
    let mut config = server.config();
    config.auth_info.exec = Some(folder.plugin());
    folder.prints(status(&first));
    server.accept("Bearer both");
    server.accept_certificate(&first);
    let client = connect(config);
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert_eq!(folder.runs(), 1);
    folder.prints(status(&second));
    server.accept_certificate(&second);
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert_eq!(folder.runs(), 2);
    let last = server.seen().pop().unwrap();
    assert_eq!(last.certificate, Some(second.der));
    assert_eq!(last.authorization.as_deref(), Some("Bearer both"));
}

/// A token, a password or a client certificate in the configuration cancels the plugin.
#[tokio::test]
async fn other_credentials_cancel_the_plugin() {
    let (server, folder) = (Server::start().await, Folder::new());
    folder.prints(json!({"token": "of the plugin"}));
    let issued = server.authority().issue("stated");
    let [mut token, mut password, mut certificate] = std::array::from_fn(|_| {
        let mut config = server.config();
        config.auth_info.exec = Some(folder.plugin());
        config
    });
    token.auth_info.token = Some("stated".to_owned().into());
    password.auth_info.username = Some("marshmallow".to_owned());
    password.auth_info.password = Some("zelda".to_owned().into());
    set_client_certificate(&folder, &issued, &mut certificate);
    for (config, authorization, certificate) in [
        (token, Some("Bearer stated"), None),
        (password, Some("Basic bWFyc2htYWxsb3c6emVsZGE="), None),
        (certificate, None, Some(&issued.der)),
    ] {
        assert_eq!(get(&connect(config), "/pods").await.unwrap(), 200);
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.authorization.as_deref(), authorization);
        assert_eq!(seen.certificate.as_ref(), certificate);
    }
    assert_eq!(folder.runs(), 0);
}

/// The old token stays in use while the plugin fails.
#[tokio::test]
async fn failing_plugin_does_not_break_the_connection() {
    let (server, folder) = (Server::start().await, Folder::new());
    let mut config = server.config();
    config.auth_info.exec = Some(folder.plugin());
    folder.prints(json!({"token": "first"}));
    let client = connect(config);
    fs::remove_file(folder.path("credential")).unwrap();
    server.accept("Bearer second");
    assert_eq!(get(&client, "/pods").await.unwrap(), 401);
    server.accept("Bearer first");
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert_eq!(folder.runs(), 2);
}

/// Each case: output of a plugin, or `None` if there is no such program; expected error.
#[tokio::test]
async fn errors_of_plugins_do_not_contain_tokens() {
    let cases = [
        (
            None,
            "cannot run `no-such-plugin`: No such file or directory (os error 2)\nget it",
        ),
        (
            Some("hunter2"),
            "cannot decode the plugin's output as ExecCredential (line 1, column 1)",
        ),
        (
            Some(r#"{"status": {"token": ["hunter2"]}}"#),
            "as ExecCredential (line 1",
        ),
        (Some("{}"), "did not contain a status"),
        (
            Some(r#"{"status": {"token": ""}}"#),
            "neither a token nor a client certificate",
        ),
        (
            Some(r#"{"status": {"token": "hunter2", "clientKeyData": "hunter2"}}"#),
            "only one of client certificate and key",
        ),
        (
            Some(r#"{"status": {"token": "hunter2", "expirationTimestamp": "soon"}}"#),
            "expiration date",
        ),
    ];
    for (output, expected) in cases {
        let folder = Folder::new();
        let mut plugin = folder.plugin();
        match output {
            Some(output) => drop(folder.write("credential", output)),
            None => {
                plugin.command = Some("no-such-plugin".to_owned());
                plugin.install_hint = Some("get it".to_owned());
            }
        }
        let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
        config.auth_info.exec = Some(plugin);
        let error = super::build_service_with(config, super::PINGS)
            .err()
            .unwrap();
        let text = error_chain(&error).map(|cause| format!("{cause} {cause:?}"));
        let text = Vec::from_iter(text).join("\n");
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// The header that a caller sets is sent.
#[tokio::test]
async fn stated_authorization_takes_precedence() {
    let server = Server::start().await;
    let mut config = server.config();
    config.auth_info.token = Some("configured".to_owned().into());
    let client = connect(config);
    let request = Request::get("/pods")
        .header("authorization", "Bearer stated")
        .body(Body::empty())
        .unwrap();
    assert_eq!(client.send(request).await.unwrap().status(), 200);
    let seen = server.seen().pop().unwrap();
    assert_eq!(seen.authorization.as_deref(), Some("Bearer stated"));
}
