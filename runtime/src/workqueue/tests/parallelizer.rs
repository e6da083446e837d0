//! Tests of `parallelize_until`: client-go's `parallelizer_test.go`.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::workqueue::parallelize_until;

/// Runs pieces that take a second each. Returns how often each was processed, and the total time.
async fn run(workers: usize, pieces: usize, chunk_size: usize) -> (Vec<usize>, Duration) {
    let visits = RefCell::new(vec![0; pieces]);
    let chunk_size = NonZeroUsize::new(chunk_size).unwrap();
    let start = Instant::now();
    parallelize_until(
        &CancellationToken::new(),
        workers,
        pieces,
        chunk_size,
        async |piece| {
            visits.borrow_mut()[piece] += 1;
            sleep(Duration::from_secs(1)).await;
        },
    )
    .await;
    (visits.into_inner(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn parallelize_until_visits_every_piece_once() {
    // workers, pieces, chunk size, and the seconds that the busiest worker needs
    let cases = [
        (10, 1000, 1, 100),
        (10, 1000, 10, 100),
        (10, 1000, 100, 100),
        (10, 999, 13, 104),
        (10, 3, 1, 1),
        (1, 5, 2, 5),
        (3, 10, usize::MAX, 10),
        (4, 0, 1, 0),
    ];
    for (workers, pieces, chunk_size, seconds) in cases {
        let (visits, took) = run(workers, pieces, chunk_size).await;
        assert_eq!(
            visits,
            vec![1; pieces],
            "{workers} workers, chunks of {chunk_size}"
        );
        assert_eq!(
            took.as_secs(),
            seconds,
            "{workers} workers, chunks of {chunk_size}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn parallelize_until_starts_no_piece_after_cancellation() {
    let stop = CancellationToken::new();
    let (begun, finished) = (Cell::new(0), Cell::new(0));
    parallelize_until(
        &stop,
        2,
        100,
        NonZeroUsize::new(5).unwrap(),
        async |piece| {
            begun.set(begun.get() + 1);
            if piece == 2 {
                stop.cancel();
            }
            // When the first worker stops, the second one is still processing its first piece.
            sleep(Duration::from_secs(if piece < 5 { 1 } else { 10 })).await;
            finished.set(finished.get() + 1);
        },
    )
    .await;
    assert_eq!((begun.get(), finished.get()), (4, 4), "0 and 5, 1, 2");
}
