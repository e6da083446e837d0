//! Memory test of a manager with many cached objects, in a separate process.

use futures::stream::{self, StreamExt, TryStreamExt};

use super::role::{Process, Role};
use super::*;

/// Default number of objects; `CONTROLLER_OBJECTS` overrides it.
const OBJECTS: usize = 2_000;
/// Number of concurrent writes.
const REQUESTS: usize = 32;
/// Maximum memory of the process before it has cached anything, and for each object, in KiB,
/// without the pages of its program.
const BASE: u64 = 8 << 10;
const EACH: u64 = 3;

pub(super) fn tests(suite: &mut Suite) {
    suite.own_for(
        Duration::from_secs(600),
        "controller::many_objects_are_cached_and_reconciled_once",
        many_objects_are_cached_and_reconciled_once,
    );
}

async fn many_objects_are_cached_and_reconciled_once(plane: &ControlPlane) -> Outcome {
    let objects = match std::env::var("CONTROLLER_OBJECTS") {
        Ok(objects) => objects.parse()?,
        Err(_) => OBJECTS,
    };
    let namespace = plane.create_namespace("many").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    stream::iter(0..objects)
        .map(Ok::<_, Failed>)
        .try_for_each_concurrent(REQUESTS, async |number| {
            let map = config_map(&namespace, &format!("map-{number:06}"), "1")?;
            maps.create(&PostParams::default(), &map).await?;
            Ok(())
        })
        .await?;

    let begun = Instant::now();
    let process = Process::start(plane, &namespace, Role::Quick)?;
    eventually("every reconcile", async || {
        // There may also be the ConfigMap with the namespace's certificate, which the API server
        // alone does not create.
        let begun = process.begun().len();
        if begun >= objects { Ok(()) } else { Err(begun) }
    })
    .await?;
    let took = begun.elapsed();
    let mut names = process.begun();
    names.sort_unstable();
    names.dedup();
    assert_eq!(
        names.len(),
        process.begun().len(),
        "some were reconciled twice"
    );
    let peak = process.peak()?;
    let most = BASE + EACH * u64::try_from(objects)?;
    assert!(peak < most, "{peak} KiB are more than {most}");
    if objects != OBJECTS {
        println!(
            "{objects} reconciled in {took:.1?}, peak memory {} MiB",
            peak >> 10
        );
    }
    Ok(())
}
