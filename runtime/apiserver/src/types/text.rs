//! Strings as Go's `%q` writes them.

/// The string in double quotes, with Go's escapes (`strconv.Quote`).
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            character if is_printable(character) => out.push(character),
            '\u{10000}'.. => out.push_str(&format!("\\U{:08x}", u32::from(character))),
            character => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    out.push('"');
    out
}

/// Close to Go's `unicode.IsPrint`: no controls, and no blanks but the ASCII one.
fn is_printable(character: char) -> bool {
    let blank = character.is_whitespace() || character.is_control();
    let invisible = matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}');
    character == ' ' || !(blank || invisible)
}
