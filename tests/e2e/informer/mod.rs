//! Tests of informers against a real API server with compaction, failures and restarts.

mod churn;
mod gate;
mod many;
mod metadata;
mod observer;
mod outage;
mod soak;
mod story;

use std::collections::BTreeMap;
use std::time::Duration;

use e2e::{ControlPlane, NotYet, eventually};
use genclient::informer::{SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams};
use kube::{Client, Resource, ResourceExt};
use libtest_mimic::Failed;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::gate::Gate;
use self::story::Story;
use crate::suite::Suite;

pub(crate) use observer::observer;

pub(crate) fn tests(suite: &mut Suite) {
    churn::tests(suite);
    many::tests(suite);
    metadata::tests(suite);
    outage::tests(suite);
    soak::tests(suite);
}

/// An informer of the ConfigMaps of a namespace, behind a gate, with a handler that checks its
/// events.
struct Stage {
    maps: Api<ConfigMap>,
    gate: Gate,
    factory: SharedInformerFactory,
    informer: SharedInformer<ConfigMap>,
    story: Story,
}

impl Stage {
    async fn new(plane: &ControlPlane, watch_list: bool) -> Result<Self, Failed> {
        let namespace = plane.create_namespace("informer").await?;
        let gate = Gate::default();
        let factory = SharedInformerFactory::builder(gate.client(plane.client()))
            .namespace(&namespace)
            .watch_list(watch_list)
            .build();
        let informer = factory.informer_for::<ConfigMap>();
        let story = Story::default();
        informer.add_handler(story.clone())?.detach();
        Ok(Self {
            maps: Api::namespaced(plane.client(), &namespace),
            gate,
            factory,
            informer,
            story,
        })
    }

    async fn start(&self) -> Result<(), Failed> {
        self.factory.start();
        self.factory.wait_for_cache_sync().await?;
        Ok(())
    }

    /// Waits until the cache and the handler have the state of the API server. After several
    /// failures in a row, an informer pauses for up to a minute.
    async fn settled(&self) -> Result<BTreeMap<String, String>, NotYet> {
        let mut settled = self.settled_soon().await;
        for _ in 0..2 {
            if settled.is_err() {
                settled = self.settled_soon().await;
            }
        }
        assert_eq!(self.story.wrong(), [""; 0]);
        settled
    }

    async fn settled_soon(&self) -> Result<BTreeMap<String, String>, NotYet> {
        eventually("a cache like the server's list", async || {
            let listed = listed(&self.maps)
                .await
                .map_err(|error| error.to_string())?;
            let objects = self.informer.indexer().list();
            let cached = versions(objects.iter().map(|map| &**map));
            let told = self.story.present();
            if listed == cached && listed == told {
                return Ok(listed);
            }
            Err(format!(
                "listed {listed:?}, cached {cached:?}, told {told:?}"
            ))
        })
        .await
    }
}

/// Returns name and version of all objects that the API server has.
async fn listed(maps: &Api<ConfigMap>) -> kube::Result<BTreeMap<String, String>> {
    let listed = maps.list_metadata(&ListParams::default()).await?;
    Ok(versions(listed.items.iter()))
}

fn versions<'a, K: Resource + 'a>(maps: impl Iterator<Item = &'a K>) -> BTreeMap<String, String> {
    maps.map(|map| (map.name_any(), map.resource_version().unwrap_or_default()))
        .collect()
}

/// Makes one change of the ConfigMap of that number: created, changed, changed, deleted, and so on.
async fn change(maps: &Api<ConfigMap>, number: usize, round: usize) -> kube::Result<()> {
    let name = format!("map-{number:02}");
    if round % 4 == 3 {
        return match maps.delete(&name, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            deleted => deleted.map(|_| ()),
        };
    }
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("round".to_owned(), round.to_string())])),
        ..ConfigMap::default()
    };
    let params = PatchParams::apply("tests").force();
    maps.patch(&name, &params, &Patch::Apply(map)).await?;
    Ok(())
}

/// Changes ConfigMaps until `stop`, whatever the answers. Returns the number of accepted changes.
/// Several writers begin at different turns, or they would all write the same.
async fn churn(maps: Api<ConfigMap>, first: usize, stop: CancellationToken) -> usize {
    let mut accepted = 0;
    for turn in first.. {
        if stop.is_cancelled() {
            break;
        }
        // Neighbors are at different points of their lifecycle.
        let (number, round) = (turn % 30, turn / 30 + turn % 4);
        match change(&maps, number, round).await {
            Ok(()) => accepted += 1,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    accepted
}

/// Compacts etcd up to its latest revision, through its HTTP gateway. Older revisions can then be
/// neither read nor watched.
async fn compact(plane: &ControlPlane) -> Result<u64, Failed> {
    let etcd = Client::try_from(kube::Config::new(plane.etcd_url().ok_or("no etcd")?))?;
    let ask = async |path: &str, body: serde_json::Value| {
        let request = http::Request::post(path).body(body.to_string().into_bytes())?;
        let answer: serde_json::Value = etcd.request(request).await?;
        Ok::<_, Failed>(answer)
    };
    // A read of any key returns the revision.
    let read = ask("/v3/kv/range", json!({"key": "AA=="})).await?;
    let revision = read["header"]["revision"].as_str().unwrap_or_default();
    ask(
        "/v3/kv/compaction",
        json!({"revision": revision, "physical": true}),
    )
    .await?;
    Ok(revision.parse()?)
}
