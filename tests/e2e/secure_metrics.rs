//! Tests of metrics over TLS, with the authorization of the real API server.

use e2e::ControlPlane;
use genclient_controller::{Manager, SecureMetrics};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, PostParams};
use kube::config::AuthInfo;
use kube::{Client, Config, Error};
use libtest_mimic::Failed;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "secure_metrics::only_authorized_clients_read_metrics",
        only_authorized_clients_read_metrics,
    );
}

async fn only_authorized_clients_read_metrics(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("metrics").await?;
    let mut tokens = Vec::new();
    for name in ["reader", "stranger"] {
        tokens.push(token(plane, &namespace, name).await?);
    }
    grant(plane, &namespace, "reader").await?;
    let manager = Manager::builder("metrics")
        .client(plane.client())
        .metrics_bind_address(([127, 0, 0, 1], 0).into())
        .secure_metrics(SecureMetrics::self_signed())
        .build()
        .await?;
    let address = manager.metrics_address().ok_or("no address")?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));
    let cases = [
        (Some(tokens[0].clone()), 200),
        (Some(tokens[1].clone()), 403),
        (Some("unknown".to_owned()), 401),
        (None, 401),
    ];
    // Twice: the second time, the cached answers of the API server are used.
    for (token, expected) in cases.iter().chain(&cases) {
        let mut config = Config::new(format!("https://{address}").parse()?);
        config.accept_invalid_certs = true;
        config.auth_info = AuthInfo {
            token: token.clone().map(Into::into),
            ..AuthInfo::default()
        };
        let client = Client::try_from(config)?;
        let request = http::Request::get("/metrics").body(Vec::new())?;
        let code = match client.request_text(request).await {
            Ok(metrics) => {
                assert!(
                    metrics.contains("event_broadcaster_events_total"),
                    "{metrics}"
                );
                200
            }
            Err(Error::Api(status)) => status.code,
            Err(error) => return Err(error.into()),
        };
        assert_eq!(code, *expected, "{token:?}");
    }
    stop.cancel();
    Ok(run.await??)
}

/// Returns a token of a new service account.
async fn token(plane: &ControlPlane, namespace: &str, name: &str) -> Result<String, Failed> {
    let accounts: Api<ServiceAccount> = Api::namespaced(plane.client(), namespace);
    let account = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
    accounts.create(&PostParams::default(), &account).await?;
    let request = TokenRequest {
        spec: Some(TokenRequestSpec::default()),
        ..TokenRequest::default()
    };
    let answer = accounts
        .create_token_request(name, &PostParams::default(), &request)
        .await?;
    let token = answer.status.and_then(|status| status.token);
    Ok(token.ok_or("no token")?)
}

/// Permits a service account to read `/metrics`.
async fn grant(plane: &ControlPlane, namespace: &str, account: &str) -> Outcome {
    let role: ClusterRole = serde_json::from_value(json!({
        "metadata": { "name": namespace },
        "rules": [{ "nonResourceURLs": ["/metrics"], "verbs": ["get"] }],
    }))?;
    let binding: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": { "name": namespace },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": namespace },
        "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": namespace }],
    }))?;
    let params = PostParams::default();
    Api::all(plane.client()).create(&params, &role).await?;
    Api::all(plane.client()).create(&params, &binding).await?;
    Ok(())
}
