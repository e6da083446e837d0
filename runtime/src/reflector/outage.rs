//! [`Outage`]: detection of an unreachable API server, and turns of failing reflectors. Shared by
//! the reflectors of a factory, or of several factories of one API server.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::error::ListWatchError;
use crate::wait::random_fraction;

/// Interval between two attempts of failing reflectors of a factory in one queue, whichever make
/// them.
const TURN: Duration = Duration::from_secs(1);
/// After an outage, the reflectors' next attempts are spread over this time.
const SPREAD: Duration = Duration::from_millis(500);
/// How long the error responses 401, 403, 429 and 5xx count as part of an outage. A starting API
/// server sends them, for example 403 until it has read the RBAC roles.
const STARTING: Duration = Duration::from_secs(30);
/// Interval of warnings during an outage.
const REMINDERS: Duration = Duration::from_secs(30);

/// Reachability of an API server, shared by its reflectors.
///
/// An outage begins with a request that cannot reach the server, for example because the connection
/// is refused. It ends with a response other than 401, 403, 429 or 5xx. If all responses have these
/// codes, it ends with a response that arrives at least 30 s after the first of them. In client-go,
/// each reflector sleeps for its own backoff of up to 60 s (`defaultBackoffMax` with jitter, in
/// `tools/cache/reflector.go`), even if another reflector has already reached the server.
///
/// Other failures are no outage, since they may concern one resource: a missing permission, a
/// CustomResourceDefinition that is not installed. After them, each reflector has its own backoff.
/// But they take turns as well, and the first one that recovers ends the wait of the others. Those
/// whose failures are expected to last have a queue of their own, so that brief failures do not
/// wait for them.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    state: Mutex<Option<State>>,
    turns: Turns,
    lasting_turns: Turns,
    over: Notify,
}

/// Queue of reflectors that wait for an attempt. The lock is held during the pause before an
/// attempt; it is fair, so reflectors take turns.
type Turns = tokio::sync::Mutex<()>;

/// How long the failures of a reflector are expected to last.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    Brief,
    Lasting,
}

#[derive(Debug)]
struct State {
    since: Instant,
    /// Time of the first response since the last unanswered request.
    answered: Option<Instant>,
    logged: Option<Instant>,
}

impl Outage {
    pub(super) fn unanswered(&self) {
        let mut state = self.state.lock();
        let state = state.get_or_insert_with(|| State {
            since: Instant::now(),
            answered: None,
            logged: None,
        });
        state.answered = None;
    }

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

    pub(crate) fn is_going_on(&self) -> bool {
        self.state.lock().is_some()
    }

    pub(super) fn covers(&self, error: &ListWatchError) -> bool {
        let is_sign = error.is_out_of_reach() || error.code().is_some_and(may_be_starting);
        is_sign && self.is_going_on()
    }

    /// Whether to log a failure as a warning: always if there is no outage, otherwise once every
    /// [`REMINDERS`].
    pub(super) fn is_warning_due(&self) -> bool {
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

    /// Ends the waits for a turn: a reflector that failed has recovered.
    pub(super) fn recovered(&self) {
        self.over.notify_waiters();
    }

    /// Waits for this reflector's turn: the reflectors of a queue make their attempts one second
    /// apart. If an outage ends or another reflector recovers, waits only for a random part of
    /// [`SPREAD`].
    pub(super) async fn turn(&self, expected: Expected) {
        let turns = match expected {
            Expected::Brief => &self.turns,
            Expected::Lasting => &self.lasting_turns,
        };
        let turn = async {
            let _turn = turns.lock().await;
            sleep(TURN).await;
        };
        tokio::select! {
            biased;
            () = self.over.notified() => spread().await,
            () = turn => {}
        }
    }
}

fn may_be_starting(code: u16) -> bool {
    matches!(code, 401 | 403 | 429 | 500..)
}

pub(super) async fn spread() {
    sleep(SPREAD.mul_f64(random_fraction())).await;
}
