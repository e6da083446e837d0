//! RFC 3339 timestamps: parsing as in Go's `time.Parse`, formatting as in Kubernetes.

use genclient_apimachinery::calendar::{date_of, days_of_month, days_since_1970};

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// The zero time `0001-01-01T00:00:00Z` in seconds since 1970-01-01. It counts as unset.
pub const ZERO: i64 = -62_135_596_800;

/// Parses a timestamp into seconds since 1970-01-01 and discards the fraction.
///
/// # Errors
///
/// Returns Go's message, such as
/// `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
pub fn parse(text: &str) -> Result<i64, String> {
    let mut reader = TimestampReader { text, rest: text };
    let year = reader.year()?;
    reader.skip("-")?;
    let month = reader.number("01", true, 1..=12, "month")?;
    reader.skip("-")?;
    let day = reader.digits("02", true)?;
    reader.skip("T")?;
    let hour = reader.number("15", false, 0..=23, "hour")?;
    reader.skip(":")?;
    let minute = reader.number("04", true, 0..=59, "minute")?;
    reader.skip(":")?;
    let second = reader.number("05", true, 0..=59, "second")?;
    reader.fraction();
    let offset = reader.zone()?;
    if !reader.rest.is_empty() {
        let extra = quoted(reader.rest);
        return Err(reader.says(&format!("extra text: {extra}")));
    }
    if day < 1 || day > days_of_month(year, month) {
        return Err(reader.says("day out of range"));
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Ok(seconds - offset)
}

/// Formats seconds since 1970-01-01 in UTC: `2026-01-31T12:00:00Z`.
pub fn format(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let sign = if year < 0 { "-" } else { "" };
    let year = year.abs();
    format!("{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Quotes a string as `time.ParseError` does, with escapes for bytes below 0x20 and above 0x7f.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'\x7f' => out.push(char::from(byte)),
            byte => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

struct TimestampReader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl TimestampReader<'_> {
    fn says(&self, message: &str) -> String {
        format!("parsing time {}: {message}", quoted(self.text))
    }

    fn bad(&self, rest: &str, part: &str) -> String {
        let (text, rest) = (quoted(self.text), quoted(rest));
        format!("parsing time {text} as \"{LAYOUT}\": cannot parse {rest} as \"{part}\"")
    }

    fn digit(&self, at: usize) -> Option<i64> {
        let byte = self
            .rest
            .as_bytes()
            .get(at)
            .filter(|it| it.is_ascii_digit());
        byte.map(|byte| i64::from(byte - b'0'))
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn year(&mut self) -> Result<i64, String> {
        let digits = self.rest.get(..4).filter(|_| self.digit(0).is_some());
        let year = digits.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
        let year = year.and_then(|year| year.parse().ok());
        let year = year.ok_or_else(|| self.bad(self.rest, "2006"))?;
        self.advance(4);
        Ok(year)
    }

    fn skip(&mut self, part: &str) -> Result<(), String> {
        match self.rest.strip_prefix(part) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.bad(self.rest, part)),
        }
    }

    /// Reads two digits. Unless `two` is set, a single digit is enough.
    fn digits(&mut self, part: &str, two: bool) -> Result<i64, String> {
        let first = self.digit(0).ok_or_else(|| self.bad(self.rest, part))?;
        match self.digit(1) {
            Some(second) => {
                self.advance(2);
                Ok(first * 10 + second)
            }
            None if two => Err(self.bad(self.rest, part)),
            None => {
                self.advance(1);
                Ok(first)
            }
        }
    }

    fn number(
        &mut self,
        part: &str,
        two: bool,
        range: std::ops::RangeInclusive<i64>,
        name: &str,
    ) -> Result<i64, String> {
        let number = self.digits(part, two)?;
        match range.contains(&number) {
            true => Ok(number),
            false => Err(self.says(&format!("{name} out of range"))),
        }
    }

    fn fraction(&mut self) {
        if self.rest.starts_with(['.', ',']) && self.digit(1).is_some() {
            let digits = self.rest[1..].bytes();
            let count = digits.take_while(u8::is_ascii_digit).count();
            self.advance(1 + count);
        }
    }

    /// Reads the zone. Returns seconds east of UTC.
    fn zone(&mut self) -> Result<i64, String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let hold = self.rest;
        let bad = |reader: &Self| reader.bad(hold, "Z07:00");
        let bytes = self.rest.as_bytes();
        let two = |at: usize| {
            let digit = |at: usize| bytes.get(at).filter(|it| it.is_ascii_digit());
            let (tens, ones) = (digit(at)?, digit(at + 1)?);
            Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
        };
        if bytes.len() < 6 || bytes[3] != b':' {
            return Err(bad(self));
        }
        let (sign, hours, minutes) = (bytes[0], two(1), two(4));
        if hours.is_some_and(|hours| hours > 24) {
            return Err(self.says("time zone offset hour out of range"));
        }
        if hours.is_some() && minutes.is_some_and(|minutes| minutes > 60) {
            return Err(self.says("time zone offset minute out of range"));
        }
        let (Some(hours), Some(minutes)) = (hours, minutes) else {
            return Err(bad(self));
        };
        let offset = hours * 3_600 + minutes * 60;
        let offset = match sign {
            b'+' => offset,
            b'-' => -offset,
            _ => return Err(bad(self)),
        };
        self.advance(6);
        Ok(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn timestamps_parse_as_in_go() {
        let table = [
            ("2026-02-28T23:59:59Z", "2026-02-28T23:59:59Z"),
            ("2026-02-28T23:59:59.5+01:30", "2026-02-28T22:29:59Z"),
            ("2024-02-29T1:00:00Z", "2024-02-29T01:00:00Z"),
            ("2026-02-29T00:00:00Z", "! day out of range"),
            ("2026-13-01T00:00:00Z", "! month out of range"),
            (
                "2026-1-01T00:00:00Z",
                "! cannot parse \"1-01T00:00:00Z\" as \"01\"",
            ),
            ("yesterday", "! cannot parse \"yesterday\" as \"2006\""),
            ("2026-01-01", "! cannot parse \"\" as \"T\""),
            ("2026-01-01T00:00:00", "! cannot parse \"\" as \"Z07:00\""),
            ("2026-01-01T00:00:00Zx", "! extra text: \"x\""),
        ];
        for (text, expected) in table {
            match (parse(text), expected.strip_prefix("! ")) {
                (Ok(seconds), None) => assert_eq!(format(seconds), expected),
                (Err(error), Some(end)) => assert!(error.ends_with(end), "{error}"),
                (result, _) => panic!("{text}: {result:?}"),
            }
        }
    }
}
