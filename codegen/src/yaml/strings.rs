//! Styles of strings: plain, quoted, or a literal block.

/// Writes a string: an indented `|` block if that preserves it, else one line.
pub(super) fn write_string(text: &str, indent: usize, out: &mut String) {
    if is_literal(text) {
        write_literal_block(text, indent, out);
    } else {
        write_line(text, out);
    }
}

/// True for a multi-line string that a `|` block preserves.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let plain = |c: char| c == '\n' || (!c.is_control() && c != '\u{feff}' && !is_break(c));
    text.contains('\n')
        && !body.is_empty()
        && !body.ends_with('\n')
        && !text.starts_with([' ', '\n'])
        && text.chars().all(plain)
        && body.lines().all(|line| !line.ends_with(' '))
}

/// True for a line break of YAML 1.1 that YAML 1.2 lacks.
fn is_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn write_indent(indent: usize, out: &mut String) {
    const SPACES: &str = "                                                                ";
    for start in (0..indent).step_by(SPACES.len()) {
        out.push_str(&SPACES[..SPACES.len().min(indent - start)]);
    }
}

fn write_literal_block(text: &str, indent: usize, out: &mut String) {
    let body = text.strip_suffix('\n');
    out.push_str(if body.is_some() { "|" } else { "|-" });
    for line in body.unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            write_indent(indent, out);
            out.push_str(line);
        }
    }
}

/// Writes a string on one line: plain if no parser can misread it, else quoted.
pub(super) fn write_line(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        write_quoted(text, out);
    }
}

fn is_plain(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let starts_well =
        first.is_ascii_alphabetic() || matches!(first, '/' | '_' | '.' | '^' | '$' | '(');
    starts_well
        && !text.ends_with([' ', ':'])
        && (is_printable_ascii(text.as_bytes()) || text.chars().all(is_safe))
        && !has_mark(text.as_bytes())
        && !is_ambiguous(text)
}

/// True if the text is printable ASCII. The loop has no early exit, so that the compiler can
/// vectorize it.
fn is_printable_ascii(text: &[u8]) -> bool {
    let fine = |all, byte: &u8| all & matches!(byte, b' '..=b'~');
    text.iter().fold(true, fine)
}

/// True if the text contains a colon that ends a key, or a hash that starts a comment.
fn has_mark(text: &[u8]) -> bool {
    let pairs = text.iter().zip(text.iter().skip(1));
    let mark = |any, (&byte, &next): (&u8, &u8)| {
        any | ((byte == b':') & (next == b' ')) | ((byte == b' ') & (next == b'#'))
    };
    pairs.fold(false, mark)
}

fn is_safe(c: char) -> bool {
    c == ' ' || (!c.is_control() && !is_break(c) && c != '\u{feff}' && !c.is_whitespace())
}

/// True for words that some parsers read as a boolean, a null or a number.
fn is_ambiguous(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    let word = text.strip_prefix('.').unwrap_or(text);
    // Some parsers read texts such as `.5` and `._1` as numbers.
    let dotted_number = text.starts_with(['.', '_'])
        && text[1..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) || dotted_number
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_break(c) || c == '\u{feff}' => {
                out.push_str(&escape_char(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn escape_char(c: char) -> String {
    let code = u32::from(c);
    if code <= 0xff {
        format!("\\x{code:02x}")
    } else {
        format!("\\u{code:04x}")
    }
}
