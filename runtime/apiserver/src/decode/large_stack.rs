//! A thread with a stack that is large enough for the YAML parser.

use std::thread;

/// Stack size in bytes. The parser admits 200 levels of nesting and needs 32 KB for each in a debug
/// build. The thread of a test has only 2 MB.
const STACK_SIZE: usize = 16 * 1024 * 1024;

/// Calls a function on a new thread with a large stack, and returns its result.
///
/// # Errors
///
/// If the thread cannot be spawned, or `function` panics.
pub fn on_large_stack<T: Send>(function: impl FnOnce() -> T + Send) -> Result<T, String> {
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(STACK_SIZE)
            .spawn_scoped(scope, function)
            .map_err(|error| error.to_string())?
            .join()
            .map_err(|_| "the YAML parser failed".to_owned())
    })
}
