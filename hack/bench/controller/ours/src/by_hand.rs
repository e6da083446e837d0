//! Handwritten controller without the layer: an informer, a queue, a lister and workers in a loop.

use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::client::{PostParams, TypedClient};
use genclient::informer::{Enqueue, SharedInformerFactory};
use genclient::kube::{Client, Error, Resource};
use genclient::lister::Lister;
use genclient::workqueue::Queue;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::task::JoinSet;

use crate::WORKERS;
use crate::foo::{Foo, config_map};
use crate::seen::Reconciles;

#[derive(Clone)]
struct Reconciling {
    client: Client,
    foos: Lister<Foo>,
    queue: Queue<ObjectName>,
    suffix: Option<String>,
    reconciles: Reconciles,
}

/// Runs until the future is dropped.
pub async fn run(
    client: Client,
    suffix: Option<String>,
    reconciles: Reconciles,
) -> anyhow::Result<()> {
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let informer = factory.informer_for::<Foo>();
    let queue = Queue::new();
    let _registration = informer.add_handler(Enqueue::keys(&queue))?;
    factory.start();
    factory.wait_for_cache_sync().await?;
    let reconciling = Reconciling {
        client,
        foos: informer.lister(),
        queue,
        suffix,
        reconciles,
    };
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        workers.spawn(reconciling.clone().work());
    }
    while workers.join_next().await.is_some() {}
    Ok(())
}

impl Reconciling {
    async fn work(self) {
        while let Some(name) = self.queue.get().await {
            match self.reconcile(&name).await {
                Ok(()) => self.queue.forget(&name),
                Err(_) => self.queue.add_rate_limited(name.clone()),
            }
        }
    }

    async fn reconcile(&self, name: &ObjectName) -> anyhow::Result<()> {
        let Some(object) = self.foos.get(name) else {
            return Ok(());
        };
        if let Some(suffix) = &self.suffix {
            self.create(&object, suffix).await?;
        }
        self.reconciles.note(&object);
        Ok(())
    }

    async fn create(&self, object: &Arc<Foo>, suffix: &str) -> anyhow::Result<()> {
        let mut map = config_map(object, suffix);
        map.metadata.owner_references = object.controller_owner_ref(&()).map(|owner| vec![owner]);
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        let maps = TypedClient::<ConfigMap>::namespaced(self.client.clone(), namespace);
        match maps.create(&map, &PostParams::default()).await {
            Err(Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(()),
        }
    }
}
