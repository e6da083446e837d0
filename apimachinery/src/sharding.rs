//! Shard selectors of lists and watches (KEP-5866; k8s.io/apimachinery/pkg/sharding): ranges of the
//! hash of a uid or a namespace.
//!
//! kube-apiserver reads a selector from the query parameter `shardSelector` if its feature gate
//! `ShardedListAndWatch` is on. Several clients with disjoint ranges then share the objects of a
//! kind.

use std::fmt;
use std::ops::RangeInclusive;

/// Field whose hash decides which shard an object is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShardField {
    /// `metadata.uid`
    Uid,
    /// `metadata.namespace`; empty for cluster-scoped objects.
    Namespace,
}

impl ShardField {
    /// Returns the field of a path, such as `object.metadata.uid`.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Self> {
        [Self::Uid, Self::Namespace]
            .into_iter()
            .find(|field| field.path() == path)
    }

    /// Returns the path of the field in a selector.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Uid => "object.metadata.uid",
            Self::Namespace => "object.metadata.namespace",
        }
    }
}

/// Shard selector: the hash of the field must be in one of the ranges. Displays as the value of
/// `shardSelector`.
///
/// ```
/// use genclient_apimachinery::sharding::{ShardField, ShardSelector, hash};
///
/// let half = 0..=u64::MAX / 2;
/// let selector = ShardSelector::new(ShardField::Namespace, [half]).unwrap();
/// assert_eq!(
///     selector.to_string(),
///     "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')"
/// );
/// assert_eq!(hash("team-1"), 0xde90_5371_7d11_cae6);
/// assert!(!selector.matches("team-1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShardSelector {
    field: ShardField,
    /// None of them is empty.
    ranges: Vec<RangeInclusive<u64>>,
}

impl ShardSelector {
    /// Returns a selector, or `None` if there is no range or one of them is empty: the API server
    /// has no selector that matches nothing.
    #[must_use]
    pub fn new(
        field: ShardField,
        ranges: impl IntoIterator<Item = RangeInclusive<u64>>,
    ) -> Option<Self> {
        let selector = Self {
            field,
            ranges: ranges.into_iter().collect(),
        };
        let has_empty = selector.ranges.iter().any(RangeInclusive::is_empty);
        (!selector.ranges.is_empty() && !has_empty).then_some(selector)
    }

    /// Returns the field that is hashed.
    #[must_use]
    pub fn field(&self) -> ShardField {
        self.field
    }

    /// Returns the ranges of hashes, of which there is at least one.
    #[must_use]
    pub fn ranges(&self) -> &[RangeInclusive<u64>] {
        &self.ranges
    }

    /// Returns whether the selector matches the objects with this value of its field.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        let hash = hash(value);
        self.ranges.iter().any(|range| range.contains(&hash))
    }
}

impl fmt::Display for ShardSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.ranges.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            // The end is exclusive, so that of the last range is 2^64.
            let (start, end) = (range.start(), u128::from(*range.end()) + 1);
            let path = self.field.path();
            write!(f, "shardRange({path}, '{start:#018x}', '{end:#018x}')")?;
        }
        Ok(())
    }
}

/// Returns the hash of a field's value: FNV-1a with 64 bits.
///
/// Similar values have similar hashes: their last byte hardly changes the upper bits.
#[must_use]
pub fn hash(value: &str) -> u64 {
    value.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the authors (<http://www.isthe.com/chongo/src/fnv/test_fnv.c>).
    #[test]
    fn hashes_are_fnv_1a() {
        for (value, expected) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("b", 0xaf63_df4c_8601_f1a5),
            ("fo", 0x0898_5907_b541_d342),
            ("foo", 0xdcb2_7518_fed9_d577),
            ("foobar", 0x8594_4171_f739_67e8),
            ("chongo was here!\n", 0x4681_0940_eff5_f915),
        ] {
            assert_eq!(hash(value), expected, "{value}");
        }
    }

    #[test]
    fn selectors_are_printed_with_exclusive_ends() {
        let range =
            |start, end| format!("shardRange({}, '{start}', '{end}')", ShardField::Uid.path());
        let (zero, end) = ("0x0000000000000000", "0x10000000000000000");
        for (ranges, expected) in [
            (vec![0..=u64::MAX], range(zero, end)),
            (vec![0..=0], range(zero, "0x0000000000000001")),
            (
                vec![0xab..=0xfe, u64::MAX..=u64::MAX],
                [
                    range("0x00000000000000ab", "0x00000000000000ff"),
                    range("0xffffffffffffffff", end),
                ]
                .join(" || "),
            ),
        ] {
            let selector = ShardSelector::new(ShardField::Uid, ranges).unwrap();
            assert_eq!(selector.to_string(), expected);
        }
    }

    #[test]
    fn values_match_by_their_hash() {
        let a = hash("a");
        for (ranges, expected) in [
            (vec![0..=u64::MAX], true),
            (vec![a..=a], true),
            (vec![0..=a - 1, a + 1..=u64::MAX], false),
            (vec![0..=0, a..=u64::MAX], true),
        ] {
            let selector = ShardSelector::new(ShardField::Namespace, ranges.clone()).unwrap();
            assert_eq!(selector.matches("a"), expected, "{ranges:?}");
        }
    }

    #[test]
    fn selectors_match_something() {
        #[expect(
            clippy::reversed_empty_ranges,
            reason = "the range is empty on purpose"
        )]
        let empty = 1..=0;
        for ranges in [vec![], vec![empty.clone()], vec![0..=1, empty]] {
            assert_eq!(ShardSelector::new(ShardField::Uid, ranges), None);
        }
    }
}
