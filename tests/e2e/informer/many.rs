//! Tests of many objects: how an informer receives them, its memory, and a restart of the API
//! server.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use e2e::{ControlPlane, eventually};
use futures::stream::{self, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use libtest_mimic::Failed;
use serde_json::json;

use super::listed;
use super::observer::{Figures, FirstState, Observer};
use crate::suite::{Outcome, Suite};

/// Default number of objects; `INFORMER_OBJECTS` overrides it.
const OBJECTS: usize = 2_000;
/// The page size of client-go's pager.
const PAGE: u32 = 500;
/// Number of concurrent writes.
const REQUESTS: usize = 32;
/// Number of objects that are changed, deleted and created after the restart, each.
const CHANGES: usize = 30;

/// Maximum memory of the process before it has cached anything, and for each object, in KiB,
/// without the pages of its program.
const BASE: u64 = 12 << 10;
const EACH: u64 = 2;

pub(super) fn tests(suite: &mut Suite) {
    suite.own(
        "informer::many_objects_are_added_once_and_survive_a_restart",
        many_objects_are_added_once_and_survive_a_restart,
    );
}

async fn many_objects_are_added_once_and_survive_a_restart(plane: &ControlPlane) -> Outcome {
    let objects = match std::env::var("INFORMER_OBJECTS") {
        Ok(objects) => objects.parse()?,
        Err(_) => OBJECTS,
    };
    let namespace = plane.create_namespace("many").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let begun = Instant::now();
    create(&maps, 0..objects).await?;
    let mut report = vec![format!("{objects} created in {:.1?}", begun.elapsed())];

    let mut observers = Vec::new();
    for first_state in [
        FirstState::Streamed,
        FirstState::Listed,
        FirstState::InPages(PAGE),
    ] {
        if let FirstState::InPages(_) = first_state {
            // With a watch cache, it answers from memory, and in one piece.
            plane
                .start_api_server_with(&["--watch-cache=false"])
                .await?;
        }
        let begun = Instant::now();
        let mut observer = Observer::start(plane, &namespace, first_state)?;
        let figures = wait_for_all_objects(&mut observer, objects).await?;
        report.push(format!(
            "{first_state:?} in {:.1?}: {figures:?}",
            begun.elapsed()
        ));
        assert_eq!(figures.events, objects, "{first_state:?}");
        let queries = observer.settled(&listed(&maps).await?).await?.queries;
        asked_for(first_state, objects, &queries);
        observers.push((first_state, observer));
    }

    plane.start_api_server().await?;
    change(&maps, objects).await?;
    let expected = listed(&maps).await?;
    for (first_state, observer) in &mut observers {
        observer.settled(&expected).await?;
        let figures = observer.figures().await?;
        report.push(format!("{first_state:?} after a restart: {figures:?}"));
        // Unchanged objects cause no further event, with or without a relist.
        assert_eq!(figures.events, objects + 3 * CHANGES, "{first_state:?}");
        let most = BASE + EACH * u64::try_from(objects)?;
        let is_small = figures.peak.is_some_and(|peak| peak < most);
        assert!(is_small, "{figures:?}: more than {most}");
    }
    if objects != OBJECTS {
        println!("{}", report.join("\n"));
    }
    Ok(())
}

async fn wait_for_all_objects(observer: &mut Observer, objects: usize) -> Result<Figures, Failed> {
    let all = eventually("every object", async || {
        let figures = observer
            .figures()
            .await
            .map_err(|failed| failed.message().unwrap_or_default().to_owned())?;
        let is_done = figures.objects == objects && figures.events >= objects;
        is_done
            .then(|| figures.clone())
            .ok_or(format!("{figures:?}"))
    });
    Ok(all.await?)
}

/// Checks the requests: one stream, one list, or all pages, and none twice.
fn asked_for(first_state: FirstState, objects: usize, queries: &[String]) {
    let says = |word: &'static str| move |query: &&String| query.contains(word);
    let lists: Vec<_> = queries
        .iter()
        .filter(|query| !query.contains("watch=true"))
        .collect();
    let streamed = queries.iter().filter(says("sendInitialEvents")).count();
    let continued = lists.iter().copied().filter(says("continue=")).count();
    let pages = match first_state {
        FirstState::Streamed => 0,
        FirstState::Listed => 1,
        FirstState::InPages(size) => objects.div_ceil(size as usize),
    };
    assert_eq!(
        (streamed, lists.len(), continued),
        (usize::from(pages == 0), pages, pages.saturating_sub(1)),
        "{first_state:?}: {queries:?}"
    );
}

async fn create(maps: &Api<ConfigMap>, numbers: Range<usize>) -> Result<(), Failed> {
    let creating = stream::iter(numbers)
        .map(Ok::<_, kube::Error>)
        .try_for_each_concurrent(REQUESTS, async |number| {
            maps.create(&PostParams::default(), &map(number)).await?;
            Ok(())
        });
    Ok(creating.await?)
}

/// Changes the first objects, deletes those after them, and creates some more.
async fn change(maps: &Api<ConfigMap>, objects: usize) -> Result<(), Failed> {
    let patch = Patch::Merge(json!({ "data": { "changed": "yes" } }));
    for number in 0..CHANGES {
        maps.patch(&name(number), &PatchParams::default(), &patch)
            .await?;
        let deleted = name(CHANGES + number);
        let _ = maps.delete(&deleted, &DeleteParams::default()).await?;
    }
    create(maps, objects..objects + CHANGES).await
}

fn map(number: usize) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name(number)),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("number".to_owned(), number.to_string())])),
        ..ConfigMap::default()
    }
}

fn name(number: usize) -> String {
    format!("map-{number:06}")
}
