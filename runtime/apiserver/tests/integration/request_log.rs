//! Tests of the request log.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genclient_apiserver::{ApiServer, Verb};
use http::Request;
use http_body_util::Empty;
use tokio::time::timeout;
use tower::Service;
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Level};

/// Logged text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn each_request_is_logged_on_one_line() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .without_time()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // A second dispatcher: with a single one, threads without a dispatcher disable events for all
    // threads.
    let _second = Dispatch::new(NoSubscriber::new());
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = ApiServer::builder().build().unwrap();
    server
        .fail(Verb::List, "pods")
        .delay(Duration::from_secs(3));
    server.fail(Verb::List, "nodes").cut();
    server.fail(Verb::List, "secrets").hang();
    for path in [
        "/version",
        "/api/v1/pods?limit=1",
        "http://apiserver.invalid/api/v1/namespaces/no",
        "/api/v1/namespaces?watch=1",
        "/api/v1/nodes",
        "/api/v1/secrets",
    ] {
        let request = Request::get(path)
            .body(Empty::<bytes::Bytes>::new())
            .unwrap();
        let answered = timeout(Duration::from_secs(5), server.clone().call(request));
        drop(answered.await);
    }
    let written = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<_> = written.lines().map(str::trim).collect();
    let expected = [
        r#"GET path="/version" code=200 duration=0ns"#,
        r#"GET path="/api/v1/pods?limit=1" code=200 duration=3s"#,
        r#"GET path="/api/v1/namespaces/no" code=404 duration=0ns"#,
        r#"GET path="/api/v1/namespaces?watch=1" code=200 duration=0ns"#,
        r#"GET path="/api/v1/nodes" error=the connection was cut by a fault duration=0ns"#,
        r#"GET path="/api/v1/secrets" error="canceled by the client" duration=5s"#,
    ];
    let expected = expected
        .map(|line| format!("DEBUG genclient_apiserver::request_log: request method={line}"));
    assert_eq!(lines, expected);
}
