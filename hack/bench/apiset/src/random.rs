//! Pseudorandom numbers from a fixed seed.

/// Knuth's linear congruential generator.
pub(crate) struct Random(u64);

impl Random {
    /// Returns the generator of the kind with the number `seed`.
    pub(crate) fn of(seed: usize) -> Self {
        let mut random = Self(seed as u64 ^ 0x9e37_79b9_7f4a_7c15);
        // Neighbouring seeds differ in few bits. One step spreads them.
        random.below(2);
        random
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Returns a number from `first` to `last`.
    pub(crate) fn within(&mut self, first: u32, last: u32) -> u32 {
        first + self.below((last - first + 1) as usize) as u32
    }

    /// Returns `count` of the things, in a random order.
    pub(crate) fn some<T>(&mut self, mut things: Vec<T>, count: usize) -> Vec<T> {
        (0..count)
            .map(|_| things.swap_remove(self.below(things.len())))
            .collect()
    }
}
