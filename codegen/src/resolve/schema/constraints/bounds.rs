//! Bounds of numbers that the API server does not read as they are written.
//!
//! `k8s.io/kube-openapi/pkg/validation/validate`: every bound is a float. Of a whole number's type it has to be a whole number within
//! the type, or every value is refused. A value that is written without a fraction is compared with the bound cut to 64 bits.

use serde_json::Number;

use crate::diagnostic::Severity;
use crate::model::{JsonType, Schema};

/// Which bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve::schema) enum Bound {
    Minimum,
    Maximum,
    Factor,
}

/// What is wrong with a bound.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::resolve::schema) struct Trap {
    pub(in crate::resolve::schema) severity: Severity,
    pub(in crate::resolve::schema) message: String,
    /// What to write.
    pub(in crate::resolve::schema) help: &'static str,
}

/// What is wrong with the bounds of a schema.
pub(in crate::resolve::schema) fn traps(schema: &Schema) -> Vec<(Bound, Trap)> {
    let bounds = [
        (Bound::Minimum, &schema.minimum),
        (Bound::Maximum, &schema.maximum),
        (Bound::Factor, &schema.multiple_of),
    ];
    let stated = bounds
        .into_iter()
        .filter_map(|(bound, value)| Some((bound, value.as_ref()?)));
    let found = stated.filter_map(|(bound, value)| Some((bound, trap(schema, bound, value)?)));
    found.collect()
}

fn trap(schema: &Schema, bound: Bound, value: &Number) -> Option<Trap> {
    let value = value.as_f64()?;
    if schema.type_ == Some(JsonType::Integer) {
        let narrow = schema.format.as_deref() == Some("int32");
        return of_whole_numbers(value, narrow);
    }
    if schema.type_ != Some(JsonType::Number) {
        return None;
    }
    if !fits(value) {
        return Some(Trap {
            severity: Severity::Warning,
            message: "the API server cannot compare whole numbers with a bound beyond 64 bits"
                .to_owned(),
            help: "remove it, or write a smaller number",
        });
    }
    let exclusive = match bound {
        Bound::Minimum => schema.exclusive_minimum,
        Bound::Maximum => schema.exclusive_maximum,
        Bound::Factor => return of_factor(value),
    };
    let cut = value.trunc();
    let cut_outwards = (bound == Bound::Minimum) == (cut < value);
    let wrong = match (cut == value, cut_outwards, exclusive) {
        (false, true, false) => "admits",
        (false, false, true) => "refuses",
        _ => return None,
    };
    Some(Trap {
        severity: Severity::Warning,
        message: format!(
            "the API server cuts the fraction of a bound where the value is a whole number: it {wrong} {cut:.0}"
        ),
        help: "write a whole number of a smaller unit: 1500 millis in place of 1.5",
    })
}

/// False for what is none of 64 bits as a float: the greatest `i64` is rounded up.
fn fits(value: f64) -> bool {
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value)
}

fn of_whole_numbers(value: f64, narrow: bool) -> Option<Trap> {
    let fits = if narrow {
        (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value)
    } else {
        // Written out with the fewest digits, as the API server does, `i64::MIN` is -9223372036854776000.
        value.to_string().parse::<i64>().is_ok()
    };
    let (message, help) = if value.fract() != 0.0 {
        (
            "the API server refuses every whole number where a bound has a fraction",
            "write a whole number",
        )
    } else if !fits {
        (
            "the API server refuses every value where a bound is beyond the type",
            "remove it: there are no values beyond the type; or write a smaller number",
        )
    } else {
        return None;
    };
    Some(Trap {
        severity: Severity::Error,
        message: message.to_owned(),
        help,
    })
}

/// The API server cuts a factor to a whole number before it divides a whole number by it.
fn of_factor(factor: f64) -> Option<Trap> {
    let message = if factor.fract() == 0.0 {
        return None;
    } else if factor < 1.0 {
        "of a factor below 1 the API server refuses multiples that are whole numbers".to_owned()
    } else {
        format!(
            "the API server holds a whole number against {} in place of {factor}",
            factor.trunc()
        )
    };
    Some(Trap {
        severity: Severity::Warning,
        message,
        help: "use a whole number of a smaller unit: 500 millis in place of 0.5",
    })
}

#[cfg(test)]
mod tests {
    use super::traps;

    /// A schema, and what is wrong with its bounds; `values.txt` of the e2e tests has what the server says to values.
    const CASES: &[(&str, &[&str])] = &[
        (
            r#"{ "type": "number", "minimum": 1.0, "maximum": 2, "multipleOf": 2.0 }"#,
            &[],
        ),
        (
            r#"{ "type": "number", "minimum": -1.5, "maximum": 1.5 }"#,
            &[],
        ),
        (r#"{ "type": "number", "minimum": 1.5 }"#, &["it admits 1"]),
        (
            r#"{ "type": "number", "maximum": -1.5 }"#,
            &["it admits -1"],
        ),
        (
            r#"{ "type": "number", "minimum": 1.5, "exclusiveMinimum": true }"#,
            &[],
        ),
        (
            r#"{ "type": "number", "maximum": 1.5, "exclusiveMaximum": true }"#,
            &["it refuses 1"],
        ),
        (
            r#"{ "type": "number", "minimum": -1.5, "exclusiveMinimum": true }"#,
            &["it refuses -1"],
        ),
        (
            r#"{ "type": "number", "maximum": 1e19 }"#,
            &["beyond 64 bits"],
        ),
        (r#"{ "type": "number", "multipleOf": 0.5 }"#, &["below 1"]),
        (
            r#"{ "type": "number", "multipleOf": 2.5 }"#,
            &["against 2 in place of 2.5"],
        ),
        (
            r#"{ "type": "integer", "minimum": 1.5, "multipleOf": 0.5 }"#,
            &["has a fraction", "has a fraction"],
        ),
        (
            r#"{ "type": "integer", "minimum": -9223372036854774784, "maximum": 9223372036854774784 }"#,
            &[],
        ),
        (
            r#"{ "type": "integer", "maximum": 9223372036854775807 }"#,
            &["beyond the type"],
        ),
        (
            r#"{ "type": "integer", "format": "int32", "maximum": 2147483648 }"#,
            &["beyond the type"],
        ),
        (
            r#"{ "type": "integer", "format": "int32", "maximum": 2147483647 }"#,
            &[],
        ),
    ];

    #[test]
    fn bounds_are_read_as_the_api_server_reads_them() {
        for (schema, expected) in CASES {
            let found = traps(&serde_json::from_str(schema).unwrap());
            assert_eq!(found.len(), expected.len(), "{schema}: {found:?}");
            for ((_, trap), words) in found.iter().zip(*expected) {
                assert!(trap.message.contains(words), "{schema}: {}", trap.message);
            }
        }
    }
}
