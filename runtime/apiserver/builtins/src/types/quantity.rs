//! [`Quantity`]: parsing, comparison and canonical form of amounts such as `500m`, `1Gi` and `1e3`.
//!
//! Source: k8s.io/apimachinery/pkg/api/resource, quantity.go.

use std::cmp::Ordering;

/// Amount of a resource, with the format in which it was written.
#[derive(Clone, Debug)]
pub struct Quantity {
    mantissa: i128,
    /// The amount is `mantissa` × 10^`scale`.
    scale: i32,
    format: QuantityFormat,
    /// The parsed text, if the server prints that text instead of the canonical form.
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum QuantityFormat {
    Binary,
    Decimal,
    Exponent,
}

/// Number of nanos in a unit.
const NANOS: i128 = 1_000_000_000;

/// Error of [`Quantity::parse`], with the message of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// The text does not have the form of a quantity.
    #[error(
        "quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    QuantityFormat,
    /// The suffix is unknown.
    #[error("unable to parse quantity's suffix")]
    Suffix,
    /// The number is invalid.
    #[error("unable to parse numeric part of quantity")]
    Numeric,
}

/// Parts of a quantity's text: `-12.5Gi` has the integer `12`, the fraction `5` and the suffix
/// `Gi`.
struct Parts<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

