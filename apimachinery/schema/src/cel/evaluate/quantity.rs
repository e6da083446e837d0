//! Kubernetes quantities: parsing, arithmetic and comparison
//! (k8s.io/apimachinery/pkg/api/resource).

use std::cmp::Ordering;
use std::fmt;

use super::decimal::Decimal;

#[derive(Clone, Debug)]
pub(super) struct Quantity {
    amount: Amount,
    /// True for a result of `add` or `sub`. The API server does not accept such a quantity on the
    /// right of `==`.
    pub(super) computed: bool,
}

#[derive(Clone, Debug)]
enum Amount {
    /// An integer and a decimal exponent: `Small(15, -1)` is 1.5.
    Small(i64, i32),
    Large(Decimal),
}

const WRONG_FORMAT: &str = "quantities must match the regular expression \
     '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

struct QuantityParts<'t> {
    negative: bool,
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

fn parts(text: &str) -> Option<QuantityParts<'_>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let negative = text.starts_with('-');
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = unsigned.trim_start_matches('0');
    let (whole, mut rest) = rest.split_at(digits(rest));
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at(digits(after));
    }
    let suffix = rest;
    let rest = rest.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let whole = if whole.is_empty() { "0" } else { whole };
    rest.is_empty().then_some(QuantityParts {
        negative,
        whole,
        fraction,
        suffix,
    })
}

/// Returns the base and exponent of a suffix.
fn suffix(suffix: &str) -> Option<(u32, i32)> {
    Some(match suffix {
        "" => (10, 0),
        "n" => (10, -9),
        "u" => (10, -6),
        "m" => (10, -3),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        _ => {
            let digits = suffix
                .strip_prefix(['e', 'E'])
                .filter(|rest| !rest.is_empty())?;
            let exponent: i64 = digits.parse().ok()?;
            #[expect(clippy::cast_possible_truncation, reason = "truncated as in Go")]
            let exponent = exponent as i32;
            (10, exponent)
        }
    })
}

