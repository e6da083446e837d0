//! [`Decimal`]: exact decimal numbers.

use std::cmp::Ordering;

/// Decimal number: digits, most significant first, times a power of ten.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i64,
}

/// Maximum difference of two exponents in a sum. Beyond it, the smaller number is ignored.
const MAX_SHIFT: i64 = 1_000_000;

impl Decimal {
    pub(super) fn new(negative: bool, digits: Vec<u8>, exponent: i64) -> Self {
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        let digits: Vec<_> = digits.into_iter().skip(zeros).collect();
        Self {
            negative: negative && !digits.is_empty(),
            digits,
            exponent,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn negated(self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self
        }
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        let mut carry: u128 = 0;
        for digit in self.digits.iter_mut().rev() {
            let value = u128::from(*digit) * u128::from(factor) + carry;
            *digit = (value % 10) as u8;
            carry = value / 10;
        }
        while carry > 0 {
            self.digits.insert(0, (carry % 10) as u8);
            carry /= 10;
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        let places = usize::try_from(-self.exponent).unwrap_or_default();
        self.digits
            .iter()
            .rev()
            .take(places)
            .all(|digit| *digit == 0)
    }

    /// Rounds away from zero to a multiple of 10^`exponent`.
    pub(super) fn round_up(&mut self, exponent: i64) {
        let missing = self.exponent - exponent;
        if missing >= 0 {
            let zeros = usize::try_from(missing.min(MAX_SHIFT)).unwrap_or_default();
            self.digits.resize(self.digits.len() + zeros, 0);
            self.exponent -= missing.min(MAX_SHIFT);
            return;
        }
        let kept = self.digits.len() as i64 + missing;
        let kept = usize::try_from(kept).unwrap_or_default();
        let rounds = self.digits[kept..].iter().any(|digit| *digit != 0);
        self.digits.truncate(kept);
        self.exponent = exponent;
        if rounds {
            let one = Self::new(self.negative, vec![1], exponent);
            *self = self.plus(&one);
        }
    }

    /// Rounds up to an integer and returns its low 64 bits.
    pub(super) fn ceiling(&self) -> i64 {
        let mut rounded = self.clone();
        rounded.round_up(0);
        let mut value = rounded.low_bits();
        if self.negative {
            value = value.wrapping_neg();
            if rounded.compare(self).is_ne() {
                value = value.wrapping_add(1);
            }
        }
        value
    }

    fn low_bits(&self) -> i64 {
        let zeros = usize::try_from(self.exponent).unwrap_or_default();
        let digits = self.digits.iter().copied();
        digits
            .chain(std::iter::repeat_n(0, zeros.min(64)))
            .fold(0_i64, |value, digit| {
                value.wrapping_mul(10).wrapping_add(i64::from(digit))
            })
    }

    /// Returns the digits as an integer with its sign, without the exponent.
    pub(super) fn unscaled(&self) -> String {
        let digits = self.digits.iter().map(|digit| char::from(digit + b'0'));
        let sign = self.negative.then_some('-');
        if self.is_zero() {
            "0".to_owned()
        } else {
            sign.into_iter().chain(digits).collect()
        }
    }

    /// Returns an integer and the largest exponent that is a multiple of 3. Zero has no digits.
    pub(super) fn in_thousands(mut self) -> (String, i64) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent += 1;
        }
        let zeros = self.exponent.rem_euclid(3);
        self.digits.extend((0..zeros).map(|_| 0));
        (self.unscaled(), self.exponent - zeros)
    }

    /// Writes an integer without exponent.
    pub(super) fn expand(&mut self) {
        self.round_up(0);
    }

    /// Divides an integer without exponent, or returns `None` if there is a remainder.
    pub(super) fn divide_exactly(&self, divisor: u32) -> Option<Self> {
        let mut rest = 0;
        let mut quotient = Vec::with_capacity(self.digits.len());
        for digit in &self.digits {
            rest = rest * 10 + u32::from(*digit);
            quotient.push((rest / divisor) as u8);
            rest %= divisor;
        }
        (rest == 0).then(|| Self::new(self.negative, quotient, self.exponent))
    }

    /// Returns the number of digits before the decimal point. The number is -2 for 0.001, which has
    /// two zeros after the point.
    fn magnitude(&self) -> i64 {
        self.digits.len() as i64 + self.exponent
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) if other.negative => return Ordering::Greater,
            (true, false) => return Ordering::Less,
            _ => {}
        }
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_sizes(other),
            (true, true) if other.is_zero() => Ordering::Less,
            (true, true) => self.compare_sizes(other).reverse(),
        }
    }

    pub(super) fn compare_sizes(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        let places = self.digits.len().max(other.digits.len());
        let digits = |decimal: &Self| -> Vec<u8> {
            let mut digits = decimal.digits.clone();
            digits.resize(places, 0);
            digits
        };
        let order = self.magnitude().cmp(&other.magnitude());
        order.then_with(|| digits(self).cmp(&digits(other)))
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() {
                other.clone()
            } else {
                self.clone()
            };
        }
        let lowest = self.exponent.min(other.exponent);
        if self.exponent.max(other.exponent) - lowest > MAX_SHIFT {
            let larger = if self.compare_sizes(other).is_ge() {
                self
            } else {
                other
            };
            return larger.clone();
        }
        let places = (self.magnitude().max(other.magnitude()) - lowest + 1).max(1);
        let places = usize::try_from(places).unwrap_or_default();
        let aligned = |decimal: &Self| -> Vec<u8> {
            let trailing = usize::try_from(decimal.exponent - lowest).unwrap_or_default();
            let leading = places.saturating_sub(trailing + decimal.digits.len());
            let mut digits = vec![0; leading];
            digits.extend(&decimal.digits);
            digits.resize(places, 0);
            digits
        };
        let (larger, smaller) = if self.compare_sizes(other).is_ge() {
            (self, other)
        } else {
            (other, self)
        };
        let same_sign = self.negative == other.negative;
        let (mut out, small) = (aligned(larger), aligned(smaller));
        let mut carry: i8 = 0;
        for (digit, other) in out.iter_mut().zip(&small).rev() {
            let other = i8::try_from(*other).unwrap_or_default();
            let own = i8::try_from(*digit).unwrap_or_default();
            let value = if same_sign {
                own + other + carry
            } else {
                own - other - carry
            };
            carry = i8::from(!(0..10).contains(&value));
            *digit = u8::try_from(value.rem_euclid(10)).unwrap_or_default();
        }
        Self::new(larger.negative, out, lowest)
    }
}
