//! Removal of `metadata.managedFields` from the JSON of an object, before it is parsed.

use std::ops::Range;

/// Copies `json`, without `metadata.managedFields`, to `rest`. Managed fields are often half of an
/// object, and the more expensive half to parse. Returns `false` if the field is absent, or cannot
/// be found without a full JSON parser. The caller then removes the field from the parsed object.
pub(super) fn without_managed_fields(json: &[u8], rest: &mut Vec<u8>) -> bool {
    let Some(fields) = managed_fields(json) else {
        return false;
    };
    let cut = with_comma(json, fields);
    rest.clear();
    rest.shrink_to(MAX_CAPACITY);
    rest.extend_from_slice(&json[..cut.start]);
    rest.extend_from_slice(&json[cut.end..]);
    true
}

fn managed_fields(json: &[u8]) -> Option<Range<usize>> {
    let metadata = member(json, skip_space(json, 0), b"\"metadata\"")?;
    let fields = member(json, metadata.value, b"\"managedFields\"")?;
    Some(fields.all)
}

/// Number of bytes of a string that are compared one by one before `memchr` is used.
const SHORT: usize = 24;
/// Maximum capacity of the buffer, in bytes, when it is reused for the next object.
const MAX_CAPACITY: usize = 1 << 20;

struct Member {
    /// From the first quote of the key to the end of the value.
    all: Range<usize>,
    value: usize,
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
fn with_comma(json: &[u8], member: Range<usize>) -> Range<usize> {
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
    for _ in 0..SHORT {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let mut rest = b"of another object".to_vec();
        let is_pruned = without_managed_fields(json.as_bytes(), &mut rest);
        let rest = String::from_utf8(rest).unwrap();
        assert_eq!(is_pruned.then_some(&*rest), expected, "{json}");
    }

    #[test]
    fn managed_fields_are_removed_at_any_position() {
        for (json, expected) in [
            (
                r#"{"metadata":{"name":"a","managedFields":[{"f:x":{}}]},"data":{}}"#,
                r#"{"metadata":{"name":"a"},"data":{}}"#,
            ),
            (
                r#"{"metadata":{"managedFields":[{"x":"]}\\\""}],"name":"a"}}"#,
                r#"{"metadata":{"name":"a"}}"#,
            ),
            (
                r#"{"data":{"metadata":{"managedFields":1}},"metadata":{"managedFields":null}}"#,
                r#"{"data":{"metadata":{"managedFields":1}},"metadata":{}}"#,
            ),
            (
                r#"{"metadata":{"a-key-longer-than-what-is-looked-at-byte-by-byte\"":"\\","managedFields":{}}}"#,
                r#"{"metadata":{"a-key-longer-than-what-is-looked-at-byte-by-byte\"":"\\"}}"#,
            ),
            (
                " { \"metadata\" : { \"a\" : 1 ,\n \"managedFields\" : [ ] } } ",
                " { \"metadata\" : { \"a\" : 1  } } ",
            ),
        ] {
            check(json, Some(expected));
        }
    }

    #[test]
    fn json_without_plain_managed_fields_is_unchanged() {
        for json in [
            "",
            "[]",
            "7",
            r#"{"metadata":[]}"#,
            r#"{"metadata":{"name":"a"}}"#,
            r#"{"metadata":{"name":"a"},"managedFields":[]}"#,
            r#"{"metadata":{"labels":{"managedFields":"a"}}}"#,
            r#"{"metadata":{"name":"\"managedFields\":[]"}}"#,
            r#"{"metadata":{"managed\u0046ields":[]}}"#,
            r#"{"metadata":{"managedFields":["#,
            r#"{"metadata":{"managedFields":"\"#,
            r#"{"metadata":{"managedFields""#,
            r#"{"metadata":}]}"#,
        ] {
            check(json, None);
        }
    }
}
