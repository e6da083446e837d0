//! Base64 decoding, as in Go's `encoding/base64`.

/// Decodes the URL-safe alphabet with padding, ignoring line breaks.
///
/// # Errors
///
/// Returns the index of the first invalid byte.
pub(super) fn decode_url(text: &str) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum: Vec<u8> = Vec::with_capacity(4);
    let mut bytes = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = bytes.next() {
        if byte == b'=' {
            if quantum.len() < 2 {
                return Err(at);
            }
            if quantum.len() == 2 {
                match bytes.next() {
                    None => return Err(text.len()),
                    Some((_, b'=')) => {}
                    Some((at, _)) => return Err(at),
                }
            }
            if let Some((at, _)) = bytes.next() {
                return Err(at);
            }
            push(&mut out, &quantum);
            return Ok(out);
        }
        quantum.push(sextet(byte).ok_or(at)?);
        if quantum.len() == 4 {
            push(&mut out, &quantum);
            quantum.clear();
        }
    }
    if quantum.is_empty() {
        Ok(out)
    } else {
        Err(text.len() - quantum.len())
    }
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

fn push(out: &mut Vec<u8>, quantum: &[u8]) {
    let digit = |place: usize| u32::from(quantum.get(place).copied().unwrap_or_default());
    let bits = digit(0) << 18 | digit(1) << 12 | digit(2) << 6 | digit(3);
    let [_, bytes @ ..] = bits.to_be_bytes();
    out.extend_from_slice(&bytes[..quantum.len().saturating_sub(1).min(3)]);
}
