//! Tests of probes and metrics over HTTP.

use std::net::SocketAddr;

use genclient::metrics::{Metric, MetricKind};
use genclient_controller::{SecureMetrics, SetupError, Task};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// An address with a free port of this host.
pub(super) const LOOPBACK: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

/// Returns the status and the body of an answer.
pub(super) async fn http_get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: tests\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn with_probes(builder: ManagerBuilder) -> ManagerBuilder {
    builder.health_probe_bind_address(LOOPBACK)
}

#[tokio::test]
async fn readiness_reports_why_a_cache_is_not_synced() {
    let api = Api::new();
    api.refuse(http::Method::GET, "configmaps", 403, usize::MAX);
    let mut address = None;
    let running = Running::start_with(&api, with_probes, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        address = manager.health_probe_address();
    })
    .await;
    let address = address.unwrap();
    advance(millis(300)).await;
    assert_eq!(http_get(address, "/healthz").await, (200, "ok".to_owned()));
    let (code, text) = http_get(address, "/readyz").await;
    assert_eq!(code, 500);
    assert_eq!(
        text,
        "[-]caches failed: reason withheld; see /readyz/caches\nreadyz check failed\n"
    );
    let (code, text) = http_get(address, "/readyz/caches").await;
    assert_eq!(code, 500);
    assert!(
        text.contains(
            "configmaps.v1 cannot be cached: a permission is missing; grant it through a ClusterRole"
        ) && text
            .contains(r#"{apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"]}"#)
            && text.contains("told to refuse"),
        "{text}"
    );
    running.stop().await.unwrap();
}

/// The cases of controller-runtime's `healthz_test.go`, in the same order.
#[tokio::test]
async fn health_probes_match_controller_runtime() {
    let api = Api::new();
    let mut address = None;
    let running = Running::start_with(&api, with_probes, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        manager.healthz_check("good", || Ok(())).unwrap();
        manager
            .healthz_check("bad", || Err("it is Monday".into()))
            .unwrap();
        manager
            .healthz_check("worse", || panic!("told to"))
            .unwrap();
        address = manager.health_probe_address();
    })
    .await;
    let address = address.unwrap();
    settle().await;
    let failed = "[-]bad failed: reason withheld; see /healthz/bad\n[+]good ok\n[-]worse failed: reason withheld; see /healthz/worse\nhealthz check failed\n";
    let excluded = "[+]bad excluded: ok\n[+]good ok\n[+]worse excluded: ok\nhealthz check passed\n";
    for (path, expected, text) in [
        ("/healthz", 500, failed),
        ("/healthz/", 500, failed),
        ("/healthz?exclude=bad&exclude=worse", 200, "ok"),
        ("/healthz?exclude=bad&exclude=worse&verbose", 200, excluded),
        ("/healthz/good", 200, "ok"),
        ("/healthz/bad", 500, "internal server error: it is Monday\n"),
        (
            "/healthz/worse",
            500,
            "internal server error: the check panicked: told to\n",
        ),
        ("/healthz/none", 404, "404 page not found\n"),
        ("/readyz", 200, "ok"),
        (
            "/readyz?verbose=true",
            200,
            "[+]caches ok\nreadyz check passed\n",
        ),
        ("/readyz?exclude=none", 200, "ok"),
        (
            "/readyz?exclude=none&verbose",
            200,
            "[+]caches ok\nwarn: some health checks cannot be excluded: no matches for \"none\"\nreadyz check passed\n",
        ),
        ("/metrics", 404, "404 page not found\n"),
        ("/", 404, "404 page not found\n"),
    ] {
        assert_eq!(
            http_get(address, path).await,
            (expected, text.to_owned()),
            "{path}"
        );
    }
    running.stop().await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn bind_address_in_use_is_an_error_at_build() {
    type Settings = fn(ManagerBuilder, SocketAddr) -> ManagerBuilder;
    let cases: [(Settings, &str); 3] = [
        (|it, at| it.metrics_bind_address(at), "the metrics server"),
        (
            |it, at| {
                it.metrics_bind_address(at)
                    .secure_metrics(SecureMetrics::self_signed())
            },
            "the metrics server",
        ),
        (
            |it, at| it.health_probe_bind_address(at),
            "the probe server",
        ),
    ];
    for (settings, server) in cases {
        let api = Api::new();
        let taken = tokio::net::TcpListener::bind(LOOPBACK).await.unwrap();
        let address = taken.local_addr().unwrap();
        let builder = Manager::builder("tests").client(api.client());
        let error = settings(builder, address).build().await.err().unwrap();
        let expected = format!("{server} cannot listen on {address}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// A client that sends nothing, or half a request, does not delay the shutdown.
#[tokio::test]
async fn slow_clients_do_not_delay_shutdown() {
    let api = Api::new();
    let mut address = None;
    let running = Running::start_with(&api, with_probes, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        address = manager.health_probe_address();
    })
    .await;
    let address = address.unwrap();
    let _silent = TcpStream::connect(address).await.unwrap();
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"GET /healthz HT").await.unwrap();
    let mut nonsense = TcpStream::connect(address).await.unwrap();
    nonsense
        .write_all(b"\x16\x03\x01\x02\x00\x01\x00")
        .await
        .unwrap();
    settle().await;
    assert_eq!(http_get(address, "/healthz").await.0, 200);
    tokio::time::timeout(Duration::from_secs(5), running.stop())
        .await
        .unwrap()
        .unwrap();
}

/// Liveness and readiness have at least one check, even if the program adds none.
#[tokio::test]
async fn default_health_checks_are_registered() {
    let api = Api::new();
    let mut address = None;
    let running = Running::start_with(&api, with_probes, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        address = manager.health_probe_address();
    })
    .await;
    let address = address.unwrap();
    settle().await;
    for path in ["/healthz", "/healthz/ping", "/readyz/caches"] {
        assert_eq!(
            http_get(address, path).await,
            (200, "ok".to_owned()),
            "{path}"
        );
    }
    running.stop().await.unwrap();
}

