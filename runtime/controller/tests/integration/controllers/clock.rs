//! Tests of the clock of a manager.

use genclient::clock::{Clock, FakeClock, Timestamp};
use genclient_controller::{Component, Setup, SetupError, Task};
use tokio::time::Instant;

use super::*;

const HOUR: i64 = 3600;

/// A clock that moves with tokio's time.
#[derive(Debug)]
struct TokioClock {
    start: Timestamp,
    began: Instant,
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        self.start + self.began.elapsed()
    }
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A component that keeps the clock that it is given.
struct KeepsClock(Arc<Mutex<Option<Arc<dyn Clock>>>>);

impl Component for KeepsClock {
    fn set_up(self, setup: &Setup) -> std::result::Result<Task, SetupError> {
        *self.0.lock().unwrap() = Some(Arc::clone(setup.clock()));
        Ok(Task::new("keeps-clock", async |_| Ok(())))
    }
}

/// Returns a reconciler that runs at each full hour, as a CronJob does, and the times of its runs.
fn hourly() -> (Scripted, Arc<Mutex<Vec<Timestamp>>>) {
    let runs = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&runs);
    let scripted = Scripted::new(move |_, cx| {
        let now = cx.now();
        kept.lock().unwrap().push(now);
        let left = HOUR - now.as_second().rem_euclid(HOUR);
        Ok(Action::after(Duration::from_secs(left.unsigned_abs())))
    });
    (scripted, runs)
}

#[tokio::test(start_paused = true)]
async fn schedules_follow_a_clock_of_paused_time() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (scripted, runs) = hourly();
    let start = time("2026-01-31T22:10:00Z");
    let clock = TokioClock {
        start,
        began: Instant::now(),
    };
    let running = Running::start_with(
        &api,
        |builder| builder.clock(clock),
        |manager| {
            manager.add(scripted.controller()).unwrap();
        },
    )
    .await;
    advance(Duration::from_secs(3 * 3600)).await;
    running.stop().await.unwrap();
    let expected = [
        "2026-01-31T22:10:00Z",
        "2026-01-31T23:00:00Z",
        "2026-02-01T00:00:00Z",
        "2026-02-01T01:00:00Z",
    ];
    assert_eq!(*runs.lock().unwrap(), expected.map(time));
}

#[tokio::test(start_paused = true)]
async fn reconciles_and_components_read_the_clock_that_a_test_sets() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (scripted, runs) = hourly();
    let clock = FakeClock::new(time("2026-01-01T00:10:00Z"));
    let of_components = Arc::<Mutex<Option<Arc<dyn Clock>>>>::default();
    let running = Running::start_with(
        &api,
        |builder| builder.clock(clock.clone()),
        |manager| {
            manager.add(scripted.controller()).unwrap();
            manager.add(KeepsClock(Arc::clone(&of_components))).unwrap();
        },
    )
    .await;
    settle().await;
    let later = time("2026-01-01T12:00:00Z");
    clock.set(later);
    let shown = of_components.lock().unwrap().as_ref().map(|it| it.now());
    assert_eq!(shown, Some(later));
    api.put("configmaps", config_map_json("one", "2"));
    settle().await;
    running.stop().await.unwrap();
    let expected = [time("2026-01-01T00:10:00Z"), later];
    assert_eq!(*runs.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn default_clock_is_that_of_the_system() {
    let before = Timestamp::now();
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (scripted, runs) = hourly();
    let running = Running::start(&api, |manager| {
        manager.add(scripted.controller()).unwrap();
    })
    .await;
    settle().await;
    running.stop().await.unwrap();
    let times = runs.lock().unwrap();
    assert_eq!(times.len(), 1);
    assert!((before..=Timestamp::now()).contains(&times[0]), "{times:?}");
}
