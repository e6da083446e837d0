//! Limit on the nesting of source, so that recursion does not overflow the stack.
//!
//! The functions that parse, resolve or drop a syntax tree recurse as deeply as the source is
//! nested. A large stack is enough for the source that people and their tools write. Source nested
//! deeper than [`NESTING_LIMIT`] is rejected before parsing. The check counts tokens and misses two
//! forms: closures in closures (`|a| |b| …`), and generic arguments with a space before `<`.

use std::thread;

use proc_macro2::{Delimiter, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::inputs;

/// The maximum nesting of brackets and of generic arguments. It is also the maximum number of
/// operators before an operand, and of arrows and assignments in a row.
pub(crate) const NESTING_LIMIT: usize = 500;

/// Stack size in bytes, sufficient for [`NESTING_LIMIT`] in an unoptimized build. Untouched pages
/// use no memory.
const STACK_SIZE: usize = 256 << 20;

/// Runs `work` on a thread with a stack of [`STACK_SIZE`] bytes.
pub(crate) fn with_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    let observed = inputs::observed_elsewhere(work);
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .stack_size(STACK_SIZE)
            .spawn_scoped(scope, &observed);
        match spawned.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // The thread could not be created. The stack of the current thread is enough for nearly
            // all source.
            Err(_) => observed(),
        }
    })
}

/// The position at which tokens exceed [`NESTING_LIMIT`]; `None` if they stay within it.
///
/// The check itself needs no deep stack: proc-macro2 parses and drops tokens without recursion.
pub(crate) fn find_excessive_nesting(tokens: TokenStream) -> Option<Span> {
    let mut depth = Depth::default();
    let mut open = vec![tokens.into_iter()];
    while let Some(tokens) = open.last_mut() {
        let Some(token) = tokens.next() else {
            open.pop();
            depth.leave();
            continue;
        };
        depth.see(&token);
        if depth.is_too_deep() || open.len() > NESTING_LIMIT {
            return Some(match token {
                TokenTree::Group(group) => group.span_open(),
                token => token.span(),
            });
        }
        if let TokenTree::Group(group) = token {
            open.push(group.stream().into_iter());
        }
    }
    None
}

/// Nesting at the current token, without brackets.
#[derive(Default)]
struct Depth {
    /// The depth of generic arguments: an estimate, since `<` is also a comparison.
    angles: usize,
    /// The number of consecutive operators.
    operators: usize,
    /// The number of arrows and assignments in a row, as in `a = b = c`. The parser nests each in
    /// the right side of the previous one. Any of `,`, `;`, `#` and `{` ends the row.
    chain: usize,
    last: Last,
    /// The span of the previous token.
    before: Option<Span>,
}

/// The previous token.
#[derive(Clone, Copy, Default, PartialEq)]
enum Last {
    /// A name or a literal.
    Word,
    Sign(char),
    #[default]
    Bracket,
}

impl Depth {
    fn see(&mut self, token: &TokenTree) {
        self.last = match token {
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Brace {
                    self.end();
                }
                self.operators = 0;
                Last::Bracket
            }
            TokenTree::Punct(sign) => {
                self.sign(sign);
                Last::Sign(sign.as_char())
            }
            TokenTree::Ident(name) => {
                self.word(name);
                Last::Word
            }
            TokenTree::Literal(_) => {
                self.operators = 0;
                Last::Word
            }
        };
        self.before = Some(token.span());
    }

    fn word(&mut self, name: &Ident) {
        let is = |words: &[&str]| words.iter().any(|word| name == word);
        if is(&["return", "break"]) {
            self.operators += 1;
        } else if !is(&["const", "mut", "dyn"]) && self.last != Last::Sign('\'') {
            self.operators = 0;
        }
    }

    fn sign(&mut self, sign: &Punct) {
        let is_alone = sign.spacing() == Spacing::Alone;
        let place = sign.span();
        let sign = sign.as_char();
        match sign {
            '<' if matches!(self.last, Last::Word | Last::Sign(':')) && self.touches(place) => {
                self.angles += 1;
            }
            // The arrow of a function or a function type.
            '>' if self.last == Last::Sign('-') => self.chain += 1,
            '>' if self.last != Last::Sign('=') => self.angles = self.angles.saturating_sub(1),
            // Assignments, but not comparisons.
            '=' if is_alone && !matches!(self.last, Last::Sign('=' | '!' | '<' | '>')) => {
                self.chain += 1;
            }
            ';' => self.end(),
            ',' | '#' => self.chain = 0,
            _ => {}
        }
        match sign {
            '&' | '*' | '!' | '-' | '|' => self.operators += 1,
            // A lifetime does not end a run of operators in a type.
            '\'' => {}
            _ => self.operators = 0,
        }
    }

    /// True if there is no whitespace between the previous token and this one.
    fn touches(&self, place: Span) -> bool {
        let before = self.before.map(|before| before.byte_range().end);
        before == Some(place.byte_range().start)
    }

    /// Resets the counts that do not continue beyond a statement or an item.
    fn end(&mut self) {
        self.angles = 0;
        self.chain = 0;
    }

    /// Records a closing bracket.
    fn leave(&mut self) {
        self.last = Last::Bracket;
    }

    fn is_too_deep(&self) -> bool {
        self.angles > NESTING_LIMIT || self.operators > NESTING_LIMIT || self.chain > NESTING_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::{NESTING_LIMIT, find_excessive_nesting, with_stack};

    #[test]
    fn excessive_nesting_is_detected() {
        let deep = |open: &str, close: &str| {
            format!(
                "{}{}",
                open.repeat(NESTING_LIMIT + 1),
                close.repeat(NESTING_LIMIT + 1)
            )
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
            ("&'static ", ""),
            ("&'a mut ", ""),
            ("fn() -> ", ""),
            ("return ", ""),
            ("a = ", ""),
            ("a += ", ""),
        ] {
            let tokens = deep(open, close).parse().unwrap();
            assert!(find_excessive_nesting(tokens).is_some(), "{open}");
        }
    }

    #[test]
    fn brackets_that_do_not_nest_are_ignored() {
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
            "fn a() -> &'a str {}",
            "fn a() -> u8;",
            "a = 1;",
            "a = 1,",
            "a == 1 && a <= b ||",
            "|a| -> u8 { a }",
            "return 1;",
            "A = 1 => return,",
            "ä '\u{1f600}' ",
        ] {
            let tokens = format!("{text} ")
                .repeat(NESTING_LIMIT + 1)
                .parse()
                .unwrap();
            assert!(find_excessive_nesting(tokens).is_none(), "{text}");
        }
    }

    #[test]
    fn stack_suffices_for_the_nesting_limit() {
        let types = format!(
            "type A = {}u8{};",
            "Vec<".repeat(NESTING_LIMIT),
            ">".repeat(NESTING_LIMIT)
        );
        assert!(find_excessive_nesting(types.parse().unwrap()).is_none());
        assert!(with_stack(|| syn::parse_file(&types).is_ok()));
    }
}
