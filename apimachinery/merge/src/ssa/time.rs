//! Timestamps of managed field entries.

use genclient_apimachinery::calendar::{date_of, days_of_month, days_since_1970};
use serde_json::Value;

/// Converts an RFC 3339 time to UTC and whole seconds. Returns `None` if the text is not such a
/// time.
pub(super) fn canonical(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix('T')?;
    let (clock, rest) = rest.split_at_checked(8)?;
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => {
            let end = fraction.find(|character: char| !character.is_ascii_digit())?;
            fraction.get(end..).filter(|_| end > 0)?
        }
        None => rest,
    };
    let seconds = days(date)? * DAY + seconds(clock)? - offset(rest)?;
    Some(written(seconds))
}

const DAY: i64 = 86_400;

/// Parses exactly `N` numbers of at least two digits, such as those of `08:30:00`.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for number in &mut numbers {
        let part = parts.next()?;
        let digits = part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| digits)?;
    }
    parts.next().is_none().then_some(numbers)
}

fn seconds(clock: &str) -> Option<i64> {
    let [hours, minutes, seconds] = numbers(clock, ':')?;
    (hours < 24 && minutes < 60 && seconds < 60).then(|| hours * 3600 + minutes * 60 + seconds)
}

fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'Z' if text.len() == 1 => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let [hours, minutes] = numbers(&text[1..], ':')?;
    (text.len() == 6 && hours < 24 && minutes < 60).then(|| sign * (hours * 3600 + minutes * 60))
}

fn days(date: &str) -> Option<i64> {
    let [year, month, day] = numbers(date, '-')?;
    let exists = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    exists.then(|| days_since_1970(year, month, day))
}

fn written(seconds: i64) -> String {
    let (days, clock) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date_of(days);
    let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Time by which entries without a time are sorted.
pub(super) const NEVER: &str = "1970-01-01T00:00:00Z";

/// If a write changes only the times of managed field entries, restores the old times in `new`, so
/// that the write changes nothing.
///
/// Source: apiserver, pkg/endpoints/handlers/fieldmanager/equality.go.
pub fn keep_unchanged_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (entries(old), entries(new)) else {
        return;
    };
    let same_entries = before.len() == after.len() && {
        let mut pairs = before.iter().zip(after);
        pairs.all(|(before, after)| timeless(before).eq(timeless(after)))
    };
    if !same_entries || !equal_except_managed_fields(old, new) {
        return;
    }
    let entries = Value::Array(before.clone());
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

fn entries(object: &Value) -> Option<&Vec<Value>> {
    let entries = object.get("metadata")?.get("managedFields")?.as_array()?;
    Some(entries).filter(|entries| !entries.is_empty())
}

fn timeless(entry: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = entry.as_object().into_iter().flatten();
    members.filter(|(name, _)| *name != "time")
}

fn equal_except_managed_fields(old: &Value, new: &Value) -> bool {
    fn members<'a>(
        value: &'a Value,
        but: &'static str,
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let members = value.as_object().into_iter().flatten();
        members.filter(move |(name, _)| *name != but)
    }
    let (before, after) = (old.get("metadata"), new.get("metadata"));
    let (before, after) = (
        before.unwrap_or(&Value::Null),
        after.unwrap_or(&Value::Null),
    );
    members(old, "metadata").eq(members(new, "metadata"))
        && members(before, "managedFields").eq(members(after, "managedFields"))
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn times_are_written_in_utc() {
        for (text, expected) in [
            ("2026-01-01T00:00:00Z", Some("2026-01-01T00:00:00Z")),
            (
                "2026-01-01T00:30:00.123+01:00",
                Some("2025-12-31T23:30:00Z"),
            ),
            ("2024-02-28T23:59:59-00:01", Some("2024-02-29T00:00:59Z")),
            ("2000-02-29T12:00:00Z", Some("2000-02-29T12:00:00Z")),
            ("1970-01-01T00:00:00Z", Some("1970-01-01T00:00:00Z")),
            ("2023-02-29T00:00:00Z", None),
            ("2023-02-28T24:00:00Z", None),
            ("2023-02-28 00:00:00Z", None),
            ("2023-02-28T00:00:00", None),
            ("2023-02-28T00:00:00.Z", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(canonical(text).as_deref(), expected, "{text}");
        }
    }
}
