//! Base64 decoder with the rules of Go, and an encoder.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the canonical form of a base64 text, without line breaks. The error is the index that
/// Go's `base64.StdEncoding` reports: of the invalid byte, or of the incomplete end.
pub(super) fn base64(text: &str) -> Result<String, usize> {
    let mut digits = 0;
    let mut out = String::with_capacity(text.len());
    let mut bytes = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                digits += 1;
                out.push(char::from(byte));
            }
            b'=' if digits % 4 == 2 => {
                out.push_str("==");
                return match (bytes.next(), bytes.next()) {
                    (Some((_, b'=')), None) => Ok(cleared(out, 2)),
                    (Some((_, b'=')), Some((at, _))) => Err(at),
                    (Some(_), _) => Err(at),
                    (None, _) => Err(text.len()),
                };
            }
            b'=' if digits % 4 == 3 => {
                out.push('=');
                return match bytes.next() {
                    None => Ok(cleared(out, 1)),
                    Some((at, _)) => Err(at),
                };
            }
            _ => return Err(at),
        }
    }
    match digits % 4 {
        0 => Ok(out),
        rest => Err(text.len() - rest),
    }
}

/// Clears the unused bits of the last digit, so that the text is canonical.
fn cleared(mut text: String, padding: usize) -> String {
    let at = text.len() - padding - 1;
    let last = text.as_bytes()[at];
    let index = DIGITS
        .iter()
        .position(|digit| *digit == last)
        .unwrap_or_default();
    let mask = if padding == 2 { 0b11_0000 } else { 0b11_1100 };
    let digit = char::from(DIGITS[index & mask]);
    text.replace_range(at..=at, digit.encode_utf8(&mut [0; 4]));
    text
}

/// Decodes base64. The error is that of `base64`.
pub(crate) fn decode_base64(text: &str) -> Result<Vec<u8>, usize> {
    let canonical = base64(text)?;
    let digits = canonical.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().fold(0_u32, |bits, digit| {
            let value = DIGITS.iter().position(|it| it == digit);
            bits << 6 | value.and_then(|it| it.try_into().ok()).unwrap_or(0)
        });
        let bits = bits << (6 * (4 - chunk.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    Ok(bytes)
}

/// Encodes bytes as base64 with padding.
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            out.push(match digit <= chunk.len() {
                true => char::from(DIGITS[bits >> (18 - 6 * digit) & 63]),
                false => '=',
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_round_trips() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[0, 255, 128, 7]] {
            let text = encode_base64(bytes);
            assert_eq!(decode_base64(&text).as_deref(), Ok(bytes), "{text}");
        }
        assert_eq!(decode_base64("!"), Err(0));
    }

    #[test]
    fn base64_is_decoded_as_in_go() {
        for (text, expected) in [
            ("", Ok("")),
            ("YQ==", Ok("YQ==")),
            ("YR==", Ok("YQ==")),
            ("YWI=", Ok("YWI=")),
            ("YW\nJj", Ok("YWJj")),
            ("YQ", Err(0)),
            ("YQ=", Err(3)),
            ("!", Err(0)),
            ("YWJj!", Err(4)),
            ("YQ==x", Err(4)),
            ("YQ=a", Err(2)),
        ] {
            assert_eq!(
                base64(text).as_deref().map_err(|at| *at),
                expected,
                "{text}"
            );
        }
    }
}
