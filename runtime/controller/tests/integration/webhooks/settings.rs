//! Tests of the settings of webhook servers.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use genclient_controller::SetupError;
use genclient_controller::webhook::{
    Admission, Certificates, Change, Denied, Validator, Warnings, WebhookFlags, WebhookServer,
    Webhooks,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;

use super::serving::{Allows, files, manager};

/// A validator at a custom path.
struct At;

impl Validator for At {
    type Object = ConfigMap;
    const PATH: Option<&'static str> = Some("/a b");

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        Ok(Warnings::none())
    }
}

#[tokio::test]
async fn invalid_webhook_settings_are_errors_at_add() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap();
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut manager = manager().await;
    let server = |webhooks| WebhookServer::new(webhooks, files(folder.path()));
    let wrong = manager.add(server(Webhooks::new().validator(At)));
    assert!(
        matches!(wrong, Err(SetupError::WebhookPath { .. })),
        "{wrong:?}"
    );
    let authorities = server(Webhooks::new().validator(Allows)).client_authorities("no PEM");
    let wrong = manager.add(authorities.bind_address(free)).unwrap_err();
    assert!(matches!(wrong, SetupError::ClientAuthorities(_)), "{wrong}");
    type Settings = fn(Certificates) -> Certificates;
    let cases: [(Settings, &str); 5] = [
        (|own| own, "`.service(..)` or `.url(..)` is required"),
        (
            |own| own.url("127.0.0.1:9443"),
            "invalid URL `127.0.0.1:9443`: expected `https://`, a host and a port, such as `https://127.0.0.1:9443`",
        ),
        (
            |own| own.service("webhooks").url("http://127.0.0.1:9443"),
            "invalid URL `http://127.0.0.1:9443`: expected `https://`, a host and a port, such as `https://127.0.0.1:9443`",
        ),
        (
            |own| own.service("webhooks").lifetime(Duration::ZERO),
            "`.lifetime(..)` must be between 1 second and 100 years",
        ),
        (
            |own| own.service("webhooks").authority_lifetime(Duration::MAX),
            "`.authority_lifetime(..)` must be between 1 second and 100 years",
        ),
    ];
    for (settings, expected) in cases {
        let own = settings(Certificates::own("webhook-certificate"));
        let webhooks = Webhooks::new().validator(Allows);
        let server = WebhookServer::new(webhooks, own).bind_address(free);
        let wrong = manager.add(server).unwrap_err().to_string();
        assert_eq!(wrong, format!("`Certificates::own`: {expected}"));
    }
    let wrong = manager.add(server(Webhooks::new().validator(Allows)).bind_address(taken));
    assert!(matches!(wrong, Err(SetupError::Listen { .. })), "{wrong:?}");
}

/// Zero disables the server, as for other servers.
#[tokio::test]
async fn bind_address_0_disables_the_webhook_server() {
    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        webhook: WebhookFlags,
    }

    let line = ["program", "--webhook-bind-address=0"];
    let program = <Program as clap::Parser>::parse_from(line);
    // It does not matter if another program already has this port.
    let _taken = TcpListener::bind("0.0.0.0:9443");
    let mut manager = manager().await;
    let webhooks = Webhooks::new().validator(Allows);
    let server = WebhookServer::from_flags(webhooks, &program.webhook);
    let handle = manager.add(server).unwrap();
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));
    handle.ended().await;
    stop.cancel();
    run.await.unwrap().unwrap();
}

#[tokio::test]
async fn listener_without_webhooks_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut manager = manager().await;
    let server = WebhookServer::new(Webhooks::new(), files(folder.path())).listener(listener);
    manager.add(server).unwrap();
    let refused = std::net::TcpStream::connect(address).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}
