//! Base64 by the rules of Go's `encoding/base64`, which skips line breaks and ignores the unused
//! bits of the last digit.

use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurposeConfig, STANDARD};
use base64::engine::{Engine, GeneralPurpose};

const GO: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Returns the canonical form of a base64 text, without line breaks.
///
/// # Errors
///
/// As for [`decode_base64`].
pub(super) fn canonical_base64(text: &str) -> Result<String, usize> {
    decode_base64(text).map(|bytes| encode_base64(&bytes))
}

/// Decodes base64.
///
/// # Errors
///
/// The index that Go's `base64.StdEncoding` reports, such as that of the first invalid byte.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, usize> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !is_line_break(*byte)).collect();
    GO.decode(digits).map_err(|_| corrupt_index(text))
}

/// Encodes bytes as base64 with padding.
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Returns the index at which Go stops in a text that it cannot decode (`decodeQuantum`).
fn corrupt_index(text: &str) -> usize {
    let mut digits = 0;
    let mut bytes = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| !is_line_break(*byte));
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => digits += 1,
            b'=' if digits % 4 == 3 => return bytes.next().map_or(text.len(), |(at, _)| at),
            b'=' if digits % 4 == 2 => {
                return match bytes.next() {
                    Some((_, b'=')) => bytes.next().map_or(text.len(), |(at, _)| at),
                    Some((next, _)) => next - 1,
                    None => text.len(),
                };
            }
            _ => return at,
        }
    }
    text.len() - digits % 4
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
            ("YQ=\na", Err(3)),
        ] {
            assert_eq!(
                canonical_base64(text).as_deref().map_err(|at| *at),
                expected,
                "{text}"
            );
        }
    }
}