impl Quantity {
    /// Parses a quantity (`ParseQuantity`).
    ///
    /// # Errors
    ///
    /// Returns Go's error message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err(WRONG_FORMAT.to_owned());
        }
        let parts = parts(text).ok_or(WRONG_FORMAT)?;
        let (base, exponent) = suffix(parts.suffix).ok_or("unable to parse quantity's suffix")?;
        let amount = match small(&parts, base, exponent)? {
            Some(amount) => amount,
            None => Amount::Large(large(&parts, base, exponent)),
        };
        Ok(Self {
            amount,
            computed: false,
        })
    }

    /// Returns the sum of two quantities or, if `negated`, the difference.
    pub(super) fn plus(&self, other: &Self, negated: bool) -> Self {
        let (right, exact) = (&other.amount, other.amount.decimal());
        let (right, exact) = match negated {
            true => (right.negated(), exact.negated()),
            false => (right.clone(), exact),
        };
        let small = self.amount.small_sum(&right);
        Self {
            amount: small.unwrap_or_else(|| Amount::Large(self.amount.decimal().plus(&exact))),
            computed: true,
        }
    }

    pub(super) fn sign(&self) -> i64 {
        let decimal = self.amount.decimal();
        match (decimal.is_zero(), decimal.negative) {
            (true, _) => 0,
            (_, true) => -1,
            _ => 1,
        }
    }

    /// Returns the value as an integer. Returns `None` for an [`Amount::Large`], for a negative
    /// exponent, and for a value that does not fit into an `i64`.
    pub(super) fn integer(&self) -> Option<i64> {
        match self.amount {
            Amount::Small(value, 0) => Some(value),
            Amount::Small(value, scale) => {
                let power = 10_i64.checked_pow(u32::try_from(scale).ok()?)?;
                value.checked_mul(power)
            }
            Amount::Large(_) => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
    pub(super) fn float(&self) -> f64 {
        let (base, exponent) = match &self.amount {
            Amount::Small(value, scale) => (*value as f64, i64::from(*scale)),
            Amount::Large(decimal) => {
                let digits: String = decimal
                    .digits
                    .iter()
                    .map(|d| char::from(d + b'0'))
                    .collect();
                let value: f64 = digits.parse().unwrap_or_default();
                (
                    if decimal.negative { -value } else { value },
                    decimal.exponent,
                )
            }
        };
        if exponent == 0 {
            base
        } else {
            base * power_of_ten(exponent)
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.amount.decimal().compare(&other.amount.decimal())
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self {
            amount: Amount::Small(value, 0),
            computed: false,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = self.amount.decimal();
        if decimal.negative {
            f.write_str("-")?;
        }
        for digit in &decimal.digits {
            write!(f, "{digit}")?;
        }
        if decimal.is_zero() {
            f.write_str("0")?;
        }
        match decimal.exponent {
            0 => Ok(()),
            exponent => write!(f, "e{exponent}"),
        }
    }
}

/// Returns a power of ten as Go's `math.Pow10` does: the product or quotient of two powers. The
/// result can differ from the nearest `f64`.
fn power_of_ten(exponent: i64) -> f64 {
    let exact = |power: i64| format!("1e{power}").parse::<f64>().unwrap_or_default();
    match exponent {
        0..=308 => exact(exponent / 32 * 32) * exact(exponent % 32),
        -323..0 => exact(-(-exponent / 32 * 32)) / exact(-exponent % 32),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

/// Returns the parsed amount as an [`Amount::Small`], or `None` if it does not fit.
fn small(parts: &QuantityParts<'_>, base: u32, exponent: i32) -> Result<Option<Amount>, String> {
    let (whole, fraction) = (parts.whole.len(), parts.fraction.len());
    let scale = if base == 10 { exponent } else { 0 };
    let (mantissa, fits) = if base == 10 {
        (1, whole + fraction <= 18)
    } else {
        let digits = whole + usize::try_from(exponent * 3 / 10).unwrap_or_default();
        (1_i64 << exponent, fraction == 0 && digits < 15)
    };
    let scale = i64::from(scale) - fraction as i64;
    let Some(scale) = i32::try_from(scale)
        .ok()
        .filter(|scale| fits && *scale >= -9)
    else {
        return Ok(None);
    };
    let digits = [parts.whole, parts.fraction].concat();
    let value: i64 = digits
        .parse()
        .map_err(|_| "unable to parse numeric part of quantity".to_owned())?;
    Ok(value
        .checked_mul(mantissa)
        .map(|value| Amount::Small(if parts.negative { -value } else { value }, scale)))
}

fn large(parts: &QuantityParts<'_>, base: u32, exponent: i32) -> Decimal {
    let digits = parts.whole.bytes().chain(parts.fraction.bytes());
    let mut decimal = Decimal::new(
        false,
        digits.map(|digit| digit - b'0').collect(),
        -(parts.fraction.len() as i64),
    );
    if base == 10 {
        decimal.exponent += i64::from(exponent);
    } else {
        decimal.multiply(1 << exponent);
    }
    if !decimal.is_zero() {
        decimal.round_up();
    }
    let most = Amount::Small(i64::MAX, 0).decimal();
    if base == 2 && decimal.compare(&most).is_gt() {
        decimal = most;
    }
    decimal.negative = parts.negative && !decimal.is_zero();
    decimal
}

impl Amount {
    fn decimal(&self) -> Decimal {
        match self {
            Self::Small(value, scale) => {
                let digits = value.unsigned_abs().to_string();
                let digits = digits.bytes().map(|digit| digit - b'0').collect();
                Decimal::new(*value < 0, digits, i64::from(*scale))
            }
            Self::Large(decimal) => decimal.clone(),
        }
    }

    /// Negates an amount. As in Go, the minimum `i64` stays unchanged.
    fn negated(&self) -> Self {
        match self {
            Self::Small(value, scale) => Self::Small(value.wrapping_neg(), *scale),
            Self::Large(decimal) => Self::Large(decimal.clone().negated()),
        }
    }

    /// Returns the sum if both amounts and the sum are [`Self::Small`].
    fn small_sum(&self, other: &Self) -> Option<Self> {
        let (Self::Small(left, scale), Self::Small(right, other_scale)) = (self, other) else {
            return None;
        };
        let scaled = |value: i64, by: i32| {
            let power = 10_i64.checked_pow(u32::try_from(by).ok()?)?;
            value.checked_mul(power)
        };
        match (left, right) {
            (_, 0) => Some(self.clone()),
            (0, _) => Some(other.clone()),
            _ if scale >= other_scale => {
                let left = scaled(*left, scale - other_scale)?;
                Some(Self::Small(left.checked_add(*right)?, *other_scale))
            }
            _ => {
                let right = scaled(*right, other_scale - scale)?;
                Some(Self::Small(left.checked_add(right)?, *scale))
            }
        }
    }
}
