//! Time formats: `date`, `date-time` and `duration`.

/// Returns whether the text is an existing date: `2026-01-31`.
pub(super) fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else {
        return false;
    };
    let number = |text: &str, digits: usize| -> Option<u32> {
        let whole = text.len() == digits && text.bytes().all(|digit| digit.is_ascii_digit());
        text.parse().ok().filter(|_| whole)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Returns whether the text is a date, `T`, a time of day and a zone. Text after a second `T` is
/// ignored.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let date = parts.next().is_some_and(is_date);
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

/// Prefixes of long unit names such as `minutes`, and short unit names.
const UNITS: (&[&str], &[&str]) = (
    &[
        "nano", "micro", "milli", "sec", "min", "hour", "day", "week",
    ],
    &[
        "ns", "us", "µs", "μs", "ms", "s", "m", "h", "hr", "d", "w", "wk",
    ],
);

/// Returns whether the text is `0` or contains a number with a unit, such as `1h30m` and `PT1H`.
pub(super) fn is_duration(text: &str) -> bool {
    if matches!(text.trim_start_matches(['+', '-']), "0") {
        return true;
    }
    let mut rest = text;
    while let Some(at) = rest.find(|digit: char| digit.is_ascii_digit()) {
        let after = rest[at..].trim_start_matches(|digit: char| digit.is_ascii_digit());
        let unit = after.trim_start_matches('.').trim_start();
        let of_unit = |letter: char| letter.is_ascii_alphabetic() || matches!(letter, 'µ' | 'μ');
        let end = unit.find(|letter| !of_unit(letter)).unwrap_or(unit.len());
        let name = unit[..end].to_lowercase();
        if UNITS.0.iter().any(|start| name.starts_with(start)) || UNITS.1.contains(&&*name) {
            return true;
        }
        rest = after;
    }
    false
}
