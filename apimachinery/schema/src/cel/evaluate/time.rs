//! Timestamps: parsing and formatting as in Go's package `time` and kube-openapi's `strfmt`.

use genclient_apimachinery::calendar::{date_of, days_since_1970};
use std::fmt::Write;

/// A point in time, with its time zone offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp {
    /// Seconds since 1970-01-01, in UTC.
    pub(super) seconds: i64,
    pub(super) nanos: u32,
    /// Seconds east of UTC.
    pub(super) offset: i32,
}

/// The first second of the year 1.
pub(super) const MIN_SECONDS: i64 = -62_135_596_800;
/// The last second of the year 9999.
pub(super) const MAX_SECONDS: i64 = 253_402_300_799;

/// A second in nanoseconds.
pub(super) const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// Civil date and time in a zone.
#[derive(Debug)]
pub(super) struct Civil {
    pub(super) year: i64,
    /// Month; 1 is January.
    pub(super) month: i64,
    pub(super) day: i64,
    /// Day of the week; 0 is Sunday.
    pub(super) weekday: i64,
    /// Day of the year; 0 is 1 January.
    pub(super) day_of_year: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

impl Timestamp {
    pub(super) fn utc(seconds: i64, nanos: u32) -> Self {
        Self {
            seconds,
            nanos,
            offset: 0,
        }
    }

    pub(super) fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    /// True for Go's zero time, the first instant of year 1.
    pub(super) fn is_zero(&self) -> bool {
        self.instant() == (MIN_SECONDS, 0)
    }

    /// Returns the civil time `offset` seconds east of UTC.
    pub(super) fn civil(&self, offset: i64) -> Civil {
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

    /// Formats as RFC 3339, with a fraction if `nanos` is not zero.
    pub(super) fn text(&self) -> String {
        let mut out = self.clock('T');
        if self.offset == 0 {
            out.push('Z');
        } else {
            let _ = write!(out, "{}", offset_text(self.offset, ":"));
        }
        out
    }

    /// Formats as Go's `Time.String` does.
    pub(super) fn verbose(&self) -> String {
        let offset = offset_text(self.offset, "");
        let zone = if self.offset == 0 { "UTC" } else { &offset };
        format!("{} {offset} {zone}", self.clock(' '))
    }

    fn clock(&self, between: char) -> String {
        let at = self.civil(i64::from(self.offset));
        let mut out = format!(
            "{:04}-{:02}-{:02}{between}{:02}:{:02}:{:02}",
            at.year, at.month, at.day, at.hour, at.minute, at.second
        );
        if self.nanos != 0 {
            let fraction = format!("{:09}", self.nanos);
            let _ = write!(out, ".{}", fraction.trim_end_matches('0'));
        }
        out
    }

    /// Returns the time `duration` nanoseconds later, or `None` outside the years 1 to 9999.
    pub(super) fn plus(&self, duration: i64) -> Option<Self> {
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
    pub(super) fn since(&self, other: &Self) -> Option<i64> {
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

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Parses a time in Go's layout `2006-01-02T15:04:05Z07:00`, with an optional fraction.
pub(super) fn rfc3339(text: &str) -> Option<Timestamp> {
    TimeReader::new(text, "2006-01-02T15:04:05Z07:00")
        .moment(Layout::Zoned)
        .ok()
}

/// Parses the format `date-time` of a schema: RFC 3339, with or without a zone. The empty string is
/// 1970-01-01.
///
/// # Errors
///
/// Returns the error message of Go's package `time`.
pub(super) fn date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp::utc(0, 0));
    }
    let zoned = rfc3339(text);
    zoned.map_or_else(
        || TimeReader::new(text, "2006-01-02T15:04:05").moment(Layout::Local),
        Ok,
    )
}

/// Parses the format `date` of a schema.
///
/// # Errors
///
/// Returns the error message of Go's package `time`.
pub(super) fn date(text: &str) -> Result<Timestamp, String> {
    TimeReader::new(text, "2006-01-02").moment(Layout::Date)
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Date,
    Local,
    Zoned,
}

/// Parser of timestamps in one of Go's layouts.
struct TimeReader<'t> {
    text: &'t str,
    rest: &'t str,
    layout: &'static str,
}

impl<'t> TimeReader<'t> {
    fn new(text: &'t str, layout: &'static str) -> Self {
        Self {
            text,
            rest: text,
            layout,
        }
    }

