//! Random histories against a model: whatever happens between an informer and its API server, the cache ends as the source is,
//! and every handler hears what could have happened.
//!
//! There are 2000 of them, or as many as 15 seconds are enough for. A failure names its seed, and
//! `MODEL_FIRST=<seed> MODEL_COUNT=1 cargo test -p genclient --test informer model` replays what was done and answered. The pauses
//! between the reflector's attempts are by chance: `MODEL_TIMES=100` repeats it.

mod chance;
mod source;
mod witness;

use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt};
use genclient::informer::{
    HandlerOptions, HandlerRegistration, SharedInformer, SharedInformerFactory, Subscription,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use super::informer_with;
use super::scripted::{Api, settle};
use chance::Chance;
use source::Source;
use witness::{Witness, objects};

const NAMES: [&str; 7] = ["a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "b/3"];
const STEPS: u64 = 40;
/// How long the test goes on, unless it is told how many histories there are.
const ENOUGH: Duration = Duration::from_secs(15);

/// One history.
struct Run {
    chance: Chance,
    source: Source,
    factory: SharedInformerFactory,
    informer: SharedInformer<ConfigMap>,
    handlers: Vec<(HandlerRegistration, Arc<Witness>)>,
    subscriptions: Vec<(Subscription<ConfigMap>, Arc<Witness>)>,
    /// Whose handlers were removed.
    removed: Vec<Arc<Witness>>,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let (api, source) = (Api::new(), Source::new(chance.fork()));
        let answering = source.clone();
        api.serve(move |request| answering.answer(request));
        let (streams, splits) = (chance.once_in(2), chance.once_in(2));
        let (factory, informer) = informer_with(&api, |builder| {
            let builder = builder.watch_list(streams);
            if splits {
                builder.namespaces(["a", "b"])
            } else {
                builder
            }
        });
        Self {
            chance,
            source,
            factory,
            informer,
            handlers: Vec::new(),
            subscriptions: Vec::new(),
            removed: Vec::new(),
        }
    }

    async fn run(mut self) {
        for _ in 0..self.chance.below(5) {
            self.put();
        }
        self.add_handler();
        self.factory.start();
        for _ in 0..STEPS {
            self.step().await;
            if self.chance.once_in(2) {
                settle().await;
            }
            self.check();
        }
        self.source.heal();
        self.converge().await;
        self.check();
        self.factory.shutdown().await;
    }

    async fn step(&mut self) {
        match self.chance.below(20) {
            0..=5 => self.put(),
            6 => (0..self.chance.between(5, 40)).for_each(|_| self.put()),
            7 | 8 => {
                let name = self.chance.pick(&NAMES);
                self.source.delete(name);
            }
            9 => self.source.end_watches(),
            10 => self.source.compact(),
            11 => self.source.bookmark(),
            12 => self.source.fail(self.chance.between(1, 3)),
            13 => self.source.fail_watches(),
            14 => sleep(Duration::from_millis(self.chance.between(1, 5000))).await,
            15 => sleep(Duration::from_secs(self.chance.between(5, 200))).await,
            16 | 17 => self.add_handler(),
            18 => self.remove_handler().await,
            _ => self.poll(5),
        }
    }

    fn put(&mut self) {
        let (name, is_broken) = (*self.chance.pick(&NAMES), self.chance.once_in(8));
        self.source.put(name, is_broken);
    }

    fn add_handler(&mut self) {
        if self.handlers.len() + self.subscriptions.len() > 5 {
            return;
        }
        let options = HandlerOptions::new();
        let options = match self.chance.below(4) {
            0 => options.every_event(),
            1 => options.coalesce_above(0),
            2 => options.coalesce_above(3),
            _ => options,
        };
        let panics = *self.chance.pick(&[0, 0, 1, 3]);
        if self.chance.once_in(4) {
            let witness = Witness::new(self.chance.fork(), 0);
            let subscription = self.informer.subscribe_with(options);
            self.subscriptions.push((subscription, witness));
            return;
        }
        let witness = Witness::new(self.chance.fork(), panics);
        let options = options.resync(Duration::from_secs(self.chance.below(4) * 20));
        let added = self
            .informer
            .add_handler_with(Arc::clone(&witness), options);
        self.handlers.push((added.unwrap(), witness));
    }

    async fn remove_handler(&mut self) {
        let Some((registration, witness)) = self.handlers.pop() else {
            return;
        };
        if self.chance.once_in(2) {
            registration.shut_down().await;
        } else {
            drop(registration);
            settle().await;
        }
        witness.is_removed.store(true, Ordering::SeqCst);
        self.removed.push(witness);
    }

    /// Lets those who subscribed hear of some events.
    fn poll(&mut self, events: usize) {
        for (subscription, witness) in &mut self.subscriptions {
            for _ in 0..events {
                match subscription.next().now_or_never() {
                    Some(Some(event)) => witness.hear(&event),
                    _ => break,
                }
            }
        }
    }

    /// What holds at any time.
    fn check(&self) {
        for (registration, witness) in &self.handlers {
            witness.check();
            if registration.has_synced() {
                witness.is_synced.store(true, Ordering::SeqCst);
            }
        }
        for witness in &self.removed {
            witness.check();
        }
        for (_, witness) in &self.subscriptions {
            witness.check();
        }
        for (name, version) in objects(self.informer.indexer().list()) {
            assert!(
                self.source.had(&name, version),
                "{name}@{version} never was"
            );
        }
    }

    /// What holds in the end.
    async fn converge(&mut self) {
        let source = self.source.objects();
        let mut steps = 0;
        loop {
            self.poll(usize::MAX);
            let cached = objects(self.informer.indexer().list());
            let waiting: Vec<_> = self
                .handlers
                .iter()
                .filter(|(registration, witness)| {
                    !registration.has_synced() || witness.view() != source
                })
                .map(|(_, witness)| witness)
                .chain(self.behind(&source))
                .collect();
            if self.informer.has_synced() && cached == source && waiting.is_empty() {
                return;
            }
            steps += 1;
            let told: Vec<_> = waiting.iter().map(|witness| witness.told()).collect();
            assert!(
                steps < 3600,
                "in the end there is {source:?},\nand in the cache {cached:?};\nhandlers that were told otherwise: {told:#?}"
            );
            sleep(Duration::from_secs(1)).await;
        }
    }

    fn behind(&self, source: &source::Objects) -> impl Iterator<Item = &Arc<Witness>> {
        let witnesses = self.subscriptions.iter().map(|(_, witness)| witness);
        witnesses.filter(move |witness| witness.view() != *source)
    }
}

/// Says which seed it was.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "seed {} fails: MODEL_FIRST={} MODEL_COUNT=1",
                self.0, self.0
            );
        }
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// All of a seed happens in one thread, on its own clock.
fn replay(seed: u64) {
    let _named = Named(seed);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async { Run::new(seed).run().await });
}

#[test]
fn whatever_happens_the_cache_ends_as_the_source_is() {
    let begun = Instant::now();
    let is_bounded = std::env::var_os("MODEL_COUNT").is_none();
    let first = number("MODEL_FIRST", 1);
    let (count, times) = (number("MODEL_COUNT", 2000), number("MODEL_TIMES", 1));
    let seeds = Mutex::new((first..first + count).flat_map(|seed| (0..times).map(move |_| seed)));
    let next = || seeds.lock().unwrap().next();
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                while let Some(seed) = next() {
                    replay(seed);
                    if is_bounded && begun.elapsed() > ENOUGH {
                        return;
                    }
                }
            });
        }
    });
}
