//! Time formats: `date`, `date-time` and `duration`.

use crate::go;
use crate::go::time::{self, Layout, SECOND, Timestamp};

/// Parses the format `date`.
///
/// # Errors
///
/// Returns the message of Go's package `time`.
pub fn parse_date(text: &str) -> Result<Timestamp, String> {
    time::parse(text, Layout::Date)
}

/// Parses the format `date-time`: RFC 3339, with or without a zone. The empty string is 1970-01-01.
///
/// # Errors
///
/// Returns the message of Go's package `time`.
pub fn parse_date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp::utc(0, 0));
    }
    time::parse(text, Layout::Rfc3339).or_else(|_| time::parse(text, Layout::Local))
}

/// Parses a value of the schema format `duration`, as `strfmt.ParseDuration` does. A text outside
/// Go's syntax is the sum of its numbers with a unit: `1 day and 2 hours` is 26 hours.
///
/// # Errors
///
/// Returns kube-openapi's error message.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    if let Ok(duration) = go::duration(text) {
        return Ok(duration);
    }
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "µs", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], SECOND),
        (&["m", "min"], 60 * SECOND),
        (&["h", "hr", "hour"], 3600 * SECOND),
        (&["d", "day"], 24 * 3600 * SECOND),
        (&["w", "wk", "week"], 7 * 24 * 3600 * SECOND),
    ];
    let (mut total, mut found, mut rest) = (0_i64, false, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &digits[..digits.len() - after.len()];
        let unit = after.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let end = unit
            .find(|c: char| !c.is_ascii_alphabetic() && c != 'µ')
            .unwrap_or(unit.len());
        rest = &unit[end..];
        if end == 0 {
            continue;
        }
        let Ok(factor) = number.parse::<i64>() else {
            let number = go::quoted(number);
            return Err(format!(
                "strconv.Atoi: parsing {number}: value out of range"
            ));
        };
        let unit = unit[..end].to_lowercase();
        for (variants, length) in UNITS {
            for (at, variant) in variants.iter().enumerate() {
                let last = at + 1 == variants.len();
                if last && unit.starts_with(variant) || unit == *variant {
                    found = true;
                    total = total.wrapping_add(factor.wrapping_mul(length));
                }
            }
        }
    }
    if found {
        return Ok(total);
    }
    Err(format!("unable to parse {text} as duration"))
}

/// Returns whether the text is a date, `T`, a time of day and a zone. Text after a second `T` is
/// ignored.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let date = parts.next().is_some_and(|date| parse_date(date).is_ok());
    date && parts.next().is_some_and(is_time)
}

/// Returns whether the lower-case text is a time and a zone: `12:00:00z`, `12:00:00.5+01:00`. Any
/// character except a line feed is accepted as the decimal point.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else {
        return false;
    };
    let [hour, minute, second] = clock.split(':').collect::<Vec<_>>()[..] else {
        return false;
    };
    let at_most = |text: &str, most: &str| {
        text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_digit()) && text <= most
    };
    at_most(hour, "23")
        && at_most(minute, "59")
        && at_most(second, "59")
        && is_fraction_and_zone(rest)
}

/// Returns whether the text is a zone, optionally after a fraction of a second.
fn is_fraction_and_zone(text: &str) -> bool {
    let mut fraction = text.chars();
    let has_point = fraction.next().is_some_and(|point| point != '\n');
    let digits = fraction.as_str();
    let zone = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
    is_zone(text) || has_point && zone.len() < digits.len() && is_zone(zone)
}

/// Returns whether the text is `z` or an offset such as `+01:00`.
fn is_zone(text: &str) -> bool {
    let shape = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 5
            && bytes[2] == b':'
            && [0, 1, 3, 4].iter().all(|at| bytes[*at].is_ascii_digit())
    };
    text == "z" || text.strip_prefix(['+', '-']).is_some_and(shape)
}
