//! Tests of the default parameters of writes.

use http::Method;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ValidationDirective;
use serde_json::{Value, json};

use super::super::defaults::WriteDefaults;
use super::super::stack::StackSettings;
use super::{Server, send};
use crate::client::{Patch, PatchParams, TypedClient};

fn all_defaults() -> WriteDefaults {
    WriteDefaults {
        field_manager: Some("my controller/1".to_owned()),
        field_validation: Some(ValidationDirective::Strict),
        dry_run: true,
        ..WriteDefaults::default()
    }
}

fn manager_default() -> WriteDefaults {
    WriteDefaults {
        field_manager: Some("me".to_owned()),
        ..WriteDefaults::default()
    }
}

macro_rules! everything {
    () => {
        "fieldManager=my%20controller%2F1&fieldValidation=Strict&dryRun=All"
    };
}

type Defaults = fn() -> WriteDefaults;

/// Each case: method, address and body of a request; the defaults of its connection; the address
/// and body that are sent.
const WRITES: &[(Method, &str, &str, Defaults, &str, &str)] = &[
    (
        Method::POST,
        "/pods",
        "null",
        all_defaults,
        concat!("/pods?", everything!()),
        "null",
    ),
    (
        Method::PUT,
        "/pods/a?",
        "null",
        all_defaults,
        concat!("/pods/a?", everything!()),
        "null",
    ),
    (
        Method::PATCH,
        "/pods/a?&force=true",
        "null",
        all_defaults,
        concat!("/pods/a?&force=true&", everything!()),
        "null",
    ),
    (
        Method::PUT,
        "/pods/a?fieldManager=you",
        "null",
        manager_default,
        "/pods/a?fieldManager=you",
        "null",
    ),
    (
        Method::PUT,
        "/pods/a?myfieldManager=you",
        "null",
        manager_default,
        "/pods/a?myfieldManager=you&fieldManager=me",
        "null",
    ),
    (
        Method::POST,
        "/pods?dryRun=All",
        "null",
        manager_default,
        "/pods?dryRun=All&fieldManager=me",
        "null",
    ),
    (
        Method::POST,
        "/pods",
        "null",
        WriteDefaults::default,
        "/pods",
        "null",
    ),
    (
        Method::POST,
        "/api/v1/namespaces/default/pods/a/exec?command=ls",
        "null",
        all_defaults,
        "/api/v1/namespaces/default/pods/a/exec?command=ls",
        "null",
    ),
    (
        Method::POST,
        "/api/v1/namespaces/proxy/services/a/proxy/x",
        "null",
        all_defaults,
        "/api/v1/namespaces/proxy/services/a/proxy/x",
        "null",
    ),
    (
        Method::POST,
        "/api/v1/nodes/a/proxy",
        "null",
        all_defaults,
        "/api/v1/nodes/a/proxy",
        "null",
    ),
    // Namespaces and objects with names of subresources.
    (
        Method::POST,
        "/api/v1/namespaces/proxy/pods",
        "null",
        all_defaults,
        concat!("/api/v1/namespaces/proxy/pods?", everything!()),
        "null",
    ),
    (
        Method::PUT,
        "/api/v1/namespaces/default/configmaps/exec",
        "null",
        all_defaults,
        concat!("/api/v1/namespaces/default/configmaps/exec?", everything!()),
        "null",
    ),
    (
        Method::PUT,
        "/apis/falldio.com/v1/namespaces/proxy/gputasks/proxy/status",
        "null",
        all_defaults,
        concat!(
            "/apis/falldio.com/v1/namespaces/proxy/gputasks/proxy/status?",
            everything!()
        ),
        "null",
    ),
    (
        Method::GET,
        "/pods?limit=1",
        "null",
        all_defaults,
        "/pods?limit=1",
        "null",
    ),
    (
        Method::DELETE,
        "/pods/a",
        "null",
        all_defaults,
        "/pods/a",
        r#"{"dryRun": ["All"]}"#,
    ),
    (
        Method::DELETE,
        "/pods/a",
        r#"{"gracePeriodSeconds": 0}"#,
        all_defaults,
        "/pods/a",
        r#"{"gracePeriodSeconds": 0, "dryRun": ["All"]}"#,
    ),
    (
        Method::DELETE,
        "/pods/a",
        r#"{"gracePeriodSeconds": 0}"#,
        manager_default,
        "/pods/a",
        r#"{"gracePeriodSeconds": 0}"#,
    ),
];

#[tokio::test]
async fn write_defaults_fill_unset_parameters() {
    for (method, uri, body, defaults, sent, sent_body) in WRITES {
        let server = Server::default();
        let client = server.client(StackSettings {
            defaults: defaults(),
            ..StackSettings::default()
        });
        let [body, sent_body] =
            [body, sent_body].map(|text| serde_json::from_str::<Value>(text).unwrap());
        send(&client, method.clone(), uri, &body).await.unwrap();
        let call = server.calls.lock()[0].clone();
        assert_eq!(call.uri, *sent);
        assert_eq!(call.body, sent_body, "{uri}");
    }
}

/// The field manager is the one of the parameters, or else of the connection, or else of the user
/// agent.
#[tokio::test]
async fn field_manager_of_the_parameters_takes_precedence() {
    for (stated, connection, expected) in [
        (Some("stated"), Some("connection"), "stated"),
        (None, Some("connection"), "connection"),
        (Some(""), Some("connection"), "connection"),
        (Some("stated"), None, "stated"),
        (None, None, "program"),
    ] {
        let server = Server::default();
        let client = server.client(StackSettings {
            defaults: WriteDefaults {
                field_manager: connection.map(str::to_owned),
                applier: Some("program".to_owned()),
                ..WriteDefaults::default()
            },
            ..StackSettings::default()
        });
        let maps = TypedClient::<ConfigMap>::namespaced(client, "a");
        let params = PatchParams {
            field_manager: stated.map(str::to_owned),
            ..PatchParams::default()
        };
        let applied = json!({"data": {}});
        maps.apply("b", &applied, &params).await.unwrap();
        let none = Patch::Merge(&applied);
        maps.patch("b", &none, &PatchParams::default())
            .await
            .unwrap();
        let calls = server.calls.lock();
        let manager = |uri: &str| {
            let (_, manager) = uri.split_once("fieldManager=")?;
            Some(manager.to_owned())
        };
        assert_eq!(manager(&calls[0].uri).as_deref(), Some(expected));
        // For other writes, the API server uses the user agent.
        assert_eq!(manager(&calls[1].uri).as_deref(), connection);
    }
}

#[tokio::test]
async fn delete_is_not_sent_if_dry_run_cannot_be_set() {
    let server = Server::default();
    let client = server.client(StackSettings {
        defaults: WriteDefaults {
            dry_run: true,
            ..WriteDefaults::default()
        },
        ..StackSettings::default()
    });
    let sent = send(&client, Method::DELETE, "/pods/a", &json!("no options")).await;
    assert!(sent.is_err());
    assert!(server.calls.lock().is_empty());
}
