//! Jitter: random durations that spread the requests of many clients.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Returns `duration` plus a random part of up to `max_factor` times `duration`: apimachinery's
/// `wait.Jitter`.
///
/// A `max_factor` that is zero, negative or NaN counts as 1. On overflow, the result is
/// [`Duration::MAX`].
///
/// ```
/// use std::time::Duration;
///
/// let pause = genclient::wait::jitter(Duration::from_secs(2), 1.2);
/// assert!((2.0..4.4).contains(&pause.as_secs_f64()));
/// ```
#[must_use]
pub fn jitter(duration: Duration, max_factor: f64) -> Duration {
    let max_factor = if max_factor > 0.0 { max_factor } else { 1.0 };
    let seconds = duration.as_secs_f64() * (1.0 + random_fraction() * max_factor);
    // Zero times an infinite factor is NaN, which would become `Duration::MAX` below.
    if duration.is_zero() {
        return duration;
    }
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Returns a random number in `0.0..1.0`.
pub(crate) fn random_fraction() -> f64 {
    (random() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a random number. The standard library seeds `RandomState` from the system's randomness,
/// which is sufficient for jitter.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_cover_their_range() {
        let draws: Vec<_> = (0..200).map(|_| random_fraction()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < 0.25));
        assert!(draws.iter().any(|draw| *draw > 0.75));
    }

    #[test]
    fn jitter_does_not_overflow() {
        for max_factor in [1.0, 1e300, f64::INFINITY, f64::NAN] {
            let pause = jitter(Duration::MAX, max_factor);
            assert!(pause > Duration::from_secs(u64::MAX / 2), "{max_factor}");
        }
        assert_eq!(jitter(Duration::ZERO, f64::INFINITY), Duration::ZERO);
    }

    #[test]
    fn jitter_adds_up_to_its_factor() {
        for (max_factor, longest) in [(0.1, 1.1), (1.2, 2.2), (0.0, 2.0), (-1.0, 2.0)] {
            let draws: Vec<_> = (0..200)
                .map(|_| jitter(Duration::from_secs(1), max_factor).as_secs_f64())
                .collect();
            assert!(draws.iter().all(|draw| (1.0..longest).contains(draw)));
            let middle = f64::midpoint(1.0, longest);
            assert!(draws.iter().any(|draw| *draw > middle), "{max_factor}");
        }
    }
}
