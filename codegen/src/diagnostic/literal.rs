//! Offsets in string literals: where a byte of the value is written.

/// Returns the offset in `literal`, a string literal with its quotes, of the byte `byte` of its
/// value, or of the closing quote if the value has `byte` bytes. `None` if it is shorter.
pub(super) fn offset_in_literal(literal: &str, byte: usize) -> Option<usize> {
    let hashes = literal.strip_prefix('r');
    let is_raw = hashes.is_some();
    let quoted = hashes.unwrap_or(literal).trim_matches('#');
    let content = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let start = literal.find('"')? + 1;
    let mut rest = content;
    let mut value = 0;
    loop {
        if !is_raw {
            rest = skip_continuations(rest);
        }
        if value >= byte {
            return Some(start + content.len() - rest.len());
        }
        let (written, valued) = character_lengths(rest, is_raw)?;
        rest = rest.get(written..)?;
        value += valued;
    }
}

/// Skips each `\` before a line end, with the whitespace after it. Spaces outside of ASCII belong
/// to the value ("String continuation escapes" in the reference of Rust).
fn skip_continuations(mut content: &str) -> &str {
    while let Some(line_end) = content.strip_prefix('\\')
        && line_end.starts_with(['\n', '\r'])
    {
        content = line_end.trim_start_matches([' ', '\t', '\n', '\r']);
    }
    content
}

/// Lengths of the first character of a literal's content: as written, and in the value.
fn character_lengths(content: &str, is_raw: bool) -> Option<(usize, usize)> {
    let first = content.chars().next()?;
    if first == '\r' {
        return Some((2, 1));
    }
    if is_raw || first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    Some(match content.chars().nth(1)? {
        'x' => (4, 1),
        'u' => {
            let (digits, _) = content.strip_prefix("\\u{")?.split_once('}')?;
            let code = u32::from_str_radix(&digits.replace('_', ""), 16).ok()?;
            (
                "\\u{}".len() + digits.len(),
                char::from_u32(code)?.len_utf8(),
            )
        }
        _ => (2, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::offset_in_literal;

    /// Every character of a value is found where it is written.
    #[test]
    fn offsets_follow_escapes() {
        for (literal, written) in [
            (r#""abc""#, ["a", "b", "c"]),
            (r##"r#"a"c"#"##, ["a", "\"", "c"]),
            (r#""\"\\b""#, [r#"\""#, r"\\", "b"]),
            (r#""\n\x41\u{e9}""#, [r"\n", r"\x41", r"\u{e9}"]),
            (r#""é\u{1F_600}x""#, ["é", r"\u{1F_600}", "x"]),
            ("\"a\\\n    b\\\r\n c\"", ["a", "b", "c"]),
            ("\"a\r\nb\"", ["a", "\r\n", "b"]),
            ("\"a\\\n \\\n\\\r\n b c\"", ["a", "b", " "]),
            ("\"a\\\n \u{a0}b\"", ["a", "\u{a0}", "b"]),
        ] {
            let value = syn::parse_str::<syn::LitStr>(literal).unwrap().value();
            let starts = value.char_indices().map(|(start, _)| start);
            for (start, written) in starts.zip(written) {
                let at = offset_in_literal(literal, start).unwrap();
                assert!(
                    literal[at..].starts_with(written),
                    "{literal}: {written} at {at}"
                );
            }
            let end = offset_in_literal(literal, value.len()).unwrap();
            assert_eq!(literal[end..].trim_end_matches('#'), "\"", "{literal}");
            assert_eq!(offset_in_literal(literal, value.len() + 1), None);
        }
    }
}
