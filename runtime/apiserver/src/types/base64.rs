//! Base64 decoder with the rules of Go, and an encoder.

use base64::engine::Engine;
use base64::engine::general_purpose::STANDARD;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the canonical form of a base64 text, without line breaks. The error is the index that
/// Go's `base64.StdEncoding` reports, such as that of the first invalid byte.
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

/// Decodes base64. The error is an index, as for [`base64()`].
pub(crate) fn decode_base64(text: &str) -> Result<Vec<u8>, usize> {
    let canonical = base64(text)?;
    STANDARD.decode(canonical).map_err(|_| text.len())
}

/// Encodes bytes as base64 with padding.
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
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
