//! Parsing and formatting of Go durations.

use super::time::quoted;

/// Parses a duration such as `1h30m` or `-1.5s` (`time.ParseDuration`). Returns nanoseconds.
///
/// # Errors
///
/// Returns Go's error message.
pub fn duration(text: &str) -> Result<i64, String> {
    let read = match text.as_bytes().first() {
        Some(b'-') => sum(&text[1..]).map(|total| 0_i64.wrapping_sub_unsigned(total)),
        Some(b'+') => sum(&text[1..]).and_then(positive),
        _ => sum(text).and_then(positive),
    };
    read.map_err(|error| format!("time: {error} {}", quoted(text)))
}

/// Formats a duration as Go's `Duration.String` does: `1h30m0s`.
#[must_use]
pub fn format_duration(duration: i64) -> String {
    if duration == 0 {
        return "0s".to_owned();
    }
    let sign = if duration < 0 { "-" } else { "" };
    let nanos = duration.unsigned_abs();
    let fraction = |unit: u64, digits: usize| {
        let digits = format!("{:0digits$}", nanos % unit);
        match digits.trim_end_matches('0') {
            "" => String::new(),
            digits => format!(".{digits}"),
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

const INVALID: &str = "invalid duration";

fn positive(total: u64) -> Result<i64, String> {
    i64::try_from(total).map_err(|_| INVALID.to_owned())
}

/// Returns the sum of all parts in nanoseconds.
fn sum(text: &str) -> Result<u64, String> {
    if text == "0" {
        return Ok(0);
    }
    if text.is_empty() {
        return Err(INVALID.to_owned());
    }
    let (mut total, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let (length, unit, after) = part(rest)?;
        total = length
            .in_nanoseconds(unit)
            .and_then(|added| total.checked_add(added))
            .filter(|total| *total <= 1 << 63)
            .ok_or_else(|| INVALID.to_owned())?;
        rest = after;
    }
    Ok(total)
}

/// The number before a unit.
struct Length<'t> {
    whole: &'t str,
    fraction: &'t str,
}

/// Reads a number and its unit. Returns the number, the nanoseconds of one unit, and the rest of
/// the text.
fn part(text: &str) -> Result<(Length<'_>, u64, &str), String> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, mut rest) = text.split_at(digits(text));
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at(digits(after));
    }
    if whole.is_empty() && fraction.is_empty() {
        return Err(INVALID.to_owned());
    }
    let end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (unit, after) = rest.split_at(end);
    let unit: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "" => return Err("missing unit in duration".to_owned()),
        unknown => return Err(format!("unknown unit {} in duration", quoted(unknown))),
    };
    Ok((Length { whole, fraction }, unit, after))
}

impl Length<'_> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "computed as Go does"
    )]
    fn in_nanoseconds(&self, unit: u64) -> Option<u64> {
        let mut value: u64 = 0;
        for digit in self.whole.bytes() {
            value = value.checked_mul(10)?;
            value = value.checked_add(u64::from(digit - b'0'))?;
            value = Some(value).filter(|value| *value <= 1 << 63)?;
        }
        value = value.checked_mul(unit).filter(|value| *value <= 1 << 63)?;
        let (mut part, mut scale) = (0_u64, 1.0);
        for digit in self.fraction.bytes() {
            let next = part
                .checked_mul(10)
                .and_then(|part| part.checked_add(u64::from(digit - b'0')))
                .filter(|next| *next <= 1 << 63);
            let Some(next) = next else { break };
            part = next;
            scale *= 10.0;
        }
        if part > 0 {
            value += (part as f64 * (unit as f64 / scale)) as u64;
        }
        Some(value).filter(|value| *value <= 1 << 63)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_parse_as_in_go() {
        for (text, expected) in [
            ("0", "0"),
            ("-1.5s", "-1500000000"),
            ("+1h2m", "3720000000000"),
            ("2562048h", "time: invalid duration \"2562048h\""),
            ("", "time: invalid duration \"\""),
            ("abc", "time: invalid duration \"abc\""),
            ("1", "time: missing unit in duration \"1\""),
            (
                "1ü",
                "time: unknown unit \"\\xc3\\xbc\" in duration \"1\\xc3\\xbc\"",
            ),
            ("1x", "time: unknown unit \"x\" in duration \"1x\""),
        ] {
            let found = duration(text).map_or_else(|error| error, |read| read.to_string());
            assert_eq!(found, expected, "{text}");
        }
    }
    #[test]
    fn durations_are_formatted_as_in_go() {
        for (nanos, expected) in [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5µs"),
            (-2_000_000, "-2ms"),
            (60_000_000_000, "1m0s"),
            (5_400_500_000_000, "1h30m0.5s"),
        ] {
            assert_eq!(format_duration(nanos), expected);
        }
    }
}
