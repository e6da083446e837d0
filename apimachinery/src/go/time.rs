//! Points in time: parsing and formatting as in Go's package `time`.

use std::fmt::Write;

use super::calendar::{date_of, days_of_month, days_since_1970};

/// A point in time, with its time zone offset.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970-01-01, in UTC.
    pub seconds: i64,
    /// Nanoseconds after the second.
    pub nanos: u32,
    /// Seconds east of UTC.
    pub offset: i32,
}

/// The first second of the year 1.
pub const MIN_SECONDS: i64 = -62_135_596_800;
/// The last second of the year 9999.
pub const MAX_SECONDS: i64 = 253_402_300_799;

/// A second in nanoseconds.
pub(crate) const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// Civil date and time in a zone.
#[derive(Debug)]
pub struct Civil {
    /// Year; 0 is the year before 1.
    pub year: i64,
    /// Month; 1 is January.
    pub month: i64,
    /// Day of the month; 1 is the first.
    pub day: i64,
    /// Day of the week; 0 is Sunday.
    pub weekday: i64,
    /// Day of the year; 0 is 1 January.
    pub day_of_year: i64,
    /// Hour; 0 to 23.
    pub hour: i64,
    /// Minute; 0 to 59.
    pub minute: i64,
    /// Second; 0 to 59.
    pub second: i64,
}

impl Timestamp {
    /// Returns a time in UTC.
    #[must_use]
    pub fn utc(seconds: i64, nanos: u32) -> Self {
        Self {
            seconds,
            nanos,
            offset: 0,
        }
    }

    /// Returns seconds and nanoseconds since 1970-01-01, which order times.
    #[must_use]
    pub fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    /// Returns whether this is Go's zero time, the first instant of year 1.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.instant() == (MIN_SECONDS, 0)
    }

    /// Returns the civil time `offset` seconds east of UTC.
    #[must_use]
    pub fn civil(&self, offset: i64) -> Civil {
        let local = self.seconds + offset;
        let (days, rest) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = date_of(days);
        Civil {
            year,
            month,
            day,
            weekday: (days + 4).rem_euclid(7),
            day_of_year: days - days_since_1970(year, 1, 1),
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// Formats as RFC 3339, with a fraction if there is one (`time.RFC3339Nano`).
    #[must_use]
    pub fn to_rfc3339(&self) -> String {
        let mut out = self.clock('T');
        if self.offset == 0 {
            out.push('Z');
        } else {
            let _ = write!(out, "{}", offset_text(self.offset, ":"));
        }
        out
    }

    /// Formats as Go's `Time.String` does.
    #[must_use]
    pub fn verbose(&self) -> String {
        let offset = offset_text(self.offset, "");
        let zone = if self.offset == 0 { "UTC" } else { &offset };
        format!("{} {offset} {zone}", self.clock(' '))
    }

    fn clock(&self, between: char) -> String {
        let at = self.civil(i64::from(self.offset));
        let (sign, year) = (if at.year < 0 { "-" } else { "" }, at.year.abs());
        let mut out = format!(
            "{sign}{year:04}-{:02}-{:02}{between}{:02}:{:02}:{:02}",
            at.month, at.day, at.hour, at.minute, at.second
        );
        if self.nanos != 0 {
            let fraction = format!("{:09}", self.nanos);
            let _ = write!(out, ".{}", fraction.trim_end_matches('0'));
        }
        out
    }

    /// Returns the time `duration` nanoseconds later, or `None` outside the years 1 to 9999.
    #[must_use]
    pub fn plus(&self, duration: i64) -> Option<Self> {
        let nanos = i64::from(self.nanos) + duration % SECOND;
        let seconds = self.seconds + duration / SECOND + nanos.div_euclid(SECOND);
        let nanos = u32::try_from(nanos.rem_euclid(SECOND)).ok()?;
        (MIN_SECONDS..=MAX_SECONDS)
            .contains(&seconds)
            .then_some(Self {
                seconds,
                nanos,
                offset: self.offset,
            })
    }

    /// Returns the nanoseconds since another time, or `None` on overflow.
    #[must_use]
    pub fn since(&self, other: &Self) -> Option<i64> {
        let seconds = self.seconds.checked_sub(other.seconds)?;
        let nanos = i64::from(self.nanos) - i64::from(other.nanos);
        seconds.checked_mul(SECOND)?.checked_add(nanos)
    }
}

fn offset_text(offset: i32, colon: &str) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.abs() / 60;
    format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
}

