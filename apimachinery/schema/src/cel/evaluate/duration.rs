//! Durations: formatting as in CEL and in Go's package `time`, parsing as in kube-openapi's
//! `strfmt`.

use genclient_apimachinery::go;

use super::time::SECOND;

/// Parses a value of the schema format `duration`, as `strfmt.ParseDuration` does. A text outside
/// Go's syntax is the sum of its numbers with a unit: `1 day and 2 hours` is 26 hours.
///
/// # Errors
///
/// Returns kube-openapi's error message.
pub(super) fn lenient_duration(text: &str) -> Result<i64, String> {
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

/// Formats a duration as CEL does, in seconds.
#[expect(clippy::cast_precision_loss, reason = "computed as Go does")]
pub(super) fn seconds_text(duration: i64) -> String {
    let seconds = (duration / SECOND) as f64 + (duration % SECOND) as f64 / 1e9;
    format!("{seconds}s")
}

/// Formats a duration as Go's `Duration.String` does: `1h30m0s`.
pub(super) fn duration_text(duration: i64) -> String {
    if duration == 0 {
        return "0s".to_owned();
    }
    let sign = if duration < 0 { "-" } else { "" };
    let nanos = duration.unsigned_abs();
    let fraction = |unit: u64, digits: usize| {
        let rest = format!("{:0digits$}", nanos % unit);
        let rest = rest.trim_end_matches('0');
        if rest.is_empty() {
            String::new()
        } else {
            format!(".{rest}")
        }
    };
    let text = match nanos {
        0..1_000 => format!("{nanos}ns"),
        1_000..1_000_000 => format!("{}{}µs", nanos / 1_000, fraction(1_000, 3)),
        1_000_000..1_000_000_000 => format!("{}{}ms", nanos / 1_000_000, fraction(1_000_000, 6)),
        _ => {
            let seconds = nanos / 1_000_000_000;
            let rest = fraction(1_000_000_000, 9);
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            match (hours, minutes) {
                (0, 0) => format!("{seconds}{rest}s"),
                (0, _) => format!("{minutes}m{}{rest}s", seconds % 60),
                _ => format!("{hours}h{minutes}m{}{rest}s", seconds % 60),
            }
        }
    };
    format!("{sign}{text}")
}
