//! What is added to writes.

use http::Method;
use kube::api::ValidationDirective;
use serde_json::json;

use super::super::{Settings, WriteDefaults};
use super::{Server, send};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
async fn writes_say_what_their_parameters_do_not() {
    let all = || WriteDefaults {
        field_manager: Some("my controller/1".to_owned()),
        field_validation: Some(ValidationDirective::Strict),
        dry_run: true,
    };
    let manager = || WriteDefaults {
        field_manager: Some("me".to_owned()),
        ..WriteDefaults::default()
    };
    let everything = "fieldManager=my%20controller%2F1&fieldValidation=Strict&dryRun=All";
    let none = json!(null);
    for (method, uri, body, defaults, sent, sent_body) in [
        (
            Method::POST,
            "/pods",
            &none,
            all(),
            format!("/pods?{everything}"),
            &none,
        ),
        (
            Method::PUT,
            "/pods/a?",
            &none,
            all(),
            format!("/pods/a?{everything}"),
            &none,
        ),
        (
            Method::PATCH,
            "/pods/a?&force=true",
            &none,
            all(),
            format!("/pods/a?&force=true&{everything}"),
            &none,
        ),
        (
            Method::PUT,
            "/pods/a?fieldManager=you",
            &none,
            manager(),
            "/pods/a?fieldManager=you".to_owned(),
            &none,
        ),
        (
            Method::PUT,
            "/pods/a?myfieldManager=you",
            &none,
            manager(),
            "/pods/a?myfieldManager=you&fieldManager=me".to_owned(),
            &none,
        ),
        (
            Method::POST,
            "/pods?dryRun=All",
            &none,
            manager(),
            "/pods?dryRun=All&fieldManager=me".to_owned(),
            &none,
        ),
        (
            Method::POST,
            "/pods",
            &none,
            WriteDefaults::default(),
            "/pods".to_owned(),
            &none,
        ),
        (
            Method::POST,
            "/pods/a/exec?command=ls",
            &none,
            all(),
            "/pods/a/exec?command=ls".to_owned(),
            &none,
        ),
        (
            Method::POST,
            "/services/a/proxy/x",
            &none,
            all(),
            "/services/a/proxy/x".to_owned(),
            &none,
        ),
        (
            Method::GET,
            "/pods?limit=1",
            &none,
            all(),
            "/pods?limit=1".to_owned(),
            &none,
        ),
        (
            Method::DELETE,
            "/pods/a",
            &none,
            all(),
            "/pods/a".to_owned(),
            &json!({"dryRun": ["All"]}),
        ),
        (
            Method::DELETE,
            "/pods/a",
            &json!({"gracePeriodSeconds": 0}),
            all(),
            "/pods/a".to_owned(),
            &json!({"gracePeriodSeconds": 0, "dryRun": ["All"]}),
        ),
        (
            Method::DELETE,
            "/pods/a",
            &json!({"gracePeriodSeconds": 0}),
            manager(),
            "/pods/a".to_owned(),
            &json!({"gracePeriodSeconds": 0}),
        ),
    ] {
        let server = Server::default();
        let client = server.client(Settings {
            defaults,
            ..Settings::default()
        });
        send(&client, method, uri, body).await.unwrap();
        let call = server.calls.lock()[0].clone();
        assert_eq!(call.uri, sent);
        assert_eq!(&call.body, sent_body, "{uri}");
    }
}

#[tokio::test]
async fn a_delete_that_cannot_be_made_a_dry_run_is_not_sent() {
    let server = Server::default();
    let client = server.client(Settings {
        defaults: WriteDefaults {
            dry_run: true,
            ..WriteDefaults::default()
        },
        ..Settings::default()
    });
    let sent = send(&client, Method::DELETE, "/pods/a", &json!("no options")).await;
    assert!(sent.is_err());
    assert!(server.calls.lock().is_empty());
}
