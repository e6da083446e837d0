//! SHA-256 (FIPS 180-4), for the hashes and ETags of discovery documents.

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    let bits = u64::try_from(bytes.len()).unwrap_or_default() * 8;
    message.extend(bits.to_be_bytes());
    let constants = fractions::<64>(3);
    let mut state = fractions::<8>(2);
    for block in message.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut out = [0; 32];
    for (place, word) in out.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// Returns, for each of the first `N` primes, the first 32 bits of the fractional part of a root:
/// the square root if `root` is 2, the cube root if `root` is 3.
fn fractions<const N: usize>(root: u32) -> [u32; N] {
    let is_prime = |n: &u128| {
        (2..*n)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    let mut primes = (2_u128..).filter(is_prime);
    std::array::from_fn(|_| {
        let prime = primes.next().unwrap_or_default();
        // The root of prime × 2^(32 × `root`) is the root of the prime, shifted left by 32 bits.
        let target = prime << (32 * root);
        let (mut low, mut high) = (0_u128, 1_u128 << 36);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if middle.pow(root) <= target {
                low = middle;
            } else {
                high = middle;
            }
        }
        u32::try_from(low & 0xffff_ffff).unwrap_or_default()
    })
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..64 {
        let (near, far) = (words[at - 2], words[at - 15]);
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
        let sum = words[at - 16].wrapping_add(words[at - 7]);
        words[at] = sum.wrapping_add(near).wrapping_add(far);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let wide = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let first = h.wrapping_add(wide).wrapping_add((e & f) ^ (!e & g));
        let first = first.wrapping_add(*word).wrapping_add(*constant);
        let wide = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = wide.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_matches_known_digests() {
        let hex = |bytes: &[u8]| -> String {
            sha256(bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(b""), empty);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(b"abc"), abc);
    }
}
