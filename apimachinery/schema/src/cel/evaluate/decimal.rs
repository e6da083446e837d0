//! [`Decimal`]: exact decimal numbers.

use std::cmp::Ordering;

/// Decimal number: digits, most significant first, times a power of ten.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i64,
}

/// Exponent of the smallest unit of a quantity, a billionth.
const FINEST: i64 = -9;

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

    /// Rounds a non-negative number up to a whole number of billionths.
    pub(super) fn round_up(&mut self) {
        let missing = self.exponent - FINEST;
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
        self.exponent = FINEST;
        if rounds {
            let one = Self::new(false, vec![1], FINEST);
            *self = self.plus(&one);
        }
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

    fn compare_sizes(&self, other: &Self) -> Ordering {
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
