//! Signal handling of commands that write files.

use genclient_codegen::output::interrupt;

/// Installs a signal handler that exits the process once there is no writer. Without this handler,
/// signals end the process immediately.
#[cfg(unix)]
pub(crate) fn wait_for_writers() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    /// The offset that shells add to a signal number to form an exit code.
    const SIGNAL_EXIT_BASE: i32 = 128;

    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let code = u8::try_from(SIGNAL_EXIT_BASE + signal).unwrap_or(1);
            interrupt::exit_when_written(code);
        }
    });
}

/// Does nothing, because signals are handled only on Unix.
#[cfg(not(unix))]
pub(crate) fn wait_for_writers() {}
