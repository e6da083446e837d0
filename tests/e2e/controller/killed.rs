//! Test of two replicas as processes: the leader is killed in the middle of a reconcile.

use kube::api::{Patch as ApiPatch, PatchParams};

use super::role::{Process, Role};
use super::*;

/// Number of kills, and number of objects that change meanwhile.
const ROUNDS: usize = 3;
const OBJECTS: usize = 10;

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "controller::leader_killed_in_a_reconcile_loses_no_change",
        leader_killed_in_a_reconcile_loses_no_change,
    );
}

/// Each object gets its reconciled value as an annotation. When the last leader has settled, each
/// annotation is that of the last change. No standby worked before the killed leader was gone.
async fn leader_killed_in_a_reconcile_loses_no_change(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("killed").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    let change = async |value: usize| {
        for number in 0..OBJECTS {
            let name = format!("map-{number}");
            let map = config_map(&namespace, &name, &value.to_string())?;
            let params = PatchParams::apply("tests").force();
            maps.patch(&name, &params, &ApiPatch::Apply(&map)).await?;
        }
        Ok::<_, Failed>(())
    };
    let mut leader = Process::start(plane, &namespace, Role::Elected)?;
    change(0).await?;
    for round in 1..=ROUNDS {
        let before = eventually("the leader", async || match leader.begun().len() {
            0 => Err(format!("nobody leads in round {round}")),
            begun => Ok(begun),
        })
        .await?;
        let standby = Process::start(plane, &namespace, Role::Elected)?;
        change(round).await?;
        eventually("a reconcile", async || {
            let (begun, ended) = (leader.begun().len(), leader.ended().len());
            if begun > ended.max(before) {
                Ok(())
            } else {
                Err(begun)
            }
        })
        .await?;
        assert!(standby.begun().is_empty(), "two lead in round {round}");
        leader.kill().await?;
        // Everything that the standby does is later than this.
        assert!(standby.begun().is_empty(), "two lead in round {round}");
        leader = standby;
    }
    eventually("the annotations", async || {
        let all = maps
            .list(&Default::default())
            .await
            .map_err(|error| error.to_string())?
            .items;
        let ours = all.iter().filter(|map| map.name_any().starts_with("map-"));
        let stale = ours.filter(|map| {
            let seen = map.annotations().get("example.com/reconciled");
            seen.map(String::as_str) != value(map) || value(map) != Some(&*ROUNDS.to_string())
        });
        match stale.count() {
            0 => Ok(()),
            stale => Err(format!("{stale} are stale")),
        }
    })
    .await?;
    leader.kill().await
}
