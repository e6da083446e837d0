//! [`Outage`]: an unreachable API server, as the reflectors of one factory see it together.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::error::ListWatchError;
use crate::wait::chance;

/// Pause before an attempt during an outage; only one reflector pauses at a time.
const TURN: Duration = Duration::from_secs(1);
/// When reflectors need not wait any longer, their next attempts spread over this time.
const SPREAD: Duration = Duration::from_millis(500);
/// How long answers of a starting API server count as part of an outage: 429, 5xx, and 401 and 403
/// until it knows the roles.
const STARTING: Duration = Duration::from_secs(30);
/// An outage is logged when it begins, and at this interval while it lasts.
const REMINDERS: Duration = Duration::from_secs(30);

/// Reachability of the API server, shared by every reflector of a factory.
///
/// An outage begins with a request that fails without an answer. It ends with an answer other than
/// 401, 403, 429 or 5xx, and 30 s after the first answer at the latest. client-go has no
/// counterpart: each of its reflectors sleeps for its own pause of up to 60 s (`defaultBackoffMax`
/// with jitter, in `tools/cache/reflector.go`), whatever the others have seen by then.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    state: Mutex<Option<State>>,
    /// Held during the pause before an attempt. The lock is fair, so that reflectors take turns.
    turn: tokio::sync::Mutex<()>,
    over: Notify,
}

#[derive(Debug)]
struct State {
    since: Instant,
    /// The first answer after the last unanswered request.
    answered: Option<Instant>,
    logged: Option<Instant>,
}

impl Outage {
    /// Records a request that failed without an answer.
    pub(super) fn unanswered(&self) {
        let mut state = self.state.lock();
        let state = state.get_or_insert_with(|| State {
            since: Instant::now(),
            answered: None,
            logged: None,
        });
        state.answered = None;
    }

    /// Records an answer.
    pub(super) fn answered(&self, code: u16) {
        let mut locked = self.state.lock();
        let Some(state) = &mut *locked else {
            return;
        };
        let answered = *state.answered.get_or_insert_with(Instant::now);
        if may_be_starting(code) && answered.elapsed() < STARTING {
            return;
        }
        tracing::info!(lasted = ?state.since.elapsed(), "the API server can be reached again");
        *locked = None;
        drop(locked);
        self.over.notify_waiters();
    }

    /// Whether `error` is part of an outage.
    pub(super) fn covers(&self, error: &ListWatchError) -> bool {
        let is_sign = error.is_out_of_reach() || error.code().is_some_and(may_be_starting);
        is_sign && self.state.lock().is_some()
    }

    /// Whether a failure of any reflector is due to be logged as a warning.
    pub(super) fn is_worth_a_warning(&self) -> bool {
        let mut state = self.state.lock();
        let Some(state) = &mut *state else {
            return true;
        };
        let is_due = state
            .logged
            .is_none_or(|logged| logged.elapsed() >= REMINDERS);
        if is_due {
            state.logged = Some(Instant::now());
        }
        is_due
    }

    /// Waits for this reflector's turn, one second after that of another one.
    pub(super) async fn turn(&self) {
        let _turn = self.turn.lock().await;
        sleep(TURN).await;
    }

    /// Waits until an outage ends, and then for a random part of [`SPREAD`].
    pub(super) async fn over(&self) {
        self.over.notified().await;
        spread().await;
    }
}

fn may_be_starting(code: u16) -> bool {
    matches!(code, 401 | 403 | 429 | 500..)
}

/// Waits for a random part of [`SPREAD`].
pub(super) async fn spread() {
    sleep(SPREAD.mul_f64(chance())).await;
}
