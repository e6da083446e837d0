//! Random sequences of changes, with failures, panics, timeouts and a stop. Every changed object is
//! reconciled in its last state, never by two workers at once, and never after the stop.

use std::collections::{BTreeMap, BTreeSet};

use genclient_controller::{Failure, Watch, source};
use k8s_openapi::api::core::v1::Pod;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::random::Random;
use super::*;

/// Default number of seeds; `SEEDS` overrides it.
const SEEDS: u64 = 300;
const NAMES: [&str; 4] = ["w", "x", "y", "z"];

/// What the reconciler has recorded.
#[derive(Default)]
struct Seen {
    running: BTreeSet<String>,
    /// The data in the last successful reconcile; `None` if the object was absent.
    last: BTreeMap<String, Option<String>>,
    wrong: Vec<String>,
    has_ended: bool,
}

impl Seen {
    fn begin(&mut self, name: &str) {
        if !self.running.insert(name.to_owned()) {
            self.wrong.push(format!("{name} has two workers"));
        }
        if self.has_ended {
            self.wrong
                .push(format!("{name} is reconciled after the end"));
        }
    }
}

struct Reconciling {
    seen: Arc<Mutex<Seen>>,
    random: Mutex<Random>,
}

impl Reconciling {
    async fn reconcile_any(&self, name: &ObjectName, data: Option<String>) -> Result {
        let name = name.name().to_owned();
        self.seen.lock().unwrap().begin(&name);
        let _running = Leaves(&self.seen, &name);
        let (pause, outcome) = {
            let mut random = self.random.lock().unwrap();
            (random.below(60), random.below(8))
        };
        advance(millis(pause)).await;
        match outcome {
            0 => return Err(failure("no")),
            // Unlike `panic!`, `resume_unwind` prints nothing.
            1 => std::panic::resume_unwind(Box::new("told to")),
            2 => return Err(Failure::after(millis(10), "later")),
            // Longer than the reconcile timeout.
            3 => advance(Duration::from_secs(3600)).await,
            _ => {}
        }
        self.seen.lock().unwrap().last.insert(name.clone(), data);
        Ok(match outcome {
            4 => Action::after(millis(500)),
            _ => Action::done(),
        })
    }
}

/// Guard that records the end of a reconcile, even if it is dropped.
struct Leaves<'a>(&'a Mutex<Seen>, &'a str);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().running.remove(self.1);
    }
}

impl Reconciler for Reconciling {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, _cx: &Context) -> Result {
        let data = object.data.as_ref().unwrap()["value"].clone();
        self.reconcile_any(&ObjectName::from_object(&*object), Some(data))
            .await
    }

    async fn absent(&self, name: &ObjectName, _cx: &Context) -> Result {
        self.reconcile_any(name, None).await
    }
}

#[tokio::test(start_paused = true)]
async fn every_random_history_converges() {
    let seeds = std::env::var("SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok());
    for seed in 0..seeds.unwrap_or(SEEDS) {
        run_history(seed).await;
    }
}

/// Starts a controller. Names that are sent to the returned sender are enqueued, too.
async fn start_controller(
    api: &Api,
    reconciling: Reconciling,
    workers: usize,
) -> (Running, UnboundedSender<ObjectName>) {
    let (sender, receiver) = unbounded_channel::<ObjectName>();
    let received = futures::stream::unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    });
    let running = Running::start(api, |manager| {
        let controller = Controller::new(reconciling)
            .watches(Watch::<Pod>::new(), |pod: &Pod| {
                [ObjectName::from_object(pod)]
            })
            .source(source::stream(Box::pin(received)))
            .reconcile_timeout(millis(200))
            .workers(workers);
        manager.add(controller).unwrap();
    })
    .await;
    (running, sender)
}

async fn run_history(seed: u64) {
    let mut random = Random::new(seed);
    let api = Api::new();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let reconciling = Reconciling {
        seen: Arc::clone(&seen),
        random: Mutex::new(Random::new(seed + 1)),
    };
    let workers = 1 + usize::try_from(random.below(4)).unwrap();
    let (running, sender) = start_controller(&api, reconciling, workers).await;
    let mut late = Random::new(seed + 2);
    api.delay(move || millis(late.below(30)));
    for step in 0..20 {
        let name = NAMES[usize::try_from(random.below(4)).unwrap()];
        match random.below(5) {
            0 => api.remove("configmaps", "a", name),
            1 => {
                api.put(
                    "pods",
                    json!({ "metadata": { "namespace": "a", "name": name } }),
                );
            }
            2 => sender.send(ObjectName::namespaced("a", name)).unwrap(),
            _ => {
                api.put("configmaps", config_map_json(name, &step.to_string()));
            }
        }
        advance(millis(random.below(50))).await;
    }
    let is_cut_short = random.below(4) == 0;
    if !is_cut_short {
        // Enough time: each attempt succeeds with probability 1/2, and delays start at 5 ms and
        // double.
        advance(Duration::from_secs(120)).await;
    }
    let stopped = running.stop().await;
    assert!(stopped.is_ok(), "seed {seed}: {stopped:?}");
    seen.lock().unwrap().has_ended = true;
    advance(Duration::from_secs(60)).await;
    let seen = seen.lock().unwrap();
    assert!(seen.wrong.is_empty(), "seed {seed}: {:?}", seen.wrong);
    assert!(seen.running.is_empty(), "seed {seed}: {:?}", seen.running);
    if is_cut_short {
        return;
    }
    for (name, last) in &seen.last {
        let object = api.get("configmaps", "a", name);
        let stored = object.map(|object| object["data"]["value"].as_str().unwrap().to_owned());
        assert_eq!(*last, stored, "seed {seed}: {name}");
    }
    let reconciled: BTreeSet<_> = seen.last.keys().map(String::as_str).collect();
    let stored = NAMES
        .iter()
        .filter(|name| api.get("configmaps", "a", name).is_some());
    assert!(
        stored.clone().all(|name| reconciled.contains(name)),
        "seed {seed}"
    );
}