impl Quantity {
    /// Parses a quantity (`ParseQuantity`).
    ///
    /// # Errors
    ///
    /// [`QuantityError`] if the text is not a quantity.
    ///
    /// ```
    /// # use genclient_builtins::types::Quantity;
    /// let text = |text| Quantity::parse(text).map(|quantity| quantity.canonical());
    /// assert_eq!(text("1000m").unwrap(), "1");
    /// assert_eq!(text("1024Mi").unwrap(), "1Gi");
    /// assert_eq!(text("0.5").unwrap(), "500m");
    /// ```
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::QuantityFormat);
        }
        let parts = Parts::of(text)?;
        let (base, exponent, format) = interpret(parts.suffix).ok_or(QuantityError::Suffix)?;
        // For the suffixes `Pi` and `Ei`, Go uses another parser, which requires digits.
        if exponent >= 50 && base == 2 && !text.contains(|c: char| c.is_ascii_digit()) {
            return Err(QuantityError::Numeric);
        }
        let (factor, scale) = match base {
            2 => (1_i128 << exponent, 0),
            _ => (1, exponent),
        };
        let is_long = parts.integer.len() + parts.fraction.len() > 30;
        if is_long || !(-60..=60).contains(&exponent) {
            return Ok(Self::approximate(text, &parts, (factor, scale), format));
        }
        let digits = format!("{}{}", parts.integer, parts.fraction);
        let number: i128 = digits.parse().map_err(|_| QuantityError::Numeric)?;
        let fraction = u32::try_from(parts.fraction.len()).unwrap_or_default();
        let (mantissa, scale) = match number.checked_mul(factor) {
            Some(product) => (product, scale - fraction.cast_signed()),
            None => (in_nanos(number, fraction, exponent), -9),
        };
        let mut amount = Self {
            mantissa,
            scale,
            format,
            text: None,
        };
        if amount.is_written_as_canonical(&parts, number, exponent) || text == "0" {
            amount.text = Some(text.to_owned());
        }
        amount.bound();
        if parts.negative {
            amount.mantissa = -amount.mantissa;
        }
        Ok(amount)
    }

    /// Returns the quantity of a number that has over 30 digits or an exponent beyond ±60. The
    /// suffix multiplies the number by `factor` × 10^`exponent`. The number is rounded up to 20
    /// significant digits, and the amount to nanos. The quantity keeps its text.
    fn approximate(
        text: &str,
        parts: &Parts<'_>,
        (factor, exponent): (i128, i32),
        format: QuantityFormat,
    ) -> Self {
        let digits = format!("{}{}", parts.integer, parts.fraction);
        let significant = digits.trim_start_matches('0');
        // 20 digits, times the largest factor of 2^60, fit into 128 bits.
        let (first, rest) = significant.split_at(significant.len().min(20));
        let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
        let scale = exponent.saturating_add(length(rest) - length(parts.fraction));
        let number: i128 = first.parse().unwrap_or_default();
        let is_cut = rest.contains(|digit| digit != '0');
        let mantissa = (number + i128::from(is_cut)) * factor;
        let (mantissa, scale) = match mantissa {
            0 => (0, 0),
            // The mantissa has at most 39 digits, so the amount is less than a nano.
            _ if scale < -48 => (1, -9),
            _ => (mantissa, scale),
        };
        let mut amount = Self {
            mantissa,
            scale,
            format,
            text: Some(text.to_owned()),
        };
        amount.bound();
        if parts.negative {
            amount.mantissa = -amount.mantissa;
        }
        amount
    }

    /// Returns whether the server considers the parsed text canonical, and prints it unchanged.
    fn is_written_as_canonical(&self, parts: &Parts<'_>, number: i128, exponent: i32) -> bool {
        let digits = format!("{}{}", parts.integer, parts.fraction);
        if i64::try_from(self.mantissa).is_err() || self.scale < -9 {
            return false;
        }
        let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        match self.format {
            QuantityFormat::Binary => {
                let precision = 15 - length - exponent * 3 / 10 - 1;
                let whole = parts.fraction.is_empty() && precision >= 0;
                whole && exponent % 10 == 0 && number & 7 != 0
            }
            QuantityFormat::Decimal | QuantityFormat::Exponent => {
                let exact = length <= 18 && self.scale % 3 == 0;
                exact && !digits.ends_with("000") && !digits.starts_with('0')
            }
        }
    }

    /// Rounds the amount, which has no sign yet, up to nanos. If the suffix is binary, also limits
    /// the amount to 64 bits, and gives a fraction below 1 the decimal format.
    fn bound(&mut self) {
        while self.scale < -9 {
            let rest = self.mantissa % 10;
            self.mantissa = self.mantissa / 10 + i128::from(rest != 0);
            self.scale += 1;
        }
        if self.format == QuantityFormat::Binary {
            let (whole, exact) = self.whole();
            if whole > i128::from(i64::MAX) {
                (self.mantissa, self.scale) = (i128::from(i64::MAX), 0);
            } else if whole <= 1 && !exact {
                self.format = QuantityFormat::Decimal;
            }
        }
    }

    /// Returns the amount rounded away from zero to an integer, and whether it was an integer
    /// before.
    fn whole(&self) -> (i128, bool) {
        let power = 10_i128.checked_pow(self.scale.unsigned_abs());
        match (self.scale, power) {
            (0.., power) => (
                self.mantissa.saturating_mul(power.unwrap_or(i128::MAX)),
                true,
            ),
            (_, Some(power)) => {
                let rest = self.mantissa % power;
                (self.mantissa / power + rest.signum(), rest == 0)
            }
            (_, None) => (self.mantissa, false),
        }
    }

    /// Returns the canonical form (`CanonicalizeBytes`), or the parsed text if the server prints
    /// that text unchanged.
    #[must_use]
    pub fn canonical(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        if self.mantissa == 0 {
            return "0".to_owned();
        }
        let (whole, exact) = self.whole();
        if self.format == QuantityFormat::Binary && exact && whole.abs() >= 1024 {
            return binary(whole);
        }
        self.decimal()
    }

    fn decimal(&self) -> String {
        let (mut mantissa, mut scale) = (self.mantissa, self.scale);
        while mantissa % 10 == 0 {
            mantissa /= 10;
            scale += 1;
        }
        while scale % 3 != 0 {
            mantissa *= 10;
            scale -= 1;
        }
        let suffix = match (self.format, scale) {
            (_, 0) => String::new(),
            (QuantityFormat::Exponent, scale) => format!("e{scale}"),
            (_, scale) => decimal_suffix(scale).to_owned(),
        };
        format!("{mantissa}{suffix}")
    }

    /// Rounds the amount away from zero to thousandths, as the server does for amounts of container
    /// resources.
    pub fn round_up_to_milli(&mut self) {
        while self.scale < -3 {
            let rest = self.mantissa % 10;
            self.mantissa = self.mantissa / 10 + rest.signum();
            self.scale += 1;
            self.text = None;
        }
    }

    /// Compares the amount with zero.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        self.mantissa.cmp(&0)
    }

    /// Compares two amounts.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        self.nanos().cmp(&other.nanos())
    }

    /// Returns whether the amount, rounded up to an integer, is a multiple of `other`. Returns
    /// `false` if `other` is not a positive integer.
    #[must_use]
    pub fn is_multiple_of(&self, other: &Self) -> bool {
        let units = |quantity: &Self| {
            let nanos = quantity.nanos();
            nanos / NANOS + (nanos % NANOS).signum().max(0)
        };
        let size = units(other);
        other.is_whole() && size > 0 && units(self) % size == 0
    }

    /// Returns the amount as the nearest float.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        let text = format!("{}e{}", self.mantissa, self.scale);
        text.parse().unwrap_or_default()
    }

    fn nanos(&self) -> i128 {
        let shift = u32::try_from(self.scale.saturating_add(9)).unwrap_or_default();
        let power = 10_i128.checked_pow(shift).unwrap_or(i128::MAX);
        self.mantissa.saturating_mul(power)
    }

    /// Returns whether the amount is an integer.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole().1
    }
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, QuantityError> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let unsigned = unsigned.trim_start_matches('0');
        if unsigned.is_empty() {
            return Ok(Self {
                negative,
                integer: "0",
                fraction: "",
                suffix: "",
            });
        }
        let (integer, rest) = digits(unsigned);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => digits(rest),
            None => ("", rest),
        };
        let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
        let (_, rest) = digits(letters.strip_prefix(['-', '+']).unwrap_or(letters));
        if !rest.is_empty() {
            return Err(QuantityError::QuantityFormat);
        }
        let integer = if integer.is_empty() { "0" } else { integer };
        Ok(Self {
            negative,
            integer,
            fraction,
            suffix,
        })
    }
}

