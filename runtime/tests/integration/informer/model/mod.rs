//! Model test of informers with random histories: the cache converges to the state of the API
//! server, and every handler receives only notifications that match the history.
//!
//! `MODEL_COUNT` is the number of histories. A failure prints its seed, and
//! `MODEL_FIRST=<seed> MODEL_COUNT=1 cargo test -p genclient --test integration informer::model`
//! replays the steps and responses. The pauses between the reflector's attempts stay random;
//! `MODEL_TIMES=100` repeats the replay.

mod answers;
mod chance;
mod history;
mod run;
mod source;
mod tally;
mod witness;

use std::num::NonZero;
use std::sync::Mutex;

use run::Run;
use tally::Tally;

const NAMES: [&str; 7] = ["a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "b/3"];

/// Prints the seed of a failed history.
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

/// Runs the history of a seed in one thread, with its own clock.
fn replay(seed: u64) -> Tally {
    let _named = Named(seed);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async { Run::new(seed).run().await })
}

#[test]
fn cache_converges_to_the_source_after_random_failures() {
    let first = number("MODEL_FIRST", 1);
    let (count, times) = (number("MODEL_COUNT", 200), number("MODEL_TIMES", 1));
    let seeds = Mutex::new((first..first + count).flat_map(|seed| (0..times).map(move |_| seed)));
    let next = || seeds.lock().unwrap().next();
    let all = Mutex::new((Tally::default(), 0));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                while let Some(seed) = next() {
                    let tally = replay(seed);
                    let (sum, histories) = &mut *all.lock().unwrap();
                    sum.add(&tally);
                    *histories += 1;
                }
            });
        }
    });
    let (tally, histories) = all.into_inner().unwrap();
    tally.check(histories);
}
