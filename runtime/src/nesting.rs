//! Limit on the nesting of JSON, and threads with a stack for deeply nested objects.

use std::panic::resume_unwind;
use std::thread;

/// Maximum nesting of an object, in levels. serde_json's default limit is 128. client-go's maximum
/// is 10,000, which is too much for a Rust stack: cloning and serializing use stack space for each
/// level.
pub(crate) const MAX_DEPTH: usize = 250;
/// Maximum nesting that needs no large stack. By default, serde_json parses up to this nesting: one
/// level less than its recursion limit.
pub(crate) const MAX_DEPTH_ON_ANY_STACK: usize = 127;
/// Stack size for objects of up to [`MAX_DEPTH`] levels, in bytes: four times the use that was
/// measured in a debug build.
const LARGE_STACK: usize = 16 << 20;

/// Runs `work` in a thread with a large stack. Returns `None` if no thread can be started.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(LARGE_STACK);
        let working = builder.spawn_scoped(scope, work).ok()?;
        Some(working.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Returns the nesting of `json`: the maximum number of open brackets and braces at any position.
pub(crate) fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_depth_ignores_brackets_in_strings() {
        for (json, expected) in [
            ("1", 0),
            (r#"{"a": [1, [2], {}], "b": []}"#, 3),
            (r#"["[[[", "\"[[", "\\", [1]]"#, 2),
            ("]]][", 1),
        ] {
            assert_eq!(depth(json.as_bytes()), expected, "{json}");
        }
    }
}
