//! Thread with a large stack for the YAML parser. In a debug build the parser needs 32 KB per level
//! of nesting; a test's thread has 2 MB.

use std::thread;

/// Stack size in bytes, for at least 200 levels.
const STACK: usize = 16 * 1024 * 1024;

/// Calls a function on a thread with a large stack.
///
/// # Errors
///
/// If the thread cannot be spawned.
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
