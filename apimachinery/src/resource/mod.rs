//! [`Quantity`]: amounts such as `500m`, `1Gi` and `1e3` (k8s.io/apimachinery/pkg/api/resource).

mod decimal;

use std::cmp::Ordering;
use std::fmt;

use self::decimal::Decimal;

/// Amount of a resource, with the format in which it was written.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: QuantityFormat,
    /// The parsed text, if it counts as canonical.
    text: Option<String>,
}

/// The two representations of Go. Which one a quantity has is visible: only a small amount
/// converts to an integer, and floats are computed from the digits of a large one.
#[derive(Clone, Debug)]
enum Amount {
    /// An integer and a decimal exponent: `Small(15, -1)` is 1.5.
    Small(i64, i32),
    Large(Decimal),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum QuantityFormat {
    Binary,
    Decimal,
    Exponent,
}

/// Error of [`Quantity::parse`], with the message of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The text does not have the form of a quantity.
    QuantityFormat,
    /// The suffix is unknown.
    Suffix,
    /// The number is invalid.
    Numeric,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::QuantityFormat => {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Suffix => "unable to parse quantity's suffix",
            Self::Numeric => "unable to parse numeric part of quantity",
        })
    }
}

impl std::error::Error for QuantityError {}

/// Parts of a quantity's text: `-12.5Gi` has the integer `12`, the fraction `5` and the suffix
/// `Gi`.
struct Parts<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

/// Factor by which a suffix multiplies a number: 2 or 10 to a power.
#[derive(Clone, Copy)]
struct Unit {
    base: u32,
    exponent: i32,
    format: QuantityFormat,
}

/// Exponent of the smallest unit of a quantity, a billionth.
const NANO: i32 = -9;

