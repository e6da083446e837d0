//! Tests of failed starts, flags, logs and shutdown.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use genclient::kube::api::{Api, WatchParams};
use genclient_envtest::{ControlPlane, ControlPlaneBuilder, StartError};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::{Outcome, Tests, refusal};

pub(crate) fn tests(tests: &mut Tests) {
    tests.alone("stops::shutdown_is_quick_without_watches", shutdown);
    tests.alone("stops::watches_outlast_the_stop_timeout", watched);
    tests.alone("stops::unknown_flag_is_shown", unknown_flag);
    tests.alone("stops::late_start_is_shown", late);
}

fn builder() -> ControlPlaneBuilder {
    ControlPlane::builder().existing_cluster(false)
}

async fn shutdown() -> Outcome {
    let parent = tempfile::tempdir()?;
    let plane = builder()
        .folder(parent.path().join("new"))
        .api_server_flags(["--runtime-config=autoscaling/v2=false"])
        .etcd_flags(["--log-level=info"])
        .keep_logs(true)
        .start()
        .await?;
    let client = plane.client();
    let request = |path: &str| http::Request::get(path).body(Vec::new());
    client
        .request_text(request("/apis/autoscaling/v1")?)
        .await?;
    let error = client.request_text(request("/apis/autoscaling/v2")?).await;
    assert!(error.is_err(), "the flag of the builder is not there");
    drop(client);

    let logs = plane.logs().to_owned();
    assert!(logs.starts_with(parent.path()), "{}", logs.display());
    let start = Instant::now();
    plane.shutdown().await?;
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    let request = request("/version")?;
    assert!(
        plane.client().request_text(request).await.is_err(),
        "still served"
    );
    drop(plane);
    let etcd = std::fs::read_to_string(logs.join("etcd.log"))?;
    assert!(etcd.contains(r#""level":"info""#), "{etcd}");
    assert!(logs.join("kube-apiserver.log").exists());
    Ok(())
}

async fn watched() -> Outcome {
    let plane = builder()
        .stop_timeout(Duration::from_secs(1))
        .start()
        .await?;
    let maps: Api<ConfigMap> = Api::all(plane.client());
    let watch = maps.watch(&WatchParams::default(), "0").await?;
    let mut watch = std::pin::pin!(watch);
    assert!(watch.next().await.is_some(), "no event");
    let error = refusal(plane.shutdown().await)?;
    let message = "kube-apiserver did not end within 1 s after SIGTERM and was killed";
    assert!(error.to_string().starts_with(message), "{error}");
    let logs = plane.logs().to_owned();
    drop(plane);
    assert!(!logs.exists(), "{} is left behind", logs.display());
    Ok(())
}

async fn unknown_flag() -> Outcome {
    let parent = tempfile::tempdir()?;
    let builder = builder().folder(parent.path());
    match builder.api_server_flags(["--no-such-flag"]).start().await {
        Err(StartError::Ended {
            program: "kube-apiserver",
            last_words,
            logs,
            ..
        }) => {
            assert!(
                last_words.contains("unknown flag: --no-such-flag"),
                "{last_words}"
            );
            assert!(logs.join("kube-apiserver.log").exists());
            Ok(())
        }
        Err(other) => Err(other.explain().into()),
        Ok(_) => Err("it started".into()),
    }
}

async fn late() -> Outcome {
    let parent = tempfile::tempdir()?;
    let builder = builder().folder(parent.path());
    match builder.start_timeout(Duration::ZERO).start().await {
        Err(error @ StartError::NotReady { .. }) => {
            let help = "KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=5m";
            assert!(error.to_string().contains(help), "{error}");
            Ok(())
        }
        Err(other) => Err(other.explain().into()),
        Ok(_) => Err("it started".into()),
    }
}
