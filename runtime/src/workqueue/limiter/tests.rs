//! Tests of the rate limiters: client-go's `default_rate_limiters_test.go`.

use super::*;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

#[track_caller]
fn check<K: ?Sized>(
    limiter: &mut impl RateLimiter<&'static K>,
    key: &'static K,
    delays: &[Duration],
) {
    let seen: Vec<_> = delays.iter().map(|_| limiter.when(&key)).collect();
    assert_eq!(seen, delays);
}

/// Checks a limiter that counts failures. `delays` are the delays of the first five.
#[track_caller]
fn check_counting(mut limiter: impl RateLimiter<&'static str>, delays: &[Duration; 5]) {
    check(&mut limiter, "one", delays);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    check(&mut limiter, "two", &delays[..2]);
    assert_eq!(limiter.num_requeues(&"two"), 2);
    limiter.forget(&"one");
    assert_eq!(limiter.num_requeues(&"one"), 0);
    check(&mut limiter, "one", &delays[..1]);
    assert_eq!(limiter.num_requeues(&"two"), 2);
}

#[test]
fn item_exponential_failure_rate_limiter() {
    let limiter = ItemExponentialFailureRateLimiter::new(MS, SECOND);
    check_counting(limiter, &[MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS]);
}

#[test]
fn item_exponential_failure_rate_limiter_over_flow() {
    let cases = [
        (MS, 1000 * SECOND, 5, 32 * MS),
        (MS, 1000 * SECOND, 1000, 1000 * SECOND),
        (60 * SECOND, 1000 * HOUR, 2, 240 * SECOND),
        (60 * SECOND, 1000 * HOUR, 1000, 1000 * HOUR),
        (60 * SECOND, Duration::MAX, 5000, Duration::MAX),
        (Duration::ZERO, SECOND, 5000, Duration::ZERO),
    ];
    for (base, max, failures, expected) in cases {
        let mut limiter = ItemExponentialFailureRateLimiter::new(base, max);
        for _ in 0..failures {
            limiter.when(&"key");
        }
        assert_eq!(
            limiter.when(&"key"),
            expected,
            "{base:?} up to {max:?} after {failures}"
        );
    }
}

#[test]
fn item_fast_slow_rate_limiter() {
    let limiter = ItemFastSlowRateLimiter::new(5 * MS, 10 * SECOND, 3);
    check_counting(limiter, &[5 * MS, 5 * MS, 5 * MS, 10 * SECOND, 10 * SECOND]);
}

#[test]
fn max_of_rate_limiter() {
    let limiter = MaxOfRateLimiter::new([
        Box::new(ItemFastSlowRateLimiter::new(5 * MS, 3 * SECOND, 3)) as _,
        Box::new(ItemExponentialFailureRateLimiter::new(MS, SECOND)) as _,
    ]);
    check_counting(limiter, &[5 * MS, 5 * MS, 5 * MS, 3 * SECOND, 3 * SECOND]);
}

/// Limiter with one delay for the first 100 calls and another for the rest, whatever the key.
struct StepRateLimiter {
    calls: usize,
}

impl RateLimiter<&'static str> for StepRateLimiter {
    fn when(&mut self, _key: &&'static str) -> Duration {
        self.calls += 1;
        if self.calls <= 100 {
            5 * MS
        } else {
            1000 * SECOND
        }
    }

    fn forget(&mut self, _key: &&'static str) {}

    fn num_requeues(&self, _key: &&'static str) -> usize {
        0
    }
}

#[test]
fn with_max_wait_rate_limiter() {
    let mut limiter = WithMaxWaitRateLimiter::new(StepRateLimiter { calls: 0 }, 500 * SECOND);
    check(&mut limiter, "key", &[5 * MS; 100]);
    check(&mut limiter, "key", &[500 * SECOND; 100]);
}

#[tokio::test(start_paused = true)]
async fn bucket_rate_limiter_reserves_future_tokens() {
    let mut limiter = BucketRateLimiter::new(10.0, 3);
    check(
        &mut limiter,
        "key",
        &[
            Duration::ZERO,
            Duration::ZERO,
            Duration::ZERO,
            100 * MS,
            200 * MS,
        ],
    );
    tokio::time::advance(200 * MS).await;
    check(&mut limiter, "other", &[100 * MS]);
    tokio::time::advance(HOUR).await;
    check(
        &mut limiter,
        "key",
        &[Duration::ZERO, Duration::ZERO, Duration::ZERO, 100 * MS],
    );
}

#[test]
fn bucket_rate_limiter_without_refill_waits_forever() {
    let mut limiter = BucketRateLimiter::new(0.0, 1);
    check(&mut limiter, "key", &[Duration::ZERO, Duration::MAX]);
}

#[tokio::test(start_paused = true)]
async fn default_controller_rate_limiter_is_the_slower_of_key_and_bucket() {
    let mut limiter = default_controller_rate_limiter();
    check(&mut limiter, "key", &[5 * MS, 10 * MS, 20 * MS, 40 * MS]);
    for _ in 4..100 {
        RateLimiter::<&str>::when(&mut limiter, &"busy");
    }
    check(&mut limiter, "fresh", &[100 * MS, 200 * MS]);
}
