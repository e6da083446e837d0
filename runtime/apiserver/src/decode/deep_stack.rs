//! Large stack for the YAML parser, on a separate thread. In a debug build, the parser needs 32 KB
//! for each level of nesting, while the thread of a test has 2 MB.

use std::thread;

/// Stack size in bytes. It is enough for 512 levels in a debug build; the parser rejects more than
/// 64 levels.
const STACK: usize = 16 * 1024 * 1024;

/// Calls a function on a new thread with a large stack, and returns its result.
///
/// # Errors
///
/// If the thread cannot be spawned, or `function` panics.
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