    fn error(&self, element: &str) -> String {
        let quoted = |text| genclient_apimachinery::go::quoted(text);
        format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quoted(self.text),
            quoted(self.layout),
            quoted(self.rest),
            quoted(element)
        )
    }

    fn out_of_range(&self, what: &str) -> String {
        format!(
            "parsing time {}{what}",
            genclient_apimachinery::go::quoted(self.text)
        )
    }

    fn number(&mut self, digits: usize, element: &str) -> Result<i64, String> {
        let number = self
            .rest
            .get(..digits)
            .filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            return Err(self.error(element));
        };
        self.rest = &self.rest[digits..];
        Ok(number)
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        let Some(rest) = self.rest.strip_prefix(literal) else {
            return Err(self.error(literal));
        };
        self.rest = rest;
        Ok(())
    }

    fn moment(&mut self, layout: Layout) -> Result<Timestamp, String> {
        let year = self.number(4, "2006")?;
        self.literal("-")?;
        let month = self.number(2, "01")?;
        if !(1..=12).contains(&month) {
            return Err(self.out_of_range(": month out of range"));
        }
        self.literal("-")?;
        let day = self.number(2, "02")?;
        let (mut seconds, mut nanos, mut offset) = (0, 0, 0);
        if layout != Layout::Date {
            self.literal("T")?;
            seconds = self.time_of_day()?;
            nanos = self.fraction();
        }
        if layout == Layout::Zoned {
            offset = self.zone()?;
        }
        if !self.rest.is_empty() {
            let extra = genclient_apimachinery::go::quoted(self.rest);
            return Err(self.out_of_range(&format!(": extra text: {extra}")));
        }
        if day < 1 || day > days_in(year, month) {
            return Err(self.out_of_range(": day out of range"));
        }
        Ok(Timestamp {
            seconds: days_since_1970(year, month, day) * DAY + seconds - i64::from(offset),
            nanos,
            offset,
        })
    }

    fn time_of_day(&mut self) -> Result<i64, String> {
        let hour = self.number(2, "15")?;
        if hour > 23 {
            return Err(self.out_of_range(": hour out of range"));
        }
        self.literal(":")?;
        let minute = self.number(2, "04")?;
        if minute > 59 {
            return Err(self.out_of_range(": minute out of range"));
        }
        self.literal(":")?;
        let second = self.number(2, "05")?;
        if second > 59 {
            return Err(self.out_of_range(": second out of range"));
        }
        Ok(hour * 3600 + minute * 60 + second)
    }

    /// Reads a fraction such as `.5` or `,5`. Digits after the ninth are ignored.
    fn fraction(&mut self) -> u32 {
        let Some(digits) = self.rest.strip_prefix(['.', ',']) else {
            return 0;
        };
        let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &digits[..digits.len() - rest.len()];
        if digits.is_empty() {
            return 0;
        }
        self.rest = rest;
        let padded: String = digits.chars().chain("000000000".chars()).take(9).collect();
        padded.parse().unwrap_or_default()
    }

    /// Reads `Z` or an offset such as `+01:00`.
    fn zone(&mut self) -> Result<i32, String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let error = self.error("Z07:00");
        let sign = match self.rest.as_bytes().first() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(error),
        };
        let digits = |range| {
            let part: Option<&str> = self.rest.get(range);
            let part = part.filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
            part.and_then(|part| part.parse::<i32>().ok())
        };
        let (Some(hours), Some(":"), Some(minutes)) =
            (digits(1..3), self.rest.get(3..4), digits(4..6))
        else {
            return Err(error);
        };
        if hours > 24 {
            return Err(self.out_of_range(": time zone offset hour out of range"));
        }
        if minutes > 60 {
            return Err(self.out_of_range(": time zone offset minute out of range"));
        }
        self.rest = &self.rest[6..];
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}
