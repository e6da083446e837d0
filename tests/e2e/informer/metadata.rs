//! Test of metadata-only informers against a real kube-apiserver.

use std::collections::BTreeMap;

use e2e::{ControlPlane, eventually};
use genclient::informer::SharedInformerFactory;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::Api;

use super::{change, gate::Gate};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "informer::metadata_only_cache_follows_the_server",
        metadata_only_cache_follows_the_server,
    );
}

async fn metadata_only_cache_follows_the_server(plane: &ControlPlane) -> Outcome {
    for watch_list in [true, false] {
        let namespace = plane.create_namespace("metadata").await?;
        let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
        for number in 0..5 {
            change(&maps, number, 0).await?;
        }
        let gate = Gate::default();
        let factory = SharedInformerFactory::builder(gate.client(plane.client()))
            .namespace(&namespace)
            .watch_list(watch_list)
            .build();
        let informer = factory.metadata_informer_for::<ConfigMap>();
        factory.start();
        assert_eq!(factory.wait_for_cache_sync().await?.skipped(), 0);
        // A change of the data changes the metadata, too: it has another version.
        change(&maps, 0, 1).await?;
        change(&maps, 1, 3).await?;

        eventually("the metadata of the server's list", async || {
            let listed: BTreeMap<_, _> = maps
                .list_metadata(&Default::default())
                .await
                .map_err(|error| error.to_string())?
                .items
                .into_iter()
                .map(|map| (map.metadata.name, map.metadata.resource_version))
                .collect();
            let cached: BTreeMap<_, _> = informer
                .indexer()
                .list()
                .iter()
                .map(|map| map.metadata.clone())
                .map(|metadata| (metadata.name, metadata.resource_version))
                .collect();
            if cached == listed && cached.len() == 4 {
                Ok(())
            } else {
                Err(format!("{cached:?} is not {listed:?}"))
            }
        })
        .await?;
        for map in informer.indexer().list() {
            assert_eq!(map.metadata.managed_fields, None);
            // Watch events state their kind, and items of lists do not.
            let kind = map.types.as_ref().map(|types| types.kind.as_str());
            assert!(
                matches!(kind, None | Some("PartialObjectMetadata")),
                "{kind:?}"
            );
            assert!(!watch_list || kind.is_some());
        }
        let passed = gate.passed();
        let streamed = passed
            .iter()
            .filter(|it| it.query.contains("sendInitialEvents"));
        assert_eq!(streamed.count(), usize::from(watch_list), "{passed:?}");
        assert!(passed.iter().all(|it| it.status == 200), "{passed:?}");
        factory.shutdown().await;
    }
    Ok(())
}
