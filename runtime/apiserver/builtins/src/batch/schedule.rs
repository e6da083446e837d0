//! Validation of CronJob schedules and time zones, as `github.com/robfig/cron` and Go's `time`
//! parse them.

use genclient_apimachinery::go;
use genclient_apimachinery::go::quoted;

/// Names of IANA time zones, sorted, one per line. They are the file names in Go's
/// `lib/time/zoneinfo.zip`.
const ZONES: &str = include_str!("../../data/zones.txt");

/// Field of a schedule, such as the month: its range, and the names of its values. The first name
/// stands for `least`: `jan` for 1, `sun` for 0.
struct SchedulePart {
    least: i64,
    most: i64,
    names: &'static [&'static str],
}

const fn new_part(least: i64, most: i64, names: &'static [&'static str]) -> SchedulePart {
    SchedulePart { least, most, names }
}

const PARTS: [SchedulePart; 5] = [
    new_part(0, 59, &[]),
    new_part(0, 23, &[]),
    new_part(1, 31, &[]),
    new_part(
        1,
        12,
        &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    ),
    new_part(0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

const DESCRIPTORS: [&str; 7] = [
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
];

/// Checks a schedule, as `ParseStandard` of the cron library does.
pub(crate) fn check_schedule(text: &str) -> Result<(), String> {
    let mut rest = text;
    if let Some((_, zoned)) = text.split_once('=').filter(|(key, _)| is_zone_key(key)) {
        let Some((zone, schedule)) = zoned.split_once(' ') else {
            // The Go parser panics here, and kube-apiserver reports the panic.
            let problem = "runtime error: slice bounds out of range [:-1]";
            return Err(format!("invalid schedule format: {problem}"));
        };
        check_location(zone).map_err(|error| format!("provided bad location {zone}: {error}"))?;
        rest = schedule.trim();
    }
    if rest.starts_with('@') {
        return check_descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != PARTS.len() {
        let (count, fields) = (fields.len(), fields.join(" "));
        return Err(format!(
            "expected exactly 5 fields, found {count}: [{fields}]"
        ));
    }
    let mut ranges = fields.iter().zip(&PARTS);
    ranges.try_for_each(|(field, part)| {
        let mut ranges = field.split(',').filter(|range| !range.is_empty());
        ranges.try_for_each(|range| part.check_range(range))
    })
}

/// Returns whether `KEY=value` before a schedule sets its time zone.
fn is_zone_key(key: &str) -> bool {
    matches!(key, "TZ" | "CRON_TZ")
}

/// Checks a schedule such as `@daily` or `@every 5m` (`parseDescriptor`).
fn check_descriptor(text: &str) -> Result<(), String> {
    match text.strip_prefix("@every ") {
        Some(interval) => go::duration(interval)
            .map(drop)
            .map_err(|error| format!("failed to parse duration {text}: {error}")),
        None if DESCRIPTORS.contains(&text) => Ok(()),
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

impl SchedulePart {
    /// Checks one item of a field, such as `5`, `1-5` or `*/15` (`getRange`).
    fn check_range(&self, text: &str) -> Result<(), String> {
        let steps: Vec<&str> = text.split('/').collect();
        let bounds: Vec<&str> = steps[0].split('-').collect();
        let (start, mut end) = match bounds[..] {
            ["*" | "?", ..] => (self.least, self.most),
            [one] => (self.parse_value(one)?, self.parse_value(one)?),
            [from, to] => (self.parse_value(from)?, self.parse_value(to)?),
            _ => {
                self.parse_value(bounds[0])?;
                return Err(format!("too many hyphens: {text}"));
            }
        };
        let step = match steps[..] {
            [_] => 1,
            [_, step] => parse_number(step)?,
            _ => return Err(format!("too many slashes: {text}")),
        };
        if steps.len() > 1 && bounds.len() == 1 {
            end = self.most;
        }
        let (least, most) = (self.least, self.most);
        let problem = if start < least {
            format!("beginning of range ({start}) below minimum ({least})")
        } else if end > most {
            format!("end of range ({end}) above maximum ({most})")
        } else if start > end {
            format!("beginning of range ({start}) beyond end of range ({end})")
        } else if step == 0 {
            "step of range should be a positive number".to_owned()
        } else {
            return Ok(());
        };
        Err(format!("{problem}: {text}"))
    }

    /// Parses a number or the name of a month or day (`parseIntOrName`).
    fn parse_value(&self, text: &str) -> Result<i64, String> {
        let lower = text.to_lowercase();
        let named = (self.least..)
            .zip(self.names)
            .find(|(_, name)| **name == lower);
        named.map_or_else(|| parse_number(text), |(value, _)| Ok(value))
    }
}

/// Parses a number that must not be negative, with the errors of robfig/cron (`mustParseInt`).
fn parse_number(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = match text.parse() {
        Ok(number) if number < 0 => {
            return Err(format!("negative number ({number}) not allowed: {text}"));
        }
        Ok(number) => return Ok(number),
        Err(_) if is_number => "value out of range",
        Err(_) => "invalid syntax",
    };
    Err(format!(
        "failed to parse int from {text}: strconv.Atoi: parsing {}: {problem}",
        quoted(text)
    ))
}

/// Checks that a time zone exists, as Go's `time.LoadLocation` does.
fn check_location(zone: &str) -> Result<(), String> {
    let is_known = matches!(zone, "" | "UTC" | "Local") || ZONES.lines().any(|known| known == zone);
    if is_known {
        Ok(())
    } else {
        Err(format!("unknown time zone {zone}"))
    }
}

/// Returns the errors in the time zone of a CronJob (`validateTimeZone`).
pub(crate) fn time_zone_errors(zone: &str) -> Vec<String> {
    if zone.is_empty() {
        return vec!["timeZone must be nil or non-empty string".to_owned()];
    }
    if !zone.split('/').all(is_zone_part) {
        return vec![format!("unknown time zone {zone}")];
    }
    let is_local = zone.eq_ignore_ascii_case("local").then(|| {
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
            .to_owned()
    });
    is_local
        .into_iter()
        .chain(check_location(zone).err())
        .collect()
}

/// Returns whether `part` may stand between slashes of a zone's name (`validateTimeZone`).
fn is_zone_part(part: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
    (1..=14).contains(&part.len())
        && part.chars().all(known)
        && !part.starts_with('-')
        && !matches!(part, "." | "..")
}
