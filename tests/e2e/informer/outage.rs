//! Tests of informers while the API server is killed, and while etcd compacts the history.

use std::time::{Duration, Instant};

use e2e::ControlPlane;
use futures::future::try_join_all;
use genclient::informer::SharedInformerFactory;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use tokio_util::sync::CancellationToken;

use super::{Stage, change, churn, compact};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.own(
        "informer::compacted_history_causes_a_relist",
        compacted_history_causes_a_relist,
    );
    suite.own(
        "informer::all_reflectors_recover_soon_after_an_outage",
        all_reflectors_recover_soon_after_an_outage,
    );
    suite.own(
        "informer::killed_server_neither_loses_nor_repeats_events_streamed",
        killed_server_neither_loses_nor_repeats_events_streamed,
    );
    suite.own(
        "informer::killed_server_neither_loses_nor_repeats_events_listed",
        killed_server_neither_loses_nor_repeats_events_listed,
    );
}

/// Without its watch cache, the API server reads and watches etcd itself, so compacted history is
/// gone.
async fn compacted_history_causes_a_relist(plane: &ControlPlane) -> Outcome {
    plane
        .start_api_server_with(&["--watch-cache=false"])
        .await?;
    for watch_list in [true, false] {
        let stage = Stage::new(plane, watch_list).await?;
        for number in 0..10 {
            change(&stage.maps, number, 0).await?;
        }
        stage.start().await?;
        // A watch that is cut before its first event counts as failed, and a list follows.
        change(&stage.maps, 0, 1).await?;
        let before = stage.settled().await?;
        assert_eq!(before.len(), 10);

        stage.gate.close();
        let seen = stage.gate.passed().len();
        for number in 0..15 {
            // Some objects are deleted, some created, and the others changed. One is deleted and
            // recreated.
            let round = if number < 3 { 3 } else { 1 };
            change(&stage.maps, number, round).await?;
        }
        change(&stage.maps, 0, 0).await?;
        let revision = compact(plane).await?;
        stage.gate.open();

        let after = stage.settled().await?;
        assert_eq!(after.len(), 13);
        let known = before
            .values()
            .filter_map(|version| version.parse().ok())
            .max();
        assert!(known < Some(revision), "{known:?} is not before {revision}");
        let passed = stage.gate.passed().split_off(seen);
        assert!(
            passed.iter().any(|it| it.status == 410 || it.has_expired),
            "nothing has expired: {passed:?}"
        );
        stage.factory.shutdown().await;
    }
    Ok(())
}

async fn killed_server_neither_loses_nor_repeats_events_streamed(plane: &ControlPlane) -> Outcome {
    killed_server_neither_loses_nor_repeats_events(plane, true).await
}

async fn killed_server_neither_loses_nor_repeats_events_listed(plane: &ControlPlane) -> Outcome {
    killed_server_neither_loses_nor_repeats_events(plane, false).await
}

/// The server is killed during changes, twice.
async fn killed_server_neither_loses_nor_repeats_events(
    plane: &ControlPlane,
    watch_list: bool,
) -> Outcome {
    let stage = Stage::new(plane, watch_list).await?;
    stage.start().await?;
    let stop = CancellationToken::new();
    let churn = tokio::spawn(churn(stage.maps.clone(), 0, stop.clone()));
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_secs(2)).await;
        plane.kill_api_server();
        plane.start_api_server().await?;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.cancel();
    let accepted = churn.await?;
    stage.settled().await?;
    let told = stage.story.events();
    assert!(accepted > 50, "{accepted} changes are no churn");
    assert!(told > 20, "{told} events of {accepted} changes");
    stage.factory.shutdown().await;
    Ok(())
}

/// Number of reflectors that wait during the outage.
const REFLECTORS: usize = 20;

/// The outage is so long that exponential pauses would be between 12 and 51 s.
async fn all_reflectors_recover_soon_after_an_outage(plane: &ControlPlane) -> Outcome {
    let mut maps = Vec::new();
    for _ in 0..REFLECTORS {
        let namespace = plane.create_namespace("outage").await?;
        maps.push(Api::<ConfigMap>::namespaced(plane.client(), &namespace));
    }
    let namespaces = maps.iter().filter_map(Api::namespace);
    let factory = SharedInformerFactory::builder(plane.client())
        .namespaces(namespaces)
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await?;

    plane.kill_api_server();
    tokio::time::sleep(Duration::from_secs(25)).await;
    plane.start_api_server().await?;
    let ready = Instant::now();
    try_join_all(maps.iter().map(|maps| change(maps, 0, 0))).await?;
    while informer.indexer().list().len() < REFLECTORS {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(ready.elapsed() < Duration::from_secs(60), "never");
    }
    // Two seconds, and one for the requests.
    let took = ready.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    factory.shutdown().await;
    Ok(())
}
