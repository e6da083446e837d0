//! Which keys a queue may know already.

/// A set of hashes that forgets nothing and now and then believes that it has one which it has not: a Bloom filter, with
/// the bits of a hash in one word.
pub(super) struct Filter {
    words: Vec<u64>,
    /// How many more hashes may be added before it says too often that it knows one.
    room: usize,
}

/// With 16 bits and three of them set for each hash, one in a hundred unknown hashes is taken for a known one.
const HASHES_PER_WORD: usize = 4;

impl Filter {
    /// An empty set for so many hashes.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            words: vec![0; room.div_ceil(HASHES_PER_WORD).next_power_of_two()],
            room,
        }
    }

    /// Adds a hash. Says whether it may have been there before.
    pub(super) fn add(&mut self, hash: u64) -> bool {
        let place = (hash >> 32) as usize & (self.words.len() - 1);
        let bits = [hash, hash >> 6, hash >> 12]
            .iter()
            .fold(0, |bits, part| bits | 1 << (part & 63));
        self.room = self.room.saturating_sub(1);
        let word = &mut self.words[place];
        let known = *word & bits == bits;
        *word |= bits;
        known
    }

    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }
}
