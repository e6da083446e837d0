//! Recovery benchmark of this project: informers of five kinds, in one factory.
//!
//! Prints `synced`, and then a line for each change of an object with the annotation: the kind, the
//! annotation, and the time at which the handler was called, in nanoseconds since 1970.

use std::future::pending;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use genclient::informer::{HandlerRegistration, Handlers, SharedInformerFactory};
use genclient::kube::ResourceExt as _;
use genclient::scheme::Object;
use genclient::{client, config};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service, ServiceAccount};

const CHANGED: &str = "example.com/changed";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let client = client::connect(config::from_flags(None, None).await?)?;
    let factory = SharedInformerFactory::builder(client).build();
    let _registrations = [
        report::<ConfigMap>(&factory)?,
        report::<Pod>(&factory)?,
        report::<Secret>(&factory)?,
        report::<Service>(&factory)?,
        report::<ServiceAccount>(&factory)?,
    ];
    factory.start();
    factory.wait_for_cache_sync().await?;
    println!("synced");
    pending().await
}

fn report<K: Object<DynamicType = ()>>(
    factory: &SharedInformerFactory,
) -> anyhow::Result<HandlerRegistration> {
    let handlers = Handlers::new().on_update(|_, object: Arc<K>| {
        if let Some(changed) = object.annotations().get(CHANGED) {
            println!("{} {changed} {}", K::kind(&()), now());
        }
    });
    Ok(factory.informer_for::<K>().add_handler(handlers)?)
}

fn now() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_nanos()
}