/// Layout of the text of a time, in Go's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `time.RFC3339`; a fraction of a second may follow the seconds.
    Rfc3339,
    /// `RFC3339Micro` of k8s.io/apimachinery, whose fraction has at least six digits.
    Rfc3339Micro,
    /// Date and time without a zone.
    Local,
    /// `time.DateOnly`
    Date,
}

impl Layout {
    fn text(self) -> &'static str {
        match self {
            Self::Rfc3339 => "2006-01-02T15:04:05Z07:00",
            Self::Rfc3339Micro => "2006-01-02T15:04:05.000000Z07:00",
            Self::Local => "2006-01-02T15:04:05",
            Self::Date => "2006-01-02",
        }
    }
}

/// Parses a time (`time.Parse`). Digits after the nanoseconds are ignored.
///
/// # Errors
///
/// Returns Go's message, such as
/// `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
pub fn parse(text: &str, layout: Layout) -> Result<Timestamp, String> {
    let mut reader = TimeReader {
        text,
        rest: text,
        layout,
    };
    reader.timestamp()
}

/// Quotes a string as errors of the package `time` do, with escapes for bytes below 0x20 and above
/// 0x7f.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'\x7f' => out.push(char::from(byte)),
            byte => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

struct TimeReader<'t> {
    text: &'t str,
    rest: &'t str,
    layout: Layout,
}

