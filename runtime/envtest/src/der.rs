//! DER encoder of the ASN.1 types that a certificate contains (ITU-T X.690).

/// Encodes a non-negative `INTEGER`.
pub(crate) fn integer(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(7);
    let mut content = Vec::new();
    if bytes[start] >= 0x80 {
        content.push(0);
    }
    content.extend_from_slice(&bytes[start..]);
    element(0x02, &content)
}

/// Encodes the `BOOLEAN` true.
pub(crate) fn yes() -> Vec<u8> {
    element(0x01, &[0xff])
}

/// Encodes a `BIT STRING`: `content` without its last `unused` bits.
pub(crate) fn bits(unused: u8, content: &[u8]) -> Vec<u8> {
    element(0x03, &[&[unused], content].concat())
}

/// Encodes an `OCTET STRING`.
pub(crate) fn octets(content: &[u8]) -> Vec<u8> {
    element(0x04, content)
}

/// Encodes an `OBJECT IDENTIFIER` of at least two components.
pub(crate) fn identifier(numbers: &[u64]) -> Vec<u8> {
    let mut content = Vec::new();
    if let [first, second, rest @ ..] = numbers {
        base_128(first * 40 + second, &mut content);
        for number in rest {
            base_128(*number, &mut content);
        }
    }
    element(0x06, &content)
}

fn base_128(number: u64, content: &mut Vec<u8>) {
    let digits = (u64::BITS - number.leading_zeros()).div_ceil(7).max(1);
    for digit in (0..digits).rev() {
        let low = number >> (7 * digit) & 0x7f;
        let more = if digit == 0 { 0 } else { 0x80 };
        content.extend(u8::try_from(low | more));
    }
}

/// Encodes a `UTF8String`.
pub(crate) fn text(content: &str) -> Vec<u8> {
    element(0x0c, content.as_bytes())
}

/// Encodes a `UTCTime` in the form `YYMMDDhhmmssZ`.
pub(crate) fn utc_time(content: &str) -> Vec<u8> {
    element(0x17, content.as_bytes())
}

/// Encodes a `GeneralizedTime` in the form `YYYYMMDDhhmmssZ`.
pub(crate) fn generalized_time(content: &str) -> Vec<u8> {
    element(0x18, content.as_bytes())
}

/// Encodes a `SEQUENCE` of encoded elements.
pub(crate) fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x30, &parts.concat())
}

/// Encodes a `SET` of one encoded element.
pub(crate) fn set(part: &[u8]) -> Vec<u8> {
    element(0x31, part)
}

/// Encodes `[tag] EXPLICIT` with an encoded element.
pub(crate) fn tagged(tag: u8, part: &[u8]) -> Vec<u8> {
    element(0xa0 | tag, part)
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut encoded = vec![tag];
    let length = content.len().to_be_bytes();
    let start = length.iter().position(|byte| *byte != 0);
    let length = &length[start.unwrap_or(length.len() - 1)..];
    if content.len() >= 0x80 {
        // `length` has at most 8 bytes, so the conversion does not fail.
        encoded.push(0x80 | u8::try_from(length.len()).unwrap_or_default());
    }
    encoded.extend_from_slice(length);
    encoded.extend_from_slice(content);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_canonical() {
        assert_eq!(integer(0), [2, 1, 0]);
        assert_eq!(integer(127), [2, 1, 127]);
        assert_eq!(integer(128), [2, 2, 0, 128]);
        assert_eq!(integer(256), [2, 2, 1, 0]);
        assert_eq!(identifier(&[2, 5, 4, 10]), [6, 3, 0x55, 4, 10]);
        // ecdsa-with-SHA256
        let ecdsa = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
        assert_eq!(identifier(&[1, 2, 840, 10045, 4, 3, 2]), ecdsa);
        assert_eq!(text("a"), [0x0c, 1, b'a']);
        assert_eq!(octets(&[7; 127])[..3], [4, 127, 7]);
        assert_eq!(octets(&[7; 128])[..4], [4, 0x81, 128, 7]);
        assert_eq!(octets(&[7; 256])[..5], [4, 0x82, 1, 0, 7]);
        assert_eq!(tagged(3, &yes()), [0xa3, 3, 1, 1, 0xff]);
        assert_eq!(bits(7, &[0x80]), [3, 2, 7, 0x80]);
        assert_eq!(sequence(&[]), [0x30, 0]);
    }
}
