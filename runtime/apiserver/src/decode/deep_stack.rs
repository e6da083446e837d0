//! A thread with a deep stack, for YAML: in a debug build its parser takes 32 KB for each level of
//! nesting, and the thread of a test has 2 MB.

use std::thread;

/// Bytes of stack, for 200 levels and more.
const STACK: usize = 16 * 1024 * 1024;

/// Calls a function in such a thread.
///
/// # Errors
///
/// If there is no thread to be had.
pub(crate) fn run<T: Send>(function: impl FnOnce() -> T + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let running = thread.spawn_scoped(scope, function);
        let running = running.map_err(|error| error.to_string())?;
        running
            .join()
            .map_err(|_| "the YAML parser failed".to_owned())
    })
}
