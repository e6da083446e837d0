//! Times of object metadata: `Time` and `MicroTime` (k8s.io/apimachinery/pkg/apis/meta/v1).

use crate::go::time::{self, Layout, Timestamp};

/// The zero time `0001-01-01T00:00:00Z` in seconds since 1970-01-01. It counts as unset.
pub const ZERO: i64 = time::MIN_SECONDS;

/// Parses a `Time` into seconds since 1970-01-01 and discards the fraction.
///
/// # Errors
///
/// Returns Go's message, such as
/// `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
pub fn parse_time(text: &str) -> Result<i64, String> {
    time::parse(text, Layout::Rfc3339).map(|time| time.seconds)
}

/// Parses a `MicroTime` into seconds since 1970-01-01 and microseconds.
///
/// # Errors
///
/// Returns Go's message.
pub fn parse_micro_time(text: &str) -> Result<(i64, u32), String> {
    time::parse(text, Layout::Rfc3339Micro).map(|time| (time.seconds, time.nanos / 1_000))
}

/// Formats a `Time`: `2026-01-31T12:00:00Z`.
#[must_use]
pub fn format_time(seconds: i64) -> String {
    Timestamp::utc(seconds, 0).to_rfc3339()
}

/// Formats a `MicroTime`: `2026-01-31T12:00:00.000000Z`.
#[must_use]
pub fn format_micro_time(seconds: i64, micros: u32) -> String {
    let time = format_time(seconds);
    format!("{}.{micros:06}Z", time.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let text = "2026-02-28T23:59:59.5+01:30";
        assert_eq!(
            parse_time(text).map(format_time).unwrap(),
            "2026-02-28T22:29:59Z"
        );
        let text = "1969-12-31T23:59:59.123456789Z";
        let (seconds, micros) = parse_micro_time("1969-12-31T23:59:59.123456Z").unwrap();
        assert_eq!(
            format_micro_time(seconds, micros),
            "1969-12-31T23:59:59.123456Z"
        );
        assert!(
            parse_micro_time(text).is_err_and(|error| error.ends_with(r#""789Z" as "Z07:00""#))
        );
        assert_eq!(format_time(ZERO), "0001-01-01T00:00:00Z");
    }
}
