//! Limits of the YAML parser, and a thread with a large enough stack for them.

use std::thread;

/// Stack size in bytes. The parser admits 200 levels of nesting and needs 32 KB for each in a debug
/// build. The thread of a test has only 2 MB.
const STACK: usize = 16 * 1024 * 1024;

/// Returns the parser options of a request body or a manifest file. They admit a file with all
/// definitions and objects of a large cluster.
pub(crate) fn options(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 200,
            max_nodes: 20_000_000,
            max_events: 60_000_000,
            max_total_scalar_bytes: 1 << 30,
            max_documents: 100_000,
            // Go admits any number of aliases of one anchor.
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: max_aliased_nodes(text),
        },
        with_snippet: false,
    }
}

/// Returns the maximum number of nodes that aliases may add to a text.
///
/// Go admits aliases for 99 % of the nodes, and for at most 400,000 (`allowedAliasRatio` of
/// `decode.go` in `go.yaml.in/yaml/v2`). Every node takes two bytes at least.
fn max_aliased_nodes(text: &str) -> usize {
    text.len().saturating_mul(50).min(400_000)
}

/// Calls a function on a new thread with a large stack, and returns its result.
///
/// # Errors
///
/// If the thread cannot be spawned, or `function` panics.
pub(crate) fn on_large_stack<T: Send>(function: impl FnOnce() -> T + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let running = thread.spawn_scoped(scope, function);
        let running = running.map_err(|error| error.to_string())?;
        running
            .join()
            .map_err(|_| "the YAML parser failed".to_owned())
    })
}
