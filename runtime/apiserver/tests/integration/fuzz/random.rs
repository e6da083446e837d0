//! Deterministic random choices from a seed.

/// Knuth's linear congruential generator.
pub struct Random(u64);

impl Random {
    pub fn seeded(number: u64) -> Self {
        let mut random = Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
        random.below(2);
        random
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Returns `true` once in `times` on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}
