//! Seeded random source of a server: uids, generated names and delays. Two runs with the same seed
//! and requests get the same values.

use std::time::Duration;

use parking_lot::Mutex;

/// Alphabet of generated names (k8s.io/apimachinery/pkg/util/rand): no vowels, and no digits that
/// look like one.
const NAME_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Seeded random source of a server.
pub(crate) struct Seed(Mutex<fastrand::Rng>);

impl Seed {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    /// Returns a version 4 UUID.
    pub(crate) fn uid(&self) -> String {
        let random = self.0.lock().u128(..);
        let bits = random & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
        let hex = format!("{bits:032x}");
        let (a, b, c, d, e) = (
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        );
        format!("{a}-{b}-{c}-{d}-{e}")
    }

    /// Generates a name: the first 58 bytes of the prefix, and five random letters or digits
    /// (`SimpleNameGenerator` in k8s.io/apiserver/pkg/storage/names).
    pub(crate) fn name(&self, prefix: &str) -> String {
        let mut name = prefix.to_owned();
        let mut end = name.len().min(58);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        let mut random = self.0.lock();
        for _ in 0..5 {
            name.push(char::from(NAME_LETTERS[random.usize(..NAME_LETTERS.len())]));
        }
        name
    }

    /// Returns a random number below `limit`. `limit` must not be zero.
    pub(crate) fn below(&self, limit: usize) -> usize {
        self.0.lock().usize(..limit)
    }

    /// Returns a random delay from zero to `most`.
    pub(crate) fn delay(&self, most: Duration) -> Duration {
        most.mul_f64(self.0.lock().f64())
    }
}
