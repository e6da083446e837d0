//! Resolution of field paths in a schema (`cel.ValidFieldPath`).

use super::json_schema_props::Props;

/// Permitted notation of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// `.a.b`
    Dots,
    /// `.a.b` or `.a['b']`
    Brackets,
}

pub(super) struct FoundField<'s> {
    /// The path in the API server's notation: `a.b[key]`.
    pub(super) path: String,
    /// The first field name in the path.
    pub(super) root: String,
    pub(super) schema: Props<'s>,
}

const NO_FIELD: &str = "does not refer to a valid field";
const END: &str = "unexpected end of JSON path";

pub(super) fn find<'s>(
    path: &str,
    schema: Props<'s>,
    notation: Notation,
) -> Result<FoundField<'s>, String> {
    let mut found = FoundField {
        path: String::new(),
        root: String::new(),
        schema,
    };
    let mut tokens = Tokens { rest: path };
    while let Some(token) = tokens.next() {
        match token {
            "[" if notation == Notation::Dots => {
                return Err("array notation is not allowed".to_owned());
            }
            "[" => {
                let quoted = tokens.next().ok_or(END)?;
                let name = quoted
                    .strip_prefix('\'')
                    .and_then(|it| it.strip_suffix('\''));
                let expected = || format!("expected single quoted string but got {quoted}");
                let name = name.ok_or_else(expected)?;
                found.step(&name.replace("\\'", "'").replace("\\\\", "\\"))?;
                match tokens.next() {
                    Some("]") => {}
                    Some(token) => return Err(format!("expected ] but got {token}")),
                    None => return Err(END.to_owned()),
                }
            }
            "." => found.step(tokens.next().ok_or(END)?)?,
            token => return Err(format!("expected [ or . but got: {token}")),
        }
    }
    Ok(found)
}

impl FoundField<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let is_object = self.schema.properties().next().is_some();
        let next = if is_object {
            self.schema.property(name)
        } else {
            self.schema.values_schema()
        };
        self.schema = next.ok_or(NO_FIELD)?;
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
        match is_object {
            true if self.path.is_empty() => self.path.push_str(name),
            true => self.path.push_str(&format!(".{name}")),
            false => self.path.push_str(&format!("[{name}]")),
        }
        Ok(())
    }
}

/// Tokens of a path: dots, brackets, names and quoted strings.
struct Tokens<'p> {
    rest: &'p str,
}

impl<'p> Iterator for Tokens<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let end = match self.rest.chars().next()? {
            '.' | '[' | ']' => 1,
            '\'' => {
                let mut before = '\'';
                let mut letters = self.rest.char_indices().skip(1);
                let end = letters.find(|(_, letter)| {
                    let is_end = *letter == '\'' && before != '\\';
                    before = *letter;
                    is_end
                });
                end.map_or(self.rest.len(), |(at, _)| at + 1)
            }
            _ => self.rest.find(['.', '[', ']']).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(token)
    }
}
