//! Test of ten thousand changes by several writers: no event is lost or duplicated.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use e2e::{ControlPlane, eventually};
use futures::StreamExt;
use futures::future::try_join_all;
use genclient::informer::{EventHandler, HandlerOptions};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Error;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use libtest_mimic::Failed;
use serde_json::json;

use super::{Stage, Story};
use crate::suite::{Outcome, Suite};

const CHANGES: usize = 10_000;
const WRITERS: usize = 4;
const NAMES: usize = 100;
/// In one of this many rounds over the objects, each is deleted.
const LIFE: usize = 4;

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "informer::ten_thousand_changes_are_delivered_once_each",
        ten_thousand_changes_are_delivered_once_each,
    );
}

/// The changes that the API server accepted.
#[derive(Default)]
struct Written {
    versions: Vec<u64>,
    deletions: usize,
}

async fn ten_thousand_changes_are_delivered_once_each(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane, true).await?;
    let every = Story::with_log();
    let options = HandlerOptions::new().every_event();
    stage
        .informer
        .add_handler_with(every.clone(), options)?
        .detach();
    let (behind, late) = (Story::default(), Story::default());
    let following = tokio::spawn(follow(&stage, behind.clone()));
    stage.start().await?;

    let turns = Arc::new(AtomicUsize::new(0));
    let mut written = write(&stage.maps, &turns, CHANGES / 2).await?;
    let rest = tokio::spawn({
        let (maps, turns) = (stage.maps.clone(), Arc::clone(&turns));
        async move { write(&maps, &turns, CHANGES / 2).await }
    });
    stage.informer.add_handler(late.clone())?.detach();
    let rest = rest.await??;
    written.versions.extend(rest.versions);
    written.deletions += rest.deletions;

    let listed = stage.settled().await?;
    let others = [("every", &every), ("behind", &behind), ("late", &late)];
    for (name, story) in others {
        let what = format!("the handler `{name}` to know the last states");
        eventually(&what, async || {
            let told = story.present();
            if told == listed {
                Ok(())
            } else {
                Err(format!("{told:?}"))
            }
        })
        .await?;
        assert_eq!(story.wrong(), [""; 0], "{name}");
    }
    // Without an outage, a subscriber of every event gets every version once.
    let (mut told, deletions) = every.log();
    told.sort_unstable();
    written.versions.sort_unstable();
    assert_eq!(written.versions.len() + written.deletions, CHANGES);
    assert_eq!((told, deletions), (written.versions, written.deletions));
    following.abort();
    stage.factory.shutdown().await;
    Ok(())
}

/// Feeds `story` with a pause after each event, so that it falls behind and its queue coalesces.
fn follow(stage: &Stage, story: Story) -> impl Future<Output = ()> + Send + 'static {
    let options = HandlerOptions::new().coalesce_above(NAMES / 2);
    let mut events = stage.informer.subscribe_with(options);
    async move {
        while let Some(event) = events.next().await {
            story.on_event(&event);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Writes until that many changes are accepted, with several concurrent writers.
async fn write(
    maps: &Api<ConfigMap>,
    turns: &AtomicUsize,
    changes: usize,
) -> Result<Written, Failed> {
    let left = AtomicUsize::new(changes);
    let writers = (0..WRITERS).map(|_| async {
        let mut written = Written::default();
        let take = |left: usize| left.checked_sub(1);
        while left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
        {
            while !turn(maps, turns.fetch_add(1, Ordering::Relaxed), &mut written).await? {}
        }
        Ok::<_, Failed>(written)
    });
    let written = try_join_all(writers).await?;
    Ok(Written {
        deletions: written.iter().map(|it| it.deletions).sum(),
        versions: written.into_iter().flat_map(|it| it.versions).collect(),
    })
}

/// Deletes, changes or creates an object. Returns `false` if another writer was faster.
async fn turn(maps: &Api<ConfigMap>, turn: usize, written: &mut Written) -> Result<bool, Failed> {
    // The writers reach the same object one after the other.
    let name = format!("map-{:02}", turn / WRITERS % NAMES);
    if turn.is_multiple_of(WRITERS) && turn / WRITERS / NAMES % LIFE == LIFE - 1 {
        return match maps.delete(&name, &DeleteParams::default()).await {
            Ok(_) => {
                written.deletions += 1;
                Ok(true)
            }
            Err(Error::Api(status)) if status.is_not_found() => Ok(false),
            Err(error) => Err(error.into()),
        };
    }
    let data = json!({ "data": { "turn": turn.to_string() } });
    let changed = maps
        .patch(&name, &PatchParams::default(), &Patch::Merge(data))
        .await;
    let changed = match changed {
        Err(Error::Api(status)) if status.is_not_found() => {
            maps.create(&PostParams::default(), &map(&name, turn)).await
        }
        changed => changed,
    };
    match changed {
        Ok(map) => {
            let version = map.resource_version().unwrap_or_default();
            written.versions.push(version.parse()?);
            Ok(true)
        }
        Err(Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn map(name: &str, turn: usize) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("turn".to_owned(), turn.to_string())])),
        ..ConfigMap::default()
    }
}
