//! Soak test of informers on a failing API server: they stay consistent, and their memory does not
//! grow.

use std::time::{Duration, Instant};

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::Api;
use libtest_mimic::Failed;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::observer::{Figures, FirstState, Observer};
use super::{churn, compact, listed};
use crate::suite::{Outcome, Suite};

/// Default duration; `SOAK_SECONDS` overrides it.
const SECONDS: u64 = 15;
/// Fewer rounds are not enough to observe growth.
const FEWEST_ROUNDS: usize = 4;
/// The costly faults are in the first rounds of this many, so that pauses become short again.
const CYCLE: usize = 24;
const WRITERS: usize = 3;
/// How long connections are cut.
const CUT: Duration = Duration::from_millis(500);

pub(super) fn tests(suite: &mut Suite) {
    let seconds = std::env::var("SOAK_SECONDS")
        .map(|seconds| seconds.parse())
        .ok()
        .and_then(Result::ok)
        .unwrap_or(SECONDS);
    let duration = Duration::from_secs(seconds);
    suite.own_for(
        duration,
        "informer::memory_does_not_grow_under_faults",
        async move |plane: &ControlPlane| memory_does_not_grow_under_faults(plane, duration).await,
    );
}

async fn memory_does_not_grow_under_faults(plane: &ControlPlane, duration: Duration) -> Outcome {
    let namespace = plane.create_namespace("soak").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let mut observers = [
        Observer::start(plane, &namespace, FirstState::Streamed)?,
        Observer::start(plane, &namespace, FirstState::Listed)?,
    ];
    let (begun, mut accepted) = (Instant::now(), 0);
    let mut figures: Vec<[Figures; 2]> = Vec::new();
    while begun.elapsed() < duration || figures.len() < FEWEST_ROUNDS {
        let stop = CancellationToken::new();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| tokio::spawn(churn(maps.clone(), writer * 1000, stop.clone())))
            .collect();
        fail(plane, &mut observers, figures.len()).await?;
        stop.cancel();
        for writer in writers {
            accepted += writer.await?;
        }
        let expected = listed(&maps).await?;
        let [streamed, listed] = &mut observers;
        streamed.settled(&expected).await?;
        listed.settled(&expected).await?;
        figures.push([streamed.figures().await?, listed.figures().await?]);
    }
    assert!(
        accepted > 50 * figures.len(),
        "{accepted} changes are no churn"
    );
    if duration > Duration::from_secs(SECONDS) {
        let rounds = figures.len();
        println!(
            "{rounds} rounds in {:.0?}, {accepted} changes",
            begun.elapsed()
        );
    }
    for at in 0..observers.len() {
        flat(
            &figures.iter().map(|both| &both[at]).collect::<Vec<_>>(),
            duration,
        )?;
    }
    Ok(())
}

/// Runs one round: changes, with a fault among them. Most faults cost only a new watch. After
/// others, the pauses of an informer grow until there was no failure for two minutes.
async fn fail(
    plane: &ControlPlane,
    observers: &mut [Observer; 2],
    round: usize,
) -> Result<(), Failed> {
    let [streamed, listed] = observers;
    sleep(Duration::from_secs(1)).await;
    match round % CYCLE {
        1 => {
            plane.kill_api_server();
            sleep(CUT).await;
            plane
                .start_api_server_with(&["--watch-cache=false"])
                .await?;
        }
        3 => {
            let compact = async {
                sleep(CUT / 2).await;
                compact(plane).await
            };
            tokio::try_join!(streamed.cut(CUT), listed.cut(CUT), compact)?;
        }
        5 => plane.start_api_server().await?,
        _ => {
            let at_once = Duration::ZERO;
            tokio::try_join!(streamed.cut(at_once), listed.cut(at_once))?;
        }
    }
    sleep(Duration::from_secs(1)).await;
    Ok(())
}

/// Compares the final memory with that after a fifth of the time, and after one round of each
/// fault.
fn flat(figures: &[&Figures], duration: Duration) -> Result<(), Failed> {
    let resident: Option<Vec<u64>> = figures.iter().map(|figures| figures.resident).collect();
    // `None` if the memory of a process cannot be read.
    let Some(resident) = resident else {
        return Ok(());
    };
    let early = resident[(resident.len() / 5).max(FEWEST_ROUNDS - 1)];
    let late = *resident.last().ok_or("no rounds")?;
    if duration > Duration::from_secs(SECONDS) {
        let middle = resident[resident.len() / 2];
        println!(
            "{} KiB at the start, {early} after a fifth, {middle} in the middle, {late} at the end, {} events",
            resident[0],
            figures[figures.len() - 1].events
        );
    }
    assert!(late <= early + early / 4 + 4096, "{resident:?}");
    Ok(())
}
