//! Lexer of JSON path templates.

/// A lexer at a position in a template.
pub(super) struct JsonPathLexer<'t> {
    rest: &'t str,
}

impl<'t> JsonPathLexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn advance(&mut self) {
        let mut letters = self.rest.chars();
        letters.next();
        self.rest = letters.as_str();
    }

    pub(super) fn skip(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads up to a delimiter, or to the end if there is none.
    pub(super) fn until(&mut self, text: &str) -> &'t str {
        self.take(self.rest.find(text).unwrap_or(self.rest.len()))
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    pub(super) fn name(&mut self) -> String {
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        self.take(end).to_owned()
    }

    /// Reads a name in which a backslash escapes the next character.
    pub(super) fn escaped_name(&mut self) -> String {
        let mut letters = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' {
                letters.next();
            } else if is_end(letter) {
                end = at;
                break;
            }
        }
        self.take(end).to_owned()
    }

    pub(super) fn number(&mut self) -> &'t str {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let digits = self.rest[sign..].find(|letter: char| letter != '.' && !letter.is_numeric());
        self.take(digits.map_or(self.rest.len(), |digits| sign + digits))
    }

    /// Reads the content of a filter up to the closing `)]`.
    pub(super) fn filter(&mut self) -> Result<&'t str, String> {
        let (mut quote, mut is_closed, mut before) = (None, false, '\0');
        let mut end = None;
        for (at, letter) in self.rest.char_indices() {
            match (letter, quote) {
                ('\n', _) => break,
                ('"' | '\'', None) => quote = Some(letter),
                ('"' | '\'', Some(open)) => {
                    is_closed |= before != '\\' && letter == open;
                }
                (')', _) if quote.is_some() == is_closed => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
            before = letter;
        }
        let end = end.ok_or("unterminated filter")?;
        let text = self.take(end);
        if self.skip(")]") {
            Ok(text)
        } else {
            Err("unclosed array expect ]".to_owned())
        }
    }

    /// Reads a quoted string and removes its quotes.
    pub(super) fn quoted(&mut self) -> Result<String, String> {
        let mut letters = self.rest.char_indices();
        let quote = letters.next().map_or('"', |(_, quote)| quote);
        let mut before = quote;
        for (at, letter) in letters {
            match letter {
                '\n' => break,
                letter if letter == quote && before != '\\' => {
                    let text = self.take(at + 1);
                    let inner = &text[1..at];
                    let error = || format!("unquote string {text} error invalid syntax");
                    return unescaped(inner, quote).ok_or_else(error);
                }
                letter => before = letter,
            }
        }
        Err("unterminated quoted string".to_owned())
    }
}

fn is_end(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}'
    )
}

/// Resolves escapes as `strconv.UnquoteChar` does, except that octal escapes are not supported and
/// `\xff` is a character instead of a byte.
fn unescaped(text: &str, quote: char) -> Option<String> {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        out.push(match letters.next()? {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' => '\\',
            letter if letter == quote => letter,
            letter @ ('u' | 'U' | 'x') => {
                let digits = match letter {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code: String = letters.by_ref().take(digits).collect();
                let code = (code.len() == digits).then_some(code)?;
                char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(out)
}