/// A second check of the same name would hide the first one.
#[tokio::test]
async fn duplicate_check_names_are_errors() {
    let builder = Manager::builder("tests").client(Api::new().client());
    let mut manager = builder.build().await.unwrap();
    let ready = |name: &str| Task::new(name, |_| async { Ok(()) }).ready(|| Ok(()));
    manager.add(ready("task")).unwrap();
    manager.readyz_check("mine", || Ok(())).unwrap();
    manager.healthz_check("mine", || Ok(())).unwrap();
    for name in ["task", "mine", "caches"] {
        let error = manager.readyz_check(name, || Ok(())).unwrap_err();
        let expected = format!("duplicate check name `{name}`: choose another name");
        assert_eq!(error.to_string(), expected);
    }
    let error = manager.healthz_check("leader-election", || Ok(()));
    assert!(matches!(error, Err(SetupError::SameCheck(_))));
    for name in ["mine", "caches"] {
        let error = manager.add(ready(name)).unwrap_err();
        assert!(matches!(error, SetupError::SameCheck(_)), "{error}");
        manager.add(Task::new(name, |_| async { Ok(()) })).unwrap();
    }
}

/// `/metrics` has the metrics of the program and of the manager. Other paths are not found.
#[tokio::test]
async fn custom_metrics_are_served_until_the_run_ends() {
    static GREETED: Metric = Metric {
        name: "greeted_total",
        help: "How many were greeted.",
        kind: MetricKind::Counter,
        labels: &["language"],
    };

    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        manager.metrics().counter(&GREETED, &["en"]).inc();
        address = manager.metrics_address();
    })
    .await;
    let address = address.unwrap();
    settle().await;
    let (status, text) = http_get(address, "/metrics").await;
    assert_eq!(status, 200);
    for line in [
        "# TYPE greeted_total counter",
        "greeted_total{language=\"en\"} 1",
        "controller_runtime_reconcile_total{controller=\"configmap\",result=\"success\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    for path in ["/", "/metrics/", "/debug/pprof/", "/healthz"] {
        assert_eq!(http_get(address, path).await.0, 404, "{path}");
    }
    running.stop().await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

/// As in controller-runtime, the metrics of the manager's client are served as well.
#[tokio::test]
async fn requests_of_the_client_are_measured() {
    let listener = tokio::net::TcpListener::bind(LOOPBACK).await.unwrap();
    let server = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 4096];
        while let Ok(1..) = stream.read(&mut head).await {
            let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        }
    });
    let config = genclient::kube::Config::new(format!("http://{server}").parse().unwrap());
    let builder = Manager::builder("tests").config(config);
    let manager = builder
        .metrics_bind_address(LOOPBACK)
        .build()
        .await
        .unwrap();
    let address = manager.metrics_address().unwrap();
    let client = manager.client();
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));
    let request = http::Request::get("/version").body(Vec::new()).unwrap();
    client.live().request_text(request).await.unwrap_err();
    let (_, text) = http_get(address, "/metrics").await;
    let line = r#"rest_client_requests_total{code="404",method="GET","#;
    assert!(text.lines().any(|found| found.starts_with(line)), "{text}");
    stop.cancel();
    run.await.unwrap().unwrap();
}

/// The process metrics are those of Prometheus' Go client.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn process_metrics_are_exported() {
    let api = Api::new();
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        address = manager.metrics_address();
    })
    .await;
    let (_, text) = http_get(address.unwrap(), "/metrics").await;
    let value = |name: &str| {
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value
            .unwrap_or_else(|| panic!("{name}: {text}"))
            .parse::<f64>()
            .unwrap()
    };
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    for (name, least, most) in [
        ("process_cpu_seconds_total", 0.0, 3600.0),
        ("process_max_fds", 16.0, 1e20),
        ("process_network_receive_bytes_total", 0.0, 1e20),
        ("process_network_transmit_bytes_total", 0.0, 1e20),
        ("process_open_fds", 3.0, 1e6),
        ("process_resident_memory_bytes", 1e6, 1e11),
        ("process_start_time_seconds", now - 3600.0, now + 1.0),
        ("process_virtual_memory_bytes", 1e6, 1e15),
        ("process_virtual_memory_max_bytes", 1e6, 1e20),
    ] {
        let found = value(name);
        assert!((least..most).contains(&found), "{name}: {found}");
        assert!(text.contains(&format!("# TYPE {name} ")), "{name}");
    }
    running.stop().await.unwrap();
}

/// Dropping the run closes listeners and connections.
#[tokio::test]
async fn dropping_the_run_stops_its_servers() {
    let api = Api::new();
    let mut address = None;
    let running = Running::start_with(&api, with_probes, |manager| {
        address = manager.health_probe_address();
    });
    let (running, address) = (running.await, address.unwrap());
    while http_get(address, "/healthz").await.0 != 200 {}
    let mut open = tokio::net::TcpStream::connect(address).await.unwrap();
    running.run.abort();
    assert!(running.run.await.unwrap_err().is_cancelled());
    let mut rest = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut open, &mut rest).await;
    assert!(matches!(read, Ok(0) | Err(_)), "{rest:?}");
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        advance(millis(5)).await;
    }
}
