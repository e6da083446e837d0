//! A random history: steps on an informer and its API server, and the invariants during and after
//! them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use genclient::informer::{
    HandlerOptions, HandlerRegistration, SharedInformer, SharedInformerFactory, Subscription,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};

use super::super::informer_with;
use super::super::scripted::{Api, settle};
use super::NAMES;
use super::chance::Chance;
use super::history::Objects;
use super::source::Source;
use super::tally::Tally;
use super::witness::{Heard, Witness, objects};

const STEPS: u64 = 40;
/// Time limit for convergence after the last change.
const IN_THE_END: Duration = Duration::from_secs(3600);

/// State of a history.
pub(super) struct Run {
    chance: Chance,
    source: Source,
    factory: SharedInformerFactory,
    informer: SharedInformer<ConfigMap>,
    handlers: Vec<(HandlerRegistration, Arc<Witness>)>,
    subscriptions: Vec<(Subscription<ConfigMap>, Arc<Witness>)>,
    /// The witnesses of removed handlers.
    removed: Vec<Arc<Witness>>,
}

impl Run {
    pub(super) fn new(seed: u64) -> Self {
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

    pub(super) async fn run(mut self) -> Tally {
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
        self.tally()
    }

    async fn step(&mut self) {
        match self.chance.below(20) {
            0..=5 => self.put(),
            6 => (0..self.chance.between(5, 15)).for_each(|_| self.put()),
            7 | 8 => {
                let name = *self.chance.pick(&NAMES);
                self.source.delete(name);
            }
            9 if self.chance.once_in(3) => self.source.silence_watches(),
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
        let panics = *self.chance.pick(&[0, 0, 2, 10]);
        if self.chance.once_in(4) {
            let witness = Witness::new(self.chance.fork(), 0);
            let subscription = self.informer.subscribe_with(options);
            self.subscriptions.push((subscription, witness));
            return;
        }
        let witness = Witness::new(self.chance.fork(), panics);
        let options = options.resync(Duration::from_secs(self.chance.below(3) * 60));
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
            registration.shutdown().await;
        } else {
            drop(registration);
            settle().await;
        }
        witness.is_removed.store(true, Ordering::SeqCst);
        self.removed.push(witness);
    }

    /// Polls up to `events` events of each subscription.
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

    /// Returns all witnesses, including removed ones.
    fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        let handlers = self.handlers.iter().map(|(_, witness)| witness);
        let subscriptions = self.subscriptions.iter().map(|(_, witness)| witness);
        let all = handlers.chain(subscriptions).chain(&self.removed);
        all.map(|witness| &**witness)
    }

    /// Checks the invariants that hold at any time.
    fn check(&self) {
        let was = |heard| match heard {
            Heard::There(name, version) => self.source.had(name, version),
            Heard::Last(name, version) => self.source.ended(name, version),
        };
        self.witnesses().for_each(|witness| witness.check(was));
        for (registration, witness) in &self.handlers {
            if registration.has_synced() {
                witness.is_synced.store(true, Ordering::SeqCst);
            }
        }
        for (name, version) in objects(self.informer.indexer().list()) {
            assert!(self.source.had(name, version), "{name}@{version} never was");
        }
    }

    /// Waits until cache and handlers match the source, and fails after [`IN_THE_END`]. The checks
    /// get less frequent, since dead connections take minutes.
    async fn converge(&mut self) {
        let (source, begun) = (self.source.objects(), Instant::now());
        loop {
            self.poll(usize::MAX);
            let cached = objects(self.informer.indexer().list());
            let waiting: Vec<_> = self.waiting(&source).collect();
            if self.informer.has_synced() && cached == source && waiting.is_empty() {
                return;
            }
            let notifications = || waiting.iter().map(|witness| witness.notifications());
            assert!(
                begun.elapsed() < IN_THE_END,
                "in the end there is {source:?},\nand in the cache {cached:?};\nhandlers with a different view: {:#?}",
                notifications().collect::<Vec<_>>()
            );
            sleep(begun.elapsed().max(Duration::from_secs(1))).await;
        }
    }

    /// Returns the witnesses whose view differs from the source.
    fn waiting(&self, source: &Objects) -> impl Iterator<Item = &Witness> {
        let handlers = self
            .handlers
            .iter()
            .filter(|(registration, witness)| !registration.has_synced() || !witness.sees(source));
        let subscriptions = self
            .subscriptions
            .iter()
            .filter(|(_, witness)| !witness.sees(source));
        let handlers = handlers.map(|(_, witness)| &**witness);
        handlers.chain(subscriptions.map(|(_, witness)| &**witness))
    }

    fn tally(&self) -> Tally {
        let mut tally = self.source.tally();
        self.witnesses()
            .for_each(|witness| tally.add(&witness.tally()));
        tally
    }
}
