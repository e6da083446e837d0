//! Parsing of string and bytes literals, including raw and triple-quoted ones.

use super::ast::Literal;

/// Start of a literal: prefix and quotes.
#[derive(Debug)]
pub(super) struct Opening {
    /// Length of prefix and quotes before the content.
    length: usize,
    /// The closing quotes.
    pub(super) quotes: &'static str,
    raw: bool,
    bytes: bool,
}

/// Returns the start of the literal at the beginning of the text, if there is one.
pub(super) fn parse_opening(text: &str) -> Option<Opening> {
    let after_bytes = text.strip_prefix(['b', 'B']);
    let rest = after_bytes.unwrap_or(text);
    let after_raw = rest.strip_prefix(['r', 'R']);
    let rest = after_raw.unwrap_or(rest);
    let quotes = ["'''", "\"\"\"", "'", "\""]
        .into_iter()
        .find(|quotes| rest.starts_with(quotes))?;
    Some(Opening {
        length: text.len() - rest.len() + quotes.len(),
        quotes,
        raw: after_raw.is_some(),
        bytes: after_bytes.is_some(),
    })
}

/// Returns the content of the literal at the start of `text`, and the length of the whole literal.
/// Returns `None` if the closing quotes are missing.
pub(super) fn find_content<'t>(text: &'t str, opening: &Opening) -> Option<(&'t str, usize)> {
    let body = text.get(opening.length..)?;
    let many_lines = opening.quotes.len() == 3;
    let mut escaped = false;
    for (at, character) in body.char_indices() {
        if escaped {
            escaped = false;
        } else if body[at..].starts_with(opening.quotes) {
            return Some((&body[..at], opening.length + at + opening.quotes.len()));
        } else if character == '\\' {
            escaped = !opening.raw;
        } else if !many_lines && matches!(character, '\n' | '\r') {
            return None;
        }
    }
    None
}

/// Resolves escapes in the content and returns the value, or `None` for an invalid escape.
pub(super) fn unescape_content(content: &str, opening: &Opening) -> Option<Literal> {
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character == '\\' && !opening.raw {
            rest = decode_escape(rest, opening.bytes, &mut out)?;
        } else {
            push_utf8(character, &mut out);
        }
    }
    if opening.bytes {
        return Some(Literal::Bytes(out));
    }
    String::from_utf8(out).ok().map(Literal::Text)
}

/// Reads an escape after the backslash and returns the rest of the text.
fn decode_escape<'t>(text: &'t str, bytes: bool, out: &mut Vec<u8>) -> Option<&'t str> {
    let letter = text.chars().next()?;
    let rest = &text[letter.len_utf8()..];
    let simple = match letter {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '\'' | '"' | '`' | '?' => u8::try_from(letter).ok()?,
        'x' | 'X' => return decode_code_point(rest, 2, 16, bytes, out),
        'u' if !bytes => return decode_code_point(rest, 4, 16, false, out),
        'U' if !bytes => return decode_code_point(rest, 8, 16, false, out),
        '0'..='3' => return decode_code_point(text, 3, 8, bytes, out),
        _ => return None,
    };
    out.push(simple);
    Some(rest)
}

/// Reads the `length` digits of a code point or, in a bytes literal, of a byte. Returns the rest of
/// the text.
fn decode_code_point<'t>(
    text: &'t str,
    length: usize,
    base: u32,
    bytes: bool,
    out: &mut Vec<u8>,
) -> Option<&'t str> {
    let digits = text.get(..length)?;
    if !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let value = u32::from_str_radix(digits, base).ok()?;
    if bytes {
        out.push(u8::try_from(value).ok()?);
    } else {
        push_utf8(char::from_u32(value)?, out);
    }
    Some(&text[length..])
}

fn push_utf8(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
