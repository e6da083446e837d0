//! Sets of hashes.

use rangemap::RangeInclusiveSet;

/// A set of hashes.
pub(crate) type HashRanges = RangeInclusiveSet<u64>;

/// Returns the hashes of `ranges` that are not in `other`.
pub(crate) fn subtract(ranges: &HashRanges, other: &HashRanges) -> HashRanges {
    let mut rest = ranges.clone();
    for range in other.iter() {
        rest.remove(range.clone());
    }
    rest
}

/// Returns the hashes that are in both.
pub(crate) fn intersect(ranges: &HashRanges, other: &HashRanges) -> HashRanges {
    ranges.intersection(other).collect()
}
