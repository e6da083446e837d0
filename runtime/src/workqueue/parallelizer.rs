//! Parallel processing of pieces of work: [`parallelize_until`].

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

/// Processes `pieces` pieces of work with up to `workers` workers: client-go's `ParallelizeUntil`.
///
/// `work` is called once for each piece, with its index from zero. Workers take `chunk_size` pieces
/// at a time, in order. All workers run in the task of the caller, so `work` may borrow. A worker
/// blocks the others until it awaits, so use `tokio::task::spawn_blocking` for CPU-bound work.
///
/// Once `stop` is cancelled, pieces in progress are finished and no others are started.
///
/// # Cancel safety
///
/// Dropping the future drops the pieces in progress.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use genclient::workqueue::parallelize_until;
/// use tokio_util::sync::CancellationToken;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let sum = AtomicUsize::new(0);
/// parallelize_until(&CancellationToken::new(), 4, 10, NonZeroUsize::MIN, async |piece| {
///     sum.fetch_add(piece, Ordering::Relaxed);
/// })
/// .await;
/// assert_eq!(sum.into_inner(), 45);
/// # }
/// ```
pub async fn parallelize_until(
    stop: &CancellationToken,
    workers: usize,
    pieces: usize,
    chunk_size: NonZeroUsize,
    work: impl AsyncFn(usize),
) {
    let chunks = pieces.div_ceil(chunk_size.get());
    let next = AtomicUsize::new(0);
    let worker = async || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            let first = chunk * chunk_size.get();
            for piece in first..pieces.min(first.saturating_add(chunk_size.get())) {
                if stop.is_cancelled() {
                    return;
                }
                work(piece).await;
            }
        }
    };
    let mut workers: FuturesUnordered<_> = (0..workers.min(chunks)).map(|_| worker()).collect();
    while workers.next().await.is_some() {}
}
