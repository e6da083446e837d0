//! Tests of the controller during outages of the API server, and of its own shutdown.

use std::collections::BTreeMap;

use e2e::{ControlPlane, eventually};
use futures::future::try_join_all;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};

use super::{Form, Periods, Running, Stage, both};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    both!(suite.both, shutdown_completes_syncs_in_progress,);
    both!(suite.own, api_server_restarts_in_the_middle,);
}

/// The server is killed while Pods are being created, so that some requests are never answered.
async fn api_server_restarts_in_the_middle(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    create(&stage, 0..60).await?;
    let before = eventually("the first Pods", async || match pods(&stage).await {
        Ok(pods) if !pods.is_empty() => Ok(pods),
        other => Err(format!("{other:?}")),
    })
    .await?;
    plane.kill_api_server();
    plane.start_api_server().await?;

    create(&stage, 60..65).await?;
    for number in 0..3 {
        let name = name(number);
        stage.tasks.delete(&name, &DeleteParams::default()).await?;
    }
    let expected: Vec<_> = (3..65).map(name).collect();
    let after = eventually("a Pod for each task", async || match pods(&stage).await {
        Ok(pods) if pods.keys().eq(&expected) => Ok(pods),
        other => Err(format!("{other:?}")),
    })
    .await?;

    // Nothing was done twice: each Pod has its former uid, and no task has two events about its
    // Pod.
    for (name, uid) in before {
        if let Some(found) = after.get(&name) {
            assert_eq!(*found, uid, "{name} has another Pod");
        }
    }
    controller.stop().await?;
    for name in expected {
        // None, if the answer to the creation of the Pod was lost.
        let synced = stage.synced(&name).await?;
        assert!(synced <= 1, "{name}: {synced} times");
    }
    Ok(())
}

/// Work under way is completed and reported; the rest is left to the next run.
async fn shutdown_completes_syncs_in_progress(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    create(&stage, 0..20).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    stage.pod(&name(0), |_| true).await?;
    controller.stop().await?;
    let before = pods(&stage).await?;
    for number in 0..20 {
        let name = name(number);
        let times = i32::from(before.contains_key(&name));
        assert_eq!(stage.synced(&name).await?, times, "{name}");
    }

    let controller = Running::start(&stage, Periods::default()).await?;
    eventually("all Pods", async || match pods(&stage).await {
        Ok(pods) if pods.len() == 20 => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await?;
    controller.stop().await?;
    let after = pods(&stage).await?;
    for (name, uid) in &after {
        assert!(
            before.get(name).is_none_or(|before| before == uid),
            "{name} has another Pod"
        );
        assert_eq!(stage.synced(name).await?, 1, "{name}");
    }
    Ok(())
}

async fn create(stage: &Stage, numbers: std::ops::Range<usize>) -> kube::Result<()> {
    let names: Vec<_> = numbers.map(name).collect();
    try_join_all(names.iter().map(|name| stage.create(name))).await?;
    Ok(())
}

fn name(number: usize) -> String {
    format!("task-{number:02}")
}

/// Returns the uid of every Pod, by its name.
async fn pods(stage: &Stage) -> kube::Result<BTreeMap<String, String>> {
    let pods = stage.pods.list(&ListParams::default()).await?;
    let named = pods.items.iter();
    Ok(named
        .map(|pod| (pod.name_any(), pod.uid().unwrap_or_default()))
        .collect())
}