impl Quantity {
    /// Parses a quantity (`ParseQuantity`).
    ///
    /// # Errors
    ///
    /// [`QuantityError`] if the text is not a quantity.
    ///
    /// ```
    /// # use genclient_apimachinery::resource::Quantity;
    /// let text = |text| Quantity::parse(text).map(|quantity| quantity.canonical());
    /// assert_eq!(text("1000m").unwrap(), "1");
    /// assert_eq!(text("1024Mi").unwrap(), "1Gi");
    /// assert_eq!(text("0.5").unwrap(), "500m");
    /// ```
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::QuantityFormat);
        }
        let parts = Parts::split(text)?;
        let unit = Unit::parse(parts.suffix).ok_or(QuantityError::Suffix)?;
        if let Some((number, amount)) = parts.small_amount(unit) {
            let is_canonical = text == "0" || parts.is_canonical(number, unit);
            return Ok(Self {
                amount,
                format: unit.format,
                text: is_canonical.then(|| text.to_owned()),
            });
        }
        // Only the slow path of Go requires digits: `Pi` is an error, and `Ti` is zero.
        let number = text.strip_suffix(parts.suffix).unwrap_or(text);
        if !number.contains(|c: char| c.is_ascii_digit()) {
            return Err(QuantityError::Numeric);
        }
        Ok(parts.large_amount(unit))
    }

    /// Returns the canonical form (`String`), or the parsed text if it counts as canonical.
    #[must_use]
    pub fn canonical(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let decimal = self.amount.to_decimal();
        if decimal.is_zero() {
            return "0".to_owned();
        }
        if self.format == QuantityFormat::Binary && self.is_whole() {
            let kibi = Amount::Small(1024, 0).to_decimal();
            if decimal.compare_sizes(&kibi).is_ge() {
                return binary(decimal);
            }
        }
        let (number, exponent) = decimal.in_thousands();
        match (self.format, exponent) {
            (QuantityFormat::Exponent, 0) => number,
            (QuantityFormat::Exponent, exponent) => format!("{number}e{exponent}"),
            // Go prints no suffix beyond `n` and `E`, so that `1000E` becomes `1`.
            (_, exponent) => number + decimal_suffix(exponent).unwrap_or_default(),
        }
    }

    /// Rounds the amount away from zero to a multiple of 10^`exponent` (`RoundUp`).
    pub fn round_up(&mut self, exponent: i32) {
        match &mut self.amount {
            Amount::Small(_, scale) if *scale >= exponent => return,
            Amount::Small(value, scale) => {
                *value = divide_away_from_zero(*value, exponent.saturating_sub(*scale));
                *scale = exponent;
            }
            Amount::Large(decimal) => decimal.round_up(i64::from(exponent)),
        }
        self.text = None;
    }

    /// Compares the amount with zero.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        match &self.amount {
            Amount::Small(value, _) => value.cmp(&0),
            Amount::Large(decimal) if decimal.is_zero() => Ordering::Equal,
            Amount::Large(decimal) if decimal.negative => Ordering::Less,
            Amount::Large(_) => Ordering::Greater,
        }
    }

    /// Compares two amounts.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.amount, &other.amount) {
            (Amount::Small(one, scale), Amount::Small(other, same)) if scale == same => {
                one.cmp(other)
            }
            (one, other) => one.to_decimal().compare(&other.to_decimal()),
        }
    }

    /// Returns the sum of two quantities or, if `negated`, the difference. The format is that of
    /// the first, unless it is zero (`Add`, `Sub`).
    #[must_use]
    pub fn plus(&self, other: &Self, negated: bool) -> Self {
        let right = if negated {
            other.amount.negated()
        } else {
            other.amount.clone()
        };
        // Go negates the exact amount, which differs for the minimum `i64`.
        let exact = || {
            let right = other.amount.to_decimal();
            let right = if negated { right.negated() } else { right };
            Amount::Large(self.amount.to_decimal().plus(&right))
        };
        let is_zero = self.sign().is_eq();
        Self {
            amount: self.amount.small_sum(&right).unwrap_or_else(exact),
            format: if is_zero { other.format } else { self.format },
            text: None,
        }
    }

    /// Returns the amount as an integer (`AsInt64`), or `None` for a large amount, for a negative
    /// exponent, and for an amount that does not fit into an `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.amount {
            Amount::Small(value, 0) => Some(value),
            Amount::Small(value, scale) => {
                let power = 10_i64.checked_pow(u32::try_from(scale).ok()?)?;
                value.checked_mul(power)
            }
            Amount::Large(_) => None,
        }
    }

    /// Returns the amount as the nearest float (`AsFloat64Slow`).
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        let decimal = self.amount.to_decimal();
        let text = format!("{}e{}", decimal.unscaled(), decimal.exponent);
        text.parse().unwrap_or_default()
    }

    /// Returns a float that may differ from the nearest one (`AsApproximateFloat64`).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
    pub fn as_approximate_f64(&self) -> f64 {
        let (base, exponent) = match &self.amount {
            Amount::Small(value, scale) => (*value as f64, i64::from(*scale)),
            Amount::Large(decimal) => {
                let base = decimal.unscaled().parse().unwrap_or_default();
                (base, decimal.exponent)
            }
        };
        if exponent == 0 {
            base
        } else {
            base * power_of_ten(exponent)
        }
    }

    /// Returns whether the amount is an integer.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.amount.to_decimal().is_whole()
    }

    /// Returns whether the amount, rounded up to an integer, is a multiple of `other`. Returns
    /// `false` if `other` is not a positive integer.
    #[must_use]
    pub fn is_multiple_of(&self, other: &Self) -> bool {
        let size = other.value();
        other.is_whole() && size > 0 && self.value() % size == 0
    }

    /// Returns the amount rounded up to an integer (`Value`). As in Go, a small amount that does
    /// not fit into an `i64` becomes 0, and a large one keeps its low bits.
    fn value(&self) -> i64 {
        match &self.amount {
            Amount::Small(value, scale @ ..0) => divide_away_from_zero(*value, -*scale),
            Amount::Small(..) => self.as_i64().unwrap_or_default(),
            Amount::Large(decimal) => decimal.ceiling(),
        }
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self {
            amount: Amount::Small(value, 0),
            format: QuantityFormat::Decimal,
            text: None,
        }
    }
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, QuantityError> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (integer, rest) = digits(unsigned.trim_start_matches('0'));
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => digits(rest),
            None => ("", rest),
        };
        let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
        let (_, rest) = digits(letters.strip_prefix(['-', '+']).unwrap_or(letters));
        if !rest.is_empty() {
            return Err(QuantityError::QuantityFormat);
        }
        Ok(Self {
            negative,
            integer: if integer.is_empty() { "0" } else { integer },
            fraction,
            suffix,
        })
    }

    fn digits(&self) -> String {
        [self.integer, self.fraction].concat()
    }

    /// Returns the number without sign and unit, and the amount, if Go computes it in 64 bits.
    fn small_amount(&self, unit: Unit) -> Option<(i64, Amount)> {
        let (integer, fraction) = (self.integer.len(), self.fraction.len());
        let (scale, factor) = match unit.base {
            10 if integer + fraction <= 18 => (unit.exponent, 1),
            2 if fraction == 0 => {
                let factor_digits = usize::try_from(unit.exponent * 3 / 10).ok()?;
                let factor = (integer + factor_digits < 15).then_some(1_i64 << unit.exponent)?;
                (0, factor)
            }
            _ => return None,
        };
        let scale = scale.checked_sub(i32::try_from(fraction).ok()?)?;
        if scale < NANO {
            return None;
        }
        let number: i64 = self.digits().parse().ok()?;
        let value = number.checked_mul(factor)?;
        let value = if self.negative { -value } else { value };
        Some((number, Amount::Small(value, scale)))
    }

    /// Returns whether Go considers the text of a small amount canonical, and prints it unchanged.
    fn is_canonical(&self, number: i64, unit: Unit) -> bool {
        if unit.base == 2 {
            return number & 7 != 0;
        }
        let digits = self.digits();
        let scale = i64::from(unit.exponent) - self.fraction.len() as i64;
        scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
    }

    /// Returns the amount rounded away from zero to billionths. A binary unit limits it to 64 bits.
    fn large_amount(&self, unit: Unit) -> Quantity {
        let digits = self.digits().bytes().map(|digit| digit - b'0').collect();
        let mut decimal = Decimal::new(false, digits, -(self.fraction.len() as i64));
        let mut format = unit.format;
        if unit.base == 10 {
            decimal.exponent += i64::from(unit.exponent);
        } else {
            decimal.multiply(1 << unit.exponent);
        }
        if !decimal.is_zero() {
            decimal.round_up(i64::from(NANO));
        }
        if unit.base == 2 {
            let most = Amount::Small(i64::MAX, 0).to_decimal();
            let one = Amount::Small(1, 0).to_decimal();
            if decimal.compare(&most).is_gt() {
                decimal = most;
            } else if !decimal.is_zero() && decimal.compare(&one).is_lt() {
                format = QuantityFormat::Decimal;
            }
        }
        decimal.negative = self.negative && !decimal.is_zero();
        Quantity {
            amount: Amount::Large(decimal),
            format,
            text: None,
        }
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

impl Unit {
    fn parse(suffix: &str) -> Option<Self> {
        let position = |known: &[&str]| {
            let at = known.iter().position(|known| *known == suffix)?;
            i32::try_from(at).ok()
        };
        if let Some(at) = position(&BINARY) {
            return Some(Self {
                base: 2,
                exponent: (at + 1) * 10,
                format: QuantityFormat::Binary,
            });
        }
        if let Some(at) = position(&DECIMAL) {
            return Some(Self {
                base: 10,
                exponent: at * 3 + NANO,
                format: QuantityFormat::Decimal,
            });
        }
        let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
        Some(Self {
            base: 10,
            #[expect(clippy::cast_possible_truncation, reason = "truncated as in Go")]
            exponent: exponent as i32,
            format: QuantityFormat::Exponent,
        })
    }
}

fn decimal_suffix(exponent: i64) -> Option<&'static str> {
    let at = usize::try_from((exponent - i64::from(NANO)) / 3).ok()?;
    DECIMAL.get(at).copied()
}

/// Formats an integer with a binary suffix.
fn binary(mut decimal: Decimal) -> String {
    let mut suffix = "";
    decimal.expand();
    for next in BINARY {
        let Some(quotient) = decimal.divide_exactly(1024) else {
            break;
        };
        decimal = quotient;
        suffix = next;
    }
    decimal.unscaled() + suffix
}

/// Returns `value` / 10^`digits`, rounded away from zero.
fn divide_away_from_zero(value: i64, digits: i32) -> i64 {
    let power = u32::try_from(digits)
        .ok()
        .and_then(|it| 10_i64.checked_pow(it));
    match power {
        Some(power) => value / power + (value % power).signum(),
        None => value.signum(),
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

impl Amount {
    fn to_decimal(&self) -> Decimal {
        match self {
            Self::Small(value, scale) => {
                let text = value.unsigned_abs().to_string();
                let digits = text.bytes().map(|digit| digit - b'0').collect();
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

#[cfg(test)]
mod tests;