impl TimeReader<'_> {
    fn timestamp(&mut self) -> Result<Timestamp, String> {
        let year = self.year()?;
        self.literal("-")?;
        let month = self.number("01", true, 1..=12, "month")?;
        self.literal("-")?;
        let day = self.digits("02", true)?;
        let (mut seconds, mut nanos, mut offset) = (0, 0, 0);
        if self.layout != Layout::Date {
            self.literal("T")?;
            seconds = self.time_of_day()?;
            nanos = self.fraction()?;
        }
        if matches!(self.layout, Layout::Rfc3339 | Layout::Rfc3339Micro) {
            offset = self.zone()?;
        }
        if !self.rest.is_empty() {
            let extra = quoted(self.rest);
            return Err(self.out_of_place(&format!("extra text: {extra}")));
        }
        if day < 1 || day > days_of_month(year, month) {
            return Err(self.out_of_place("day out of range"));
        }
        Ok(Timestamp {
            seconds: days_since_1970(year, month, day) * DAY + seconds - i64::from(offset),
            nanos,
            offset,
        })
    }

    fn out_of_place(&self, message: &str) -> String {
        format!("parsing time {}: {message}", quoted(self.text))
    }

    fn cannot_parse(&self, element: &str) -> String {
        let (text, rest) = (quoted(self.text), quoted(self.rest));
        let layout = self.layout.text();
        format!("parsing time {text} as \"{layout}\": cannot parse {rest} as \"{element}\"")
    }

    fn digit(&self, at: usize) -> Option<i64> {
        let byte = self.rest.as_bytes().get(at)?;
        byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn year(&mut self) -> Result<i64, String> {
        let year = self
            .rest
            .get(..4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| self.cannot_parse("2006"))?;
        self.advance(4);
        Ok(year)
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        let rest = self.rest.strip_prefix(literal);
        self.rest = rest.ok_or_else(|| self.cannot_parse(literal))?;
        Ok(())
    }

    /// Reads two digits. Unless `two` is set, a single digit is enough.
    fn digits(&mut self, element: &str, two: bool) -> Result<i64, String> {
        match (self.digit(0), self.digit(1)) {
            (Some(first), Some(second)) => {
                self.advance(2);
                Ok(first * 10 + second)
            }
            (Some(first), None) if !two => {
                self.advance(1);
                Ok(first)
            }
            _ => Err(self.cannot_parse(element)),
        }
    }

    fn number(
        &mut self,
        element: &str,
        two: bool,
        range: std::ops::RangeInclusive<i64>,
        name: &str,
    ) -> Result<i64, String> {
        let number = self.digits(element, two)?;
        if !range.contains(&number) {
            return Err(self.out_of_place(&format!("{name} out of range")));
        }
        Ok(number)
    }

    fn time_of_day(&mut self) -> Result<i64, String> {
        // Go accepts an hour with one digit.
        let hour = self.number("15", false, 0..=23, "hour")?;
        self.literal(":")?;
        let minute = self.number("04", true, 0..=59, "minute")?;
        self.literal(":")?;
        let second = self.number("05", true, 0..=59, "second")?;
        Ok(hour * 3_600 + minute * 60 + second)
    }

    /// Reads a fraction such as `.5` or `,5` and returns nanoseconds.
    fn fraction(&mut self) -> Result<u32, String> {
        let digits = self.rest.strip_prefix(['.', ',']).unwrap_or_default();
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let count = match self.layout {
            Layout::Rfc3339Micro if count < 6 => return Err(self.cannot_parse(".000000")),
            Layout::Rfc3339Micro => 6,
            _ if count == 0 => return Ok(0),
            _ => count,
        };
        let nanos = format!("{:0<9.9}", &digits[..count]).parse();
        self.advance(1 + count);
        Ok(nanos.unwrap_or_default())
    }

    /// Reads `Z` or an offset such as `+01:00`. Returns seconds east of UTC.
    fn zone(&mut self) -> Result<i32, String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let bytes = self.rest.as_bytes();
        if bytes.len() < 6 || bytes[3] != b':' {
            return Err(self.cannot_parse("Z07:00"));
        }
        let two = |at: usize| {
            let (tens, ones) = (self.digit(at)?, self.digit(at + 1)?);
            i32::try_from(tens * 10 + ones).ok()
        };
        let hours = two(1);
        let minutes = hours.and_then(|_| two(4));
        // Go reports the minutes if both are out of range.
        if minutes.is_some_and(|minutes| minutes > 60) {
            return Err(self.out_of_place("time zone offset minute out of range"));
        }
        if hours.is_some_and(|hours| hours > 24) {
            return Err(self.out_of_place("time zone offset hour out of range"));
        }
        let sign = match bytes[0] {
            b'+' => 1,
            b'-' => -1,
            _ => return Err(self.cannot_parse("Z07:00")),
        };
        let (Some(hours), Some(minutes)) = (hours, minutes) else {
            return Err(self.cannot_parse("Z07:00"));
        };
        self.advance(6);
        Ok(sign * (hours * 3_600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_parse_as_in_go() {
        let table = [
            ("2026-02-28T23:59:59Z", "2026-02-28T23:59:59Z"),
            ("2026-02-28T23:59:59.5+01:30", "2026-02-28T23:59:59.5+01:30"),
            ("2024-02-29T1:00:00,25Z", "2024-02-29T01:00:00.25Z"),
            ("2024-01-01T01:00:00+24:60", "2024-01-01T01:00:00+25:00"),
            (
                "2024-01-01T01:00:00.1234567891Z",
                "2024-01-01T01:00:00.123456789Z",
            ),
            ("2026-02-29T00:00:00Z", "! day out of range"),
            ("2026-13-01T00:00:00Z", "! month out of range"),
            (
                "2026-1-01T00:00:00Z",
                "! cannot parse \"1-01T00:00:00Z\" as \"01\"",
            ),
            ("yesterday", "! cannot parse \"yesterday\" as \"2006\""),
            ("2026-01-01", "! cannot parse \"\" as \"T\""),
            ("2026-01-01T00:00:00", "! cannot parse \"\" as \"Z07:00\""),
            (
                "2026-01-01T00:00:00.Z",
                "! cannot parse \".Z\" as \"Z07:00\"",
            ),
            ("2026-01-01T00:00:00Zx", "! extra text: \"x\""),
            ("2026-01-01T00:00:00Zé", "! extra text: \"\\xc3\\xa9\""),
            (
                "2026-01-01T00:00:00+25:61",
                "! time zone offset minute out of range",
            ),
        ];
        for (text, expected) in table {
            match (parse(text, Layout::Rfc3339), expected.strip_prefix("! ")) {
                (Ok(time), None) => assert_eq!(time.to_rfc3339(), expected),
                (Err(error), Some(end)) => assert!(error.ends_with(end), "{error}"),
                (result, _) => panic!("{text}: {result:?}"),
            }
        }
        let error = parse("2026-01-01T00:00:00Z", Layout::Rfc3339Micro).unwrap_err();
        assert!(
            error.ends_with("cannot parse \"Z\" as \".000000\""),
            "{error}"
        );
    }
}
