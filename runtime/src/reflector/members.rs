//! Members of JSON objects, found without a parser.

use std::ops::Range;

/// Number of bytes of a string that are compared one by one before `memchr` is used.
const SHORT_STRING: usize = 24;

/// Member of a JSON object, as offsets in its text.
struct Member {
    /// From the first quote of the key to the end of the value.
    all: Range<usize>,
    value: usize,
}

/// Returns where the managed fields of an object are, with their key.
pub(super) fn managed_fields(json: &[u8]) -> Option<Range<usize>> {
    let fields = member(json, metadata_offset(json)?, b"\"managedFields\"")?;
    Some(fields.all)
}

/// Returns where the metadata of an object begins.
pub(super) fn metadata_offset(json: &[u8]) -> Option<usize> {
    let metadata = member(json, skip_space(json, 0), b"\"metadata\"")?;
    Some(metadata.value)
}

/// Finds the member `key` of the JSON object at offset `at`. `key` includes the quotes.
fn member(json: &[u8], at: usize, key: &[u8]) -> Option<Member> {
    let mut at = skip_byte(json, at, b'{')?;
    loop {
        let start = skip_space(json, at);
        let colon = skip_space(json, end_of_string(json, start)?);
        let value = skip_space(json, skip_byte(json, colon, b':')?);
        let end = end_of_value(json, value)?;
        if json[start..].starts_with(key) {
            let all = start..end;
            return Some(Member { all, value });
        }
        at = skip_byte(json, skip_space(json, end), b',')?;
    }
}

/// Extends the range of a member by the comma after it. The last member is extended by the comma
/// before it.
pub(super) fn with_comma(json: &[u8], member: Range<usize>) -> Range<usize> {
    if let Some(end) = skip_byte(json, skip_space(json, member.end), b',') {
        return member.start..end;
    }
    let before = json[..member.start].trim_ascii_end();
    let start = before.strip_suffix(b",").unwrap_or(before).len();
    start..member.end
}

fn skip_space(json: &[u8], mut at: usize) -> usize {
    while json.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn skip_byte(json: &[u8], at: usize, byte: u8) -> Option<usize> {
    (json.get(at) == Some(&byte)).then_some(at + 1)
}

/// Returns the end of the string that opens at offset `at`.
fn end_of_string(json: &[u8], at: usize) -> Option<usize> {
    let mut at = skip_byte(json, at, b'"')?;
    // Most of these strings are keys of a few bytes, for which a loop is faster than `memchr`.
    for _ in 0..SHORT_STRING {
        match *json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn end_of_value(json: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        at = match *json.get(at)? {
            b'"' => end_of_string(json, at)?,
            b'{' | b'[' => {
                depth += 1;
                at + 1
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            _ => at + 1,
        };
        let is_end = matches!(json.get(at), Some(b',' | b'}' | b']') | None);
        if depth == 0 && (is_end || json[at].is_ascii_whitespace()) {
            return Some(at);
        }
    }
}
