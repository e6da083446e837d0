//! Interruption while files are written: the process exits after they are committed or rolled back.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::diagnostic::{Diagnostic, Diagnostics};

/// The number of active writers.
static HOLDS: Mutex<usize> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// The exit code of an interrupted process; 0 without a signal.
static INTERRUPTED: AtomicU8 = AtomicU8::new(0);

/// Ends the process once no file is being written. Writes that begin later fail or never finish.
pub fn exit_when_written(code: u8) -> ! {
    INTERRUPTED.store(code, Ordering::SeqCst);
    let mut holds = lock_holds();
    while *holds > 0 {
        holds = RELEASED.wait(holds).unwrap_or_else(PoisonError::into_inner);
    }
    // The guard is held to the end: no writer can begin.
    std::process::exit(code.into());
}

/// The exit code of this process; `None` if no signal interrupted it.
pub fn exit_code() -> Option<u8> {
    Some(INTERRUPTED.load(Ordering::SeqCst)).filter(|code| *code != 0)
}

/// Returns an error if the process was interrupted.
pub(super) fn check_interrupted() -> Result<(), Diagnostics> {
    match exit_code() {
        None => Ok(()),
        Some(_) => Err(Diagnostic::error("interrupted: no file has changed")
            .help("run the command again")
            .into()),
    }
}

/// Guard of a writer. After a signal, the process does not exit while a guard exists.
pub(super) struct Hold(());

/// Registers a writer.
pub(super) fn register_writer() -> Hold {
    *lock_holds() += 1;
    Hold(())
}

impl Drop for Hold {
    fn drop(&mut self) {
        *lock_holds() -= 1;
        RELEASED.notify_all();
    }
}

fn lock_holds() -> MutexGuard<'static, usize> {
    HOLDS.lock().unwrap_or_else(PoisonError::into_inner)
}
