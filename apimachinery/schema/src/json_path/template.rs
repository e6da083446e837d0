//! Parser of JSON path templates in the syntax of `k8s.io/client-go/util/jsonpath`:
//! `{.spec.ports[0]}`.

use super::lexer::JsonPathLexer;

/// One step of a path, or another part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplateNode {
    Text(String),
    Field(String),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Vec<Vec<TemplateNode>>),
    Filter(Box<Filter>),
    Integer(i64),
    Float(f64),
    Bool(bool),
    Identifier(String),
    List(Vec<TemplateNode>),
}

/// Slice of a list: `[0]`, `[1:3]`, `[-1:]`, `[::2]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    /// True for a single index such as `[2]`, whose `end` is `start` plus 1. For `[-1]`, `end` is
    /// therefore 0, which then means the end of the list.
    pub(super) is_index: bool,
    pub(super) step: Option<i64>,
}

/// Filter `?(@.a == 1)`. A filter without an operator tests whether the left side exists.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filter {
    pub(super) left: Vec<TemplateNode>,
    pub(super) compared: Option<(String, Vec<TemplateNode>)>,
}

/// Maximum nesting depth of filters and unions.
const DEPTH: usize = 16;

pub(super) fn parse(text: &str) -> Result<Vec<TemplateNode>, String> {
    template(text, DEPTH)
}

fn template(text: &str, depth: usize) -> Result<Vec<TemplateNode>, String> {
    let depth = depth.checked_sub(1).ok_or("too deep")?;
    let mut lexer = JsonPathLexer::new(text);
    let mut nodes = Vec::new();
    loop {
        let before = lexer.until("{");
        if !before.is_empty() {
            nodes.push(TemplateNode::Text(before.to_owned()));
        }
        if !lexer.skip("{") {
            return Ok(nodes);
        }
        nodes.push(TemplateNode::List(action(&mut lexer, depth)?));
    }
}

/// Parses the text as the content of braces.
fn braced(text: &str, depth: usize) -> Result<Vec<TemplateNode>, String> {
    match template(&format!("{{{text}}}"), depth)?.into_iter().next() {
        Some(TemplateNode::List(nodes)) => Ok(nodes),
        _ => Ok(Vec::new()),
    }
}

fn action(lexer: &mut JsonPathLexer<'_>, depth: usize) -> Result<Vec<TemplateNode>, String> {
    let mut nodes = Vec::new();
    loop {
        if lexer.skip("}") {
            return Ok(nodes);
        }
        if lexer.skip("[?(") {
            nodes.push(filter(lexer, depth)?);
            continue;
        }
        if lexer.skip("..") {
            if nodes.last() == Some(&TemplateNode::Recursive) {
                return Err("invalid multiple recursive descent".to_owned());
            }
            nodes.push(TemplateNode::Recursive);
            if lexer.peek().is_some_and(is_of_name) {
                nodes.push(field(lexer));
            }
            continue;
        }
        match lexer.peek() {
            None | Some('\r' | '\n') => return Err("unclosed action".to_owned()),
            Some(' ' | '@' | '$') => lexer.advance(),
            Some('[') => {
                lexer.advance();
                brackets(lexer, depth, &mut nodes)?;
            }
            Some('"' | '\'') => nodes.push(TemplateNode::Text(lexer.quoted()?)),
            Some('.') => {
                lexer.advance();
                nodes.push(field(lexer));
            }
            Some(letter) if matches!(letter, '+' | '-') || letter.is_numeric() => {
                nodes.push(number(lexer)?);
            }
            Some(letter) if is_of_name(letter) => {
                nodes.push(match lexer.name().as_str() {
                    "true" => TemplateNode::Bool(true),
                    "false" => TemplateNode::Bool(false),
                    name => TemplateNode::Identifier(name.to_owned()),
                });
            }
            Some(letter) => {
                let code = u32::from(letter);
                return Err(format!(
                    "unrecognized character in action: U+{code:04X} '{letter}'"
                ));
            }
        }
    }
}

fn is_of_name(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

fn field(lexer: &mut JsonPathLexer<'_>) -> TemplateNode {
    match lexer.escaped_name().as_str() {
        "*" => TemplateNode::Wildcard,
        name => TemplateNode::Field(name.replace('\\', "")),
    }
}

fn number(lexer: &mut JsonPathLexer<'_>) -> Result<TemplateNode, String> {
    let text = lexer.number();
    let integer = text.strip_prefix('+').unwrap_or(text).parse().ok();
    let node = integer
        .map(TemplateNode::Integer)
        .or_else(|| text.parse().ok().map(TemplateNode::Float));
    node.ok_or_else(|| format!("cannot parse number {text}"))
}

fn brackets(
    lexer: &mut JsonPathLexer<'_>,
    depth: usize,
    nodes: &mut Vec<TemplateNode>,
) -> Result<(), String> {
    let text = lexer.until("]");
    if text.contains('\n') || !lexer.skip("]") {
        return Err("unterminated array".to_owned());
    }
    let text = if text == "*" { ":" } else { text };
    if text.contains(',') {
        let parts = text
            .split(',')
            .map(|part| part.trim_matches(' '))
            .map(|part| braced(&format!("[{part}]"), depth));
        nodes.push(TemplateNode::Union(parts.collect::<Result<_, _>>()?));
        return Ok(());
    }
    let key = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    if let Some(key) = key.filter(|key| !key.contains('\'')) {
        nodes.extend(braced(&format!(".{key}"), depth)?);
        return Ok(());
    }
    nodes.push(TemplateNode::Slice(slice(text)?));
    Ok(())
}

fn slice(text: &str) -> Result<Slice, String> {
    let parts: Vec<_> = text.split(':').collect();
    let is_number = |part: &&str| {
        let digits = part.strip_prefix('-').unwrap_or(part);
        digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(format!("invalid array index {text}"));
    }
    let number = |at: usize| match parts.get(at) {
        None | Some(&"") => Ok(None),
        Some(part) => part
            .parse::<i64>()
            .map(Some)
            .map_err(|_| format!("array index {part} is not a number")),
    };
    let (start, is_index) = (number(0)?, parts.len() == 1);
    let end = if is_index {
        Some(start.unwrap_or_default().saturating_add(1))
    } else {
        number(1)?
    };
    let step = number(2)?;
    Ok(Slice {
        start,
        end,
        is_index,
        step,
    })
}

fn filter(lexer: &mut JsonPathLexer<'_>, depth: usize) -> Result<TemplateNode, String> {
    let text = lexer.filter()?;
    let is_operator = |letter: char| "!<>=".contains(letter);
    let start = text.find(is_operator).filter(|start| *start > 0);
    let rest = start.map_or("", |start| &text[start..]);
    let operator = rest.find(|letter| !is_operator(letter));
    // client-go matches `^([^!<>=]+)([!<>=]+)(.+?)$`, so the right side takes at least one
    // character. In `@.a==`, it is the second `=`. `@.a=` does not match: it has no operator.
    let operator = operator.unwrap_or(rest.len().saturating_sub(1));
    let Some(start) = start.filter(|_| operator > 0) else {
        let left = braced(text, depth)?;
        let compared = None;
        return Ok(TemplateNode::Filter(Box::new(Filter { left, compared })));
    };
    let left = braced(&text[..start], depth)?;
    let right = braced(&rest[operator..], depth)?;
    let compared = Some((rest[..operator].to_owned(), right));
    Ok(TemplateNode::Filter(Box::new(Filter { left, compared })))
}
