//! Test of controllers while the API server is killed and started again.

use kube::api::{DeleteParams, PatchParams};

use super::*;

/// Number of objects, and number of changes of each.
const OBJECTS: usize = 40;
const ROUNDS: usize = 15;

pub(super) fn tests(suite: &mut Suite) {
    suite.own(
        "controller::restart_of_the_api_server_loses_no_change",
        restart_of_the_api_server_loses_no_change,
    );
}

/// A reconciler that copies the data of each ConfigMap into one that it owns.
struct Copying;

impl Reconciler for Copying {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
        let mut copy = ConfigMap::default();
        copy.metadata.namespace = map.namespace();
        copy.metadata.name = Some(format!("copy-of-{}", map.name_any()));
        copy.data.clone_from(&map.data);
        cx.client().apply_owned(&*map, &copy).await?;
        Ok(Action::done())
    }
}

/// Sources are changed, created and deleted before, during and after an outage. In the end, each
/// source has an equal copy, although writes and watches failed meanwhile.
async fn restart_of_the_api_server_loses_no_change(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("restart").await?;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let is_source = |map: &ConfigMap| map.name_any().starts_with("source-");
            let watch = Watch::new().matching(is_source);
            let controller = Controller::watching(watch, Copying).workers(4);
            manager.add(controller.owns(Watch::<ConfigMap>::new()))
        },
    )
    .await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let churning = tokio::spawn(churn(maps.clone(), namespace.clone()));
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        plane.kill_api_server();
        tokio::time::sleep(Duration::from_secs(2)).await;
        plane.start_api_server().await?;
    }
    let refused = churning.await??;
    assert!(refused > 0, "nothing was written during the outages");
    eventually("the copies", async || {
        let all = maps
            .list(&Default::default())
            .await
            .map_err(|error| error.to_string())?
            .items;
        let named = |name: &str| all.iter().find(|map| map.name_any() == name);
        let sources = all
            .iter()
            .filter(|map| map.name_any().starts_with("source-"));
        let stale = sources.filter(|source| {
            let copy = named(&format!("copy-of-{}", source.name_any()));
            copy.is_none_or(|copy| copy.data != source.data)
        });
        match stale.count() {
            0 => Ok(()),
            stale => Err(format!("{stale} of {} are stale", all.len())),
        }
    })
    .await?;
    running.stop().await
}

/// Writes until every round is complete, with retries. Returns the number of refused writes.
async fn churn(maps: Api<ConfigMap>, namespace: String) -> std::result::Result<usize, Failed> {
    let mut refused = 0;
    for round in 0..ROUNDS {
        for number in 0..OBJECTS {
            let name = format!("source-{number}");
            let value = format!("{round}");
            loop {
                let written = match (round, number % 7) {
                    (7, 0) => maps.delete(&name, &DeleteParams::default()).await.map(drop),
                    _ => {
                        let map = config_map(&namespace, &name, &value)?;
                        let params = PatchParams::apply("churn").force();
                        maps.patch(&name, &params, &kube::api::Patch::Apply(&map))
                            .await
                            .map(drop)
                    }
                };
                match written {
                    Ok(()) => break,
                    Err(kube::Error::Api(status)) if status.code == 404 => break,
                    Err(_) => refused += 1,
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    Ok(refused)
}
