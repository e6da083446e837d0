//! Parser and formatter of times in the formats of `meta/v1.Time` and `MicroTime`.

use genclient_apimachinery::calendar::{date_of, days_of_month, days_since_1970};

use super::quoted;

const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Parses a time as Go's `time.Parse` does, and returns it as the server writes it: in UTC, with
/// whole seconds, or with microseconds if `micro` is set.
///
/// # Errors
///
/// Go's message if the text is not a time.
///
/// ```
/// # use genclient_builtins::types::parse_time;
/// assert_eq!(parse_time("2026-01-01T01:00:00+01:00", false).unwrap(), "2026-01-01T00:00:00Z");
/// ```
pub fn parse_time(text: &str, micro: bool) -> Result<String, String> {
    let layout = if micro { MICROS } else { SECONDS };
    let mut reader = Reader {
        text,
        rest: text,
        layout,
    };
    let parsed = reader.parse(micro)?;
    Ok(parsed)
}

/// Formats seconds since 1970 in UTC, with a fraction of six digits if `micros` is given.
#[must_use]
pub fn format_time(seconds: i64, micros: Option<u32>) -> String {
    let (year, month, day) = date_of(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = micros.map_or(String::new(), |micros| format!(".{micros:06}"));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    layout: &'static str,
}

impl Reader<'_> {
    fn parse(&mut self, micro: bool) -> Result<String, String> {
        let year = self.number(4, "2006", 0, 9999)?;
        self.literal("-")?;
        let month = self.number(2, "01", 1, 12)?;
        self.literal("-")?;
        let day = self.number(2, "02", 0, 99)?;
        self.literal("T")?;
        let hour = self.number(2, "15", 0, 23)?;
        self.literal(":")?;
        let minute = self.number(2, "04", 0, 59)?;
        self.literal(":")?;
        let second = self.number(2, "05", 0, 59)?;
        let micros = self.fraction(micro)?;
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return Err(self.error(&format!(": extra text: {}", quoted(self.rest))));
        }
        if day < 1 || day > days_of_month(year, month) {
            return Err(self.error(": day out of range"));
        }
        let seconds =
            days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
                - offset;
        Ok(format_time(seconds, micro.then_some(micros)))
    }

    fn number(&mut self, width: usize, of: &str, least: i64, most: i64) -> Result<i64, String> {
        let is_digit = |at: usize| self.rest.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        // Go accepts an hour with one digit.
        let width = if of == "15" && is_digit(0) && !is_digit(1) {
            1
        } else {
            width
        };
        let digits = self.rest.get(..width);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(digits) = digits else {
            return Err(self.cannot(of));
        };
        let number: i64 = digits.parse().unwrap_or_default();
        if number < least || number > most {
            let what = match of {
                "01" => "month",
                "15" => "hour",
                "04" => "minute",
                _ => "second",
            };
            self.rest = &self.rest[width..];
            return Err(self.error(&format!(": {what} out of range")));
        }
        self.rest = &self.rest[width..];
        Ok(number)
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot(literal)),
        }
    }

    /// Reads the fraction of a second. If `micro` is set, exactly six digits are required.
    /// Otherwise, any number of digits is accepted and dropped.
    fn fraction(&mut self, micro: bool) -> Result<u32, String> {
        let digits = self.rest.strip_prefix(['.', ',']).unwrap_or_default();
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        if micro {
            if end < 6 || !self.rest.starts_with('.') {
                return Err(self.cannot(".000000"));
            }
            let micros = digits[..6].parse().unwrap_or_default();
            self.rest = &digits[6..];
            return Ok(micros);
        }
        if end > 0 {
            self.rest = &digits[end..];
        }
        Ok(0)
    }

    fn offset(&mut self) -> Result<i64, String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let found = self.rest.get(..6).map(str::as_bytes);
        let [sign, h1, h2, b':', m1, m2] = found.unwrap_or_default() else {
            return Err(self.cannot("Z07:00"));
        };
        let two = |a: &u8, b: &u8| {
            let digits = a.is_ascii_digit() && b.is_ascii_digit();
            digits.then(|| i64::from(a - b'0') * 10 + i64::from(b - b'0'))
        };
        let hours = two(h1, h2);
        let minutes = hours.and_then(|_| two(m1, m2));
        if hours.is_some_and(|hours| hours > 24) {
            return Err(self.error(": time zone offset hour out of range"));
        }
        if minutes.is_some_and(|minutes| minutes > 60) {
            return Err(self.error(": time zone offset minute out of range"));
        }
        let (Some(hours), Some(minutes), b'+' | b'-') = (hours, minutes, sign) else {
            return Err(self.cannot("Z07:00"));
        };
        self.rest = &self.rest[6..];
        let seconds = hours * 3600 + minutes * 60;
        Ok(if *sign == b'-' { -seconds } else { seconds })
    }

    fn cannot(&self, element: &str) -> String {
        let (text, layout) = (quoted(self.text), self.layout);
        let rest = quoted(self.rest);
        format!("parsing time {text} as \"{layout}\": cannot parse {rest} as \"{element}\"")
    }

    fn error(&self, message: &str) -> String {
        format!("parsing time {}{message}", quoted(self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_parse_as_in_go() {
        let check = |text: &str, micro, expected: &str| {
            let parsed = parse_time(text, micro).unwrap_or_else(|error| error);
            assert_eq!(parsed, expected, "{text}");
        };
        check("2024-02-29T23:59:59.5-01:30", false, "2024-03-01T01:29:59Z");
        check("1969-12-31T23:59:59Z", false, "1969-12-31T23:59:59Z");
        check(
            "2026-01-01T00:00:00.123456Z",
            true,
            "2026-01-01T00:00:00.123456Z",
        );
        let layout = r#"as "2006-01-02T15:04:05Z07:00": cannot parse"#;
        let expected = format!(r#"parsing time "yesterday" {layout} "yesterday" as "2006""#);
        check("yesterday", false, &expected);
        check(
            "2023-02-29T00:00:00Z",
            false,
            r#"parsing time "2023-02-29T00:00:00Z": day out of range"#,
        );
        check(
            "2023-13-01T00:00:00Z",
            false,
            r#"parsing time "2023-13-01T00:00:00Z": month out of range"#,
        );
        let layout = r#"as "2006-01-02T15:04:05.000000Z07:00": cannot parse"#;
        let expected = format!(r#"parsing time "2026-01-01T00:00:00Z" {layout} "Z" as ".000000""#);
        check("2026-01-01T00:00:00Z", true, &expected);
    }
}
