//! Controller on `genclient-controller`.

use std::sync::Arc;

use genclient::kube::{Client, Error};
use genclient::signals::CancellationToken;
use genclient_controller::{Action, Context, Controller, Manager, Reconciler, Result, owner};

use crate::WORKERS;
use crate::foo::{Foo, config_map};
use crate::seen::Reconciles;

struct Reconciling {
    /// Suffix of the names of created ConfigMaps; `None` creates none.
    suffix: Option<String>,
    reconciles: Reconciles,
}

impl Reconciler for Reconciling {
    type Object = Foo;

    async fn reconcile(&self, object: Arc<Foo>, cx: &Context) -> Result {
        if let Some(suffix) = &self.suffix {
            let mut map = config_map(&object, suffix);
            owner::set_controller_reference(&*object, &mut map)?;
            match cx.client().create(&map).await {
                Err(Error::Api(status)) if status.code == 409 => {}
                created => drop(created?),
            }
        }
        self.reconciles.note(&object);
        Ok(Action::done())
    }
}

/// Runs until the future is dropped.
pub async fn run(
    client: Client,
    suffix: Option<String>,
    reconciles: Reconciles,
) -> anyhow::Result<()> {
    let mut manager = Manager::builder("bench").client(client).build().await?;
    let reconciling = Reconciling { suffix, reconciles };
    manager.add(Controller::new(reconciling).workers(WORKERS))?;
    Ok(manager.run(CancellationToken::new()).await?)
}
