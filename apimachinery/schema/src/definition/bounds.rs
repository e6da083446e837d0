//! Number bounds that the API server does not interpret as written.
//!
//! `k8s.io/kube-openapi/pkg/validation/validate` reads every bound as a float. If the type is
//! `integer`, a bound with a fraction or out of the type's range rejects every value. If the type
//! is `number`, whole numbers are compared with the truncated bound: `minimum: 1.5` admits 1.

use serde_json::Number;

use crate::{JsonType, Schema};

/// A keyword that constrains numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `minimum`
    Minimum,
    /// `maximum`
    Maximum,
    /// `multipleOf`
    MultipleOf,
}

/// Difference between a bound as written and as interpreted by the API server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trap {
    /// An integer type has a bound with a fraction: every value is rejected.
    Fraction,
    /// The bound is out of range of the type: every value is rejected.
    BeyondType,
    /// The bound does not fit into 64 bits, so it cannot be compared with whole numbers.
    Beyond64Bits,
    /// The bound has a fraction. Whole numbers are compared with the truncated bound.
    Cut {
        /// The truncated bound.
        to: f64,
        /// True if `to` is accepted although the written bound excludes it. False if `to` is
        /// rejected although the written bound includes it.
        admits: bool,
    },
    /// `multipleOf` is a fraction below 1. The API server truncates the fraction to 0 and rejects
    /// every whole number.
    FactorBelowOne,
    /// `multipleOf` is above 1 and has a fraction. The API server truncates it if the value is a
    /// whole number. The content is the factor as written.
    CutFactor(f64),
}

impl Trap {
    /// Returns whether the bound rejects every value.
    pub fn refuses_every_value(self) -> bool {
        matches!(self, Self::Fraction | Self::BeyondType)
    }
}

/// Returns each bound of the schema that the API server does not interpret as written.
pub fn traps(schema: &Schema) -> Vec<(Bound, Trap)> {
    let bounds = [
        (Bound::Minimum, &schema.minimum),
        (Bound::Maximum, &schema.maximum),
        (Bound::MultipleOf, &schema.multiple_of),
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
        return integer_trap(value, narrow);
    }
    if schema.type_ != Some(JsonType::Number) {
        return None;
    }
    if !fits(value) {
        return Some(Trap::Beyond64Bits);
    }
    let exclusive = match bound {
        Bound::Minimum => schema.exclusive_minimum,
        Bound::Maximum => schema.exclusive_maximum,
        Bound::MultipleOf => return of_factor(value),
    };
    let cut = value.trunc();
    let cut_outwards = (bound == Bound::Minimum) == (cut < value);
    let admits = match (cut == value, cut_outwards, exclusive) {
        (false, true, false) => true,
        (false, false, true) => false,
        _ => return None,
    };
    Some(Trap::Cut { to: cut, admits })
}

/// Returns whether the value fits into an `i64`. The upper bound is exclusive: the float nearest to
/// `i64::MAX` is `i64::MAX + 1`, which does not fit.
fn fits(value: f64) -> bool {
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value)
}

fn integer_trap(value: f64, narrow: bool) -> Option<Trap> {
    let fits = if narrow {
        (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value)
    } else {
        // The API server formats the bound with as few digits as possible and parses the text as
        // an integer. For `i64::MIN`, the text is -9223372036854776000, which is out of range.
        value.to_string().parse::<i64>().is_ok()
    };
    if value.fract() != 0.0 {
        Some(Trap::Fraction)
    } else {
        (!fits).then_some(Trap::BeyondType)
    }
}

fn of_factor(factor: f64) -> Option<Trap> {
    if factor.fract() == 0.0 {
        None
    } else if factor < 1.0 {
        Some(Trap::FactorBelowOne)
    } else {
        Some(Trap::CutFactor(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::Trap::{self, *};
    use super::traps;

    /// Schemas with the traps in their bounds. `values.txt` of the e2e tests has the API server's
    /// errors for such bounds.
    const CASES: &[(&str, &[Trap])] = &[
        (
            r#"{ "type": "number", "minimum": 1.0, "maximum": 2, "multipleOf": 2.0 }"#,
            &[],
        ),
        (
            r#"{ "type": "number", "minimum": -1.5, "maximum": 1.5 }"#,
            &[],
        ),
        (
            r#"{ "type": "number", "minimum": 1.5 }"#,
            &[Cut {
                to: 1.0,
                admits: true,
            }],
        ),
        (
            r#"{ "type": "number", "maximum": -1.5 }"#,
            &[Cut {
                to: -1.0,
                admits: true,
            }],
        ),
        (
            r#"{ "type": "number", "minimum": 1.5, "exclusiveMinimum": true }"#,
            &[],
        ),
        (
            r#"{ "type": "number", "maximum": 1.5, "exclusiveMaximum": true }"#,
            &[Cut {
                to: 1.0,
                admits: false,
            }],
        ),
        (
            r#"{ "type": "number", "minimum": -1.5, "exclusiveMinimum": true }"#,
            &[Cut {
                to: -1.0,
                admits: false,
            }],
        ),
        (r#"{ "type": "number", "maximum": 1e19 }"#, &[Beyond64Bits]),
        (
            r#"{ "type": "number", "multipleOf": 0.5 }"#,
            &[FactorBelowOne],
        ),
        (
            r#"{ "type": "number", "multipleOf": 2.5 }"#,
            &[CutFactor(2.5)],
        ),
        (
            r#"{ "type": "integer", "minimum": 1.5, "multipleOf": 0.5 }"#,
            &[Fraction, Fraction],
        ),
        (
            r#"{ "type": "integer", "minimum": -9223372036854774784, "maximum": 9223372036854774784 }"#,
            &[],
        ),
        (
            r#"{ "type": "integer", "maximum": 9223372036854775807 }"#,
            &[BeyondType],
        ),
        (
            r#"{ "type": "integer", "format": "int32", "maximum": 2147483648 }"#,
            &[BeyondType],
        ),
        (
            r#"{ "type": "integer", "format": "int32", "maximum": 2147483647 }"#,
            &[],
        ),
    ];

    #[test]
    fn bounds_are_interpreted_as_by_the_api_server() {
        for (schema, expected) in CASES {
            let found: Vec<_> = traps(&serde_json::from_str(schema).unwrap())
                .into_iter()
                .map(|(_, trap)| trap)
                .collect();
            assert_eq!(found, *expected, "{schema}");
        }
    }
}