/// Returns `number` / 10^`digits` × 2^`exponent` in nanos, rounded up. `number` has at most 30
/// digits, and `exponent` is a multiple of 10.
fn in_nanos(number: i128, digits: u32, exponent: i32) -> i128 {
    let unit = 10_i128.pow(digits);
    let (mut whole, mut rest) = (number / unit, number % unit);
    let binary = (0..exponent / 10).map(|_| 1024);
    for step in binary.chain([1000; 3]) {
        rest *= step;
        whole = whole.saturating_mul(step).saturating_add(rest / unit);
        rest %= unit;
    }
    whole.saturating_add(i128::from(rest != 0))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Returns the base, the exponent and the format that a suffix stands for.
fn interpret(suffix: &str) -> Option<(i32, i32, QuantityFormat)> {
    if let Some(at) = BINARY.iter().position(|known| *known == suffix) {
        let exponent = i32::try_from(at).ok()?;
        return Some((2, (exponent + 1) * 10, QuantityFormat::Binary));
    }
    let exponent = (-9..=18)
        .step_by(3)
        .find(|exponent| decimal_suffix(*exponent) == suffix);
    if let Some(exponent) = exponent {
        return Some((10, exponent, QuantityFormat::Decimal));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((10, exponent.parse().ok()?, QuantityFormat::Exponent))
}

fn decimal_suffix(exponent: i32) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn binary(mut whole: i128) -> String {
    let mut suffix = "";
    let mut suffixes = BINARY.iter();
    while whole % 1024 == 0 {
        let Some(next) = suffixes.next() else { break };
        whole /= 1024;
        suffix = next;
    }
    format!("{whole}{suffix}")
}

#[cfg(test)]
mod tests;
