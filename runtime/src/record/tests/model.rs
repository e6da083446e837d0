//! Model test of event series: after any sequence of steps, the server has counted every recorded
//! event.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::events::v1::Event;
use proptest::prelude::*;
use tokio::time::Instant;

use super::MINUTE;
use super::series::event;
use crate::record::series::{SeriesTracker, Write};

#[derive(Clone, Debug)]
enum Step {
    /// Records an event about the object with this number.
    Record(u8),
    Pass(u32),
    Begin,
    /// Ends a write in progress: stored and answered, stored without a response, or lost.
    End(usize, Arrival),
    Refresh,
    Finish,
    /// All events on the server expire.
    Expire,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Arrival {
    Confirmed,
    Unconfirmed,
    Lost,
}

fn step() -> impl Strategy<Value = Step> {
    let arrival = prop_oneof![
        4 => Just(Arrival::Confirmed),
        1 => Just(Arrival::Unconfirmed),
        1 => Just(Arrival::Lost),
    ];
    prop_oneof![
        8 => (0..4_u8).prop_map(Step::Record),
        2 => (0..9_u32).prop_map(Step::Pass),
        6 => Just(Step::Begin),
        6 => (any::<usize>(), arrival).prop_map(|(which, arrival)| Step::End(which, arrival)),
        1 => Just(Step::Refresh),
        2 => Just(Step::Finish),
        1 => Just(Step::Expire),
    ]
}

/// A series, and a model of the server.
struct World {
    series: SeriesTracker,
    now: Instant,
    under_way: Vec<Write>,
    /// Count of each event, by name.
    server: BTreeMap<String, i32>,
    /// Expired events with their last counts.
    expired: BTreeMap<String, i32>,
    recorded: i32,
}

impl World {
    fn take(&mut self, step: Step) {
        match step {
            Step::Record(object) => self.record(object),
            Step::Pass(minutes) => self.now += MINUTE * minutes,
            Step::Begin => self.begin(),
            Step::End(which, arrival) => self.end(which, arrival),
            Step::Refresh => self.series.refresh(),
            Step::Finish => self.series.finish(self.now),
            Step::Expire => self.expired.append(&mut self.server),
        }
    }

    fn record(&mut self, object: u8) {
        self.recorded += 1;
        let mut event = event(&format!("object-{object}"));
        event.metadata.name = Some(format!("event-{}", self.recorded));
        assert!(self.series.record(event, self.now), "there is room");
    }

    fn begin(&mut self) {
        if let Some(write) = self.series.next() {
            self.under_way.push(write);
        }
        let objects = self.under_way.iter().map(|write| &write.event.regarding);
        let different: BTreeSet<_> = objects
            .clone()
            .map(|object| format!("{object:?}"))
            .collect();
        assert_eq!(different.len(), objects.count(), "two writes of one event");
    }

    fn end(&mut self, which: usize, arrival: Arrival) {
        if self.under_way.is_empty() {
            return;
        }
        let write = self.under_way.swap_remove(which % self.under_way.len());
        if arrival != Arrival::Lost {
            self.serve(&write.event, write.patch.is_some());
        }
        self.series.written(write, arrival == Arrival::Confirmed);
    }

    fn serve(&mut self, event: &Event, is_patch: bool) {
        let name = event.metadata.name.clone().unwrap();
        let count = event.series.as_ref().map_or(1, |series| series.count);
        self.expired.remove(&name);
        let known = self.server.insert(name, count);
        assert!(known.is_none_or(|known| known <= count), "counts grow");
        assert!(
            is_patch || known.is_none_or(|known| known == count),
            "created once"
        );
    }
}

proptest! {
    #[test]
    fn all_recorded_events_are_eventually_stored(steps in prop::collection::vec(step(), 0..200)) {
        let mut world = World {
            series: SeriesTracker::default(),
            now: Instant::now(),
            under_way: Vec::new(),
            server: BTreeMap::new(),
            expired: BTreeMap::new(),
            recorded: 0,
        };
        for step in steps {
            world.take(step);
        }
        world.series.flush();
        while !world.series.is_idle() || !world.under_way.is_empty() {
            world.begin();
            world.end(0, Arrival::Confirmed);
        }
        let server: i32 = world.server.values().chain(world.expired.values()).sum();
        prop_assert_eq!(server, world.recorded);
        world.series.finish(world.now + 7 * MINUTE);
        prop_assert_eq!(world.series.len(), 0, "nothing is remembered for ever");
    }
}
