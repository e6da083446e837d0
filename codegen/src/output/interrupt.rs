//! Signals while files are written: the process ends when they are in their places, or taken back.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::diagnostic::{Diagnostic, Diagnostics};

/// The number of writers.
static HOLDS: Mutex<usize> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// The exit code of a process that a signal ended; 0 as long as none did.
static INTERRUPTED: AtomicU8 = AtomicU8::new(0);

/// Has signals end the process as soon as nobody writes. A program calls it once; without it, they
/// end the process at once.
#[cfg(unix)]
pub(crate) fn wait_for_writers() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    /// The number that shells add to that of a signal.
    const BY_SIGNAL: i32 = 128;

    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        // They end the process at once.
        return;
    };
    std::thread::spawn(move || {
        let Some(signal) = signals.forever().next() else {
            return;
        };
        let code = u8::try_from(BY_SIGNAL + signal).unwrap_or(1);
        INTERRUPTED.store(code, Ordering::SeqCst);
        let mut holds = holds();
        while *holds > 0 {
            holds = RELEASED.wait(holds).unwrap_or_else(PoisonError::into_inner);
        }
        std::process::exit(code.into());
    });
}

/// There are no signals here.
#[cfg(not(unix))]
pub(crate) fn wait_for_writers() {}

/// The exit code of a process that was interrupted.
pub(crate) fn exit_code() -> Option<u8> {
    Some(INTERRUPTED.load(Ordering::SeqCst)).filter(|code| *code != 0)
}

/// An error if the process was interrupted.
pub(super) fn check() -> Result<(), Diagnostics> {
    match exit_code() {
        None => Ok(()),
        Some(_) => Err(Diagnostic::error("interrupted: no file has changed")
            .help("type the command again")
            .into()),
    }
}

/// A writer. While there is one, the process does not end.
pub(super) struct Hold(());

/// Begins to write.
pub(super) fn hold() -> Hold {
    *holds() += 1;
    Hold(())
}

impl Drop for Hold {
    fn drop(&mut self) {
        *holds() -= 1;
        RELEASED.notify_all();
    }
}

fn holds() -> MutexGuard<'static, usize> {
    HOLDS.lock().unwrap_or_else(PoisonError::into_inner)
}
