//! Source that is nested deeper than a parser has stack for.
//!
//! Parsing, resolving and dropping go as deep as the source does. A thread with a large stack takes what people and their tools write;
//! what is deeper than [`LIMIT`] is found before it is parsed.

use std::thread;

/// The deepest nesting of brackets, and the longest run of operators before one operand.
pub(crate) const LIMIT: usize = 500;

/// Enough for [`LIMIT`] in a build without optimizations. Only what is used becomes memory.
const STACK: usize = 256 << 20;

/// Runs `work` where there is stack enough.
pub(crate) fn with_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, &work);
        match spawned.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No memory for it: nearly every source does with less.
            Err(_) => work(),
        }
    })
}

/// Where `source` gets deeper than [`LIMIT`], as a byte.
///
/// Broken source may give any answer; the parser has more to say about it.
pub(crate) fn too_deep(source: &str) -> Option<usize> {
    let mut depth = Depth::default();
    let mut at = 0;
    while at < source.len() {
        let length = opaque(&source[at..]).unwrap_or_else(|| {
            let word = word(&source[at..]);
            depth.see(&source[at..at + word]);
            word
        });
        if depth.is_too_deep() {
            return Some(at);
        }
        at += length;
    }
    None
}

/// What is open at a place.
#[derive(Default)]
struct Depth {
    brackets: usize,
    /// Of generic arguments; a guess, as `<` compares, too.
    angles: usize,
    /// Operators in a row.
    operators: usize,
    last: u8,
}

impl Depth {
    fn see(&mut self, token: &str) {
        let first = token.as_bytes()[0];
        match first {
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            b'<' if is_word(self.last) || self.last == b':' => self.angles += 1,
            b'>' if !matches!(self.last, b'-' | b'=') => {
                self.angles = self.angles.saturating_sub(1);
            }
            _ => {}
        }
        match first {
            b'{' | b'}' | b';' => self.angles = 0,
            _ => {}
        }
        match first {
            b'&' | b'*' | b'!' | b'-' | b'|' => self.operators += 1,
            _ if matches!(token, "const" | "mut" | "dyn") || first.is_ascii_whitespace() => {}
            _ => self.operators = 0,
        }
        self.last = first;
    }

    fn is_too_deep(&self) -> bool {
        self.brackets > LIMIT || self.angles > LIMIT || self.operators > LIMIT
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The length of the word, or of the one character, that text starts with.
fn word(text: &str) -> usize {
    match text.bytes().position(|byte| !is_word(byte)) {
        Some(0) => 1,
        Some(length) => length,
        None => text.len(),
    }
}

/// The length of the comment or literal that text starts with: what is in it is not nested.
fn opaque(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'/' if text.starts_with("//") => Some(text.find('\n').unwrap_or(text.len())),
        b'/' if text.starts_with("/*") => Some(block_comment(bytes)),
        b'"' => Some(string(bytes)),
        b'r' => raw_string(text),
        b'\'' => character(text),
        _ => None,
    }
}

fn block_comment(text: &[u8]) -> usize {
    let mut open = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let (change, length) = match &text[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        open = open.saturating_add_signed(change);
        at += length;
        if open == 0 {
            break;
        }
    }
    at
}

fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// `r"…"`, `r#"…"#`, …
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let body = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(2 + hashes + length)
}

/// `'a'`, but not the lifetime `'a`.
fn character(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        let (escaped, _) = characters.next()?;
        let rest = &text[escaped + 1..];
        return rest.find('\'').map(|at| escaped + 1 + at + 1);
    }
    let (at, last) = characters.next()?;
    (last == '\'').then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, too_deep, with_stack};

    #[test]
    fn what_is_deep() {
        let deep = |open: &str, close: &str| {
            format!("{}{}", open.repeat(LIMIT + 1), close.repeat(LIMIT + 1))
        };
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("mod a {", "}"),
            ("Vec<", ">"),
            ("Map<u8, Vec<", ">>"),
            ("&", ""),
            ("*const ", ""),
            ("!", ""),
            ("|| ", ""),
        ] {
            assert!(too_deep(&deep(open, close)).is_some(), "{open}");
        }
    }

    #[test]
    fn what_only_looks_deep() {
        for text in [
            "// (((((\n",
            "/* ((( /* ((( */ ((( */",
            "\"((((\\\"\"",
            "r#\"(((\"(\"#",
            "'('",
            "'\\'' ",
            "'a ",
            "a < b;",
            "1 << 2,",
            "fn(A) -> B,",
            "A => -1,",
            "(a, -1), ",
            "Vec<u8>, ",
            "#[a(b = \"<<<<\")]",
            "&'a str, ",
            "ä '\u{1f600}' ",
        ] {
            assert_eq!(too_deep(&text.repeat(LIMIT + 1)), None, "{text}");
        }
    }

    #[test]
    fn there_is_stack_for_the_limit() {
        let types = format!("type A = {}u8{};", "Vec<".repeat(LIMIT), ">".repeat(LIMIT));
        assert_eq!(too_deep(&types), None);
        assert!(with_stack(|| syn::parse_file(&types).is_ok()));
    }
}
