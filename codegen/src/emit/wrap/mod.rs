//! Wrapping of long lines as in rustfmt.
//!
//! Templates have each statement on one line. Names from the API types can make a statement longer
//! than a line. So every form of statement that contains such a name is wrapped here. Comments are
//! wrapped too, although rustfmt would leave them long.

mod declarations;
mod layout;
mod statements;

use declarations::{has_wide_tuple, wrap_attribute, wrap_field, wrap_items, wrap_variant};
use layout::{CALL_WIDTH, CHAIN_WIDTH, find_parentheses, fits, wrap_arguments};
use statements::{
    is_literal_field, wrap_binding, wrap_calls_on_field, wrap_literal_field, wrap_matches,
};

pub(super) use layout::WIDTH;
pub(super) use statements::is_ambiguous_pattern;

/// Maximum width of `) -> C {` with its indentation; beyond it, the brace moves to the next line.
const RETURN_WIDTH: usize = WIDTH - 4;

/// Wraps the text as rustfmt does.
pub(super) fn wrap(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        match wrap_line(line) {
            Some(lines) => out.push_str(&lines),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The last expression of a top-level function, wrapped: a chain of calls on `root`.
pub(super) fn wrap_calls(root: &str, calls: &[String]) -> String {
    let line = format!("{root}{}", calls.concat());
    let is_short = match calls {
        [_] => fits("    ", &line),
        _ => line.len() <= CHAIN_WIDTH,
    };
    if is_short {
        line
    } else {
        format!("{root}\n    {}", calls.join("\n    "))
    }
}

/// The lines of a statement that rustfmt wraps; `None` if the line stays as it is.
fn wrap_line(line: &str) -> Option<String> {
    if line.len() <= CHAIN_WIDTH {
        return None;
    }
    let text = line.trim_start();
    let pad = &line[..line.len() - text.len()];
    if text.starts_with("//") {
        return wrap_comment(pad, text);
    }
    if text.starts_with("self.client.") {
        return wrap_chain(pad, text);
    }
    if text.starts_with("if ") {
        return wrap_condition(pad, text);
    }
    // Attributes of generated code that list names of any width.
    if text.starts_with("#[serde(") || text.starts_with("#![allow(") {
        return wrap_attribute(pad, text);
    }
    if text.starts_with("self.") && !text.contains(" = ") {
        return wrap_calls_on_field(pad, text);
    }
    if text.starts_with("let entries = self.") {
        return wrap_binding(pad, text);
    }
    if text.starts_with("matches!(") {
        return wrap_matches(pad, text);
    }
    if is_literal_field(text) {
        return wrap_literal_field(pad, text);
    }
    if is_function(text) {
        return wrap_signature(pad, text);
    }
    if fits(pad, text) {
        None
    } else if ["let ", "self.", "pub type "]
        .iter()
        .any(|start| text.starts_with(start))
    {
        wrap_assignment(pad, text)
    } else if text.starts_with("pub ") && text.ends_with(',') {
        wrap_field(pad, text)
    } else if text.starts_with("impl") {
        wrap_impl(pad, text).or_else(|| wrap_inherent_impl(pad, text))
    } else if text.ends_with(" {") {
        wrap_brace(pad, text)
    } else {
        wrap_arm(pad, text)
            .or_else(|| wrap_variant(pad, text))
            .or_else(|| wrap_call(pad, text))
    }
}

/// Breaks a comment at spaces.
fn wrap_comment(pad: &str, text: &str) -> Option<String> {
    let (mark, mut rest) = text.split_once(' ').filter(|_| !fits(pad, text))?;
    let room = WIDTH - pad.len() - mark.len() - 1;
    let mut lines = Vec::new();
    while let Some((end, last)) = rest.char_indices().nth(room) {
        let space = rest[..end + last.len_utf8()]
            .rfind(' ')
            .or_else(|| rest.find(' '));
        let Some(space) = space else { break };
        lines.push(format!("{pad}{mark} {}", &rest[..space]));
        rest = rest[space..].trim_start();
    }
    lines.push(format!("{pad}{mark} {rest}"));
    Some(lines.join("\n"))
}

fn is_function(text: &str) -> bool {
    let head = text.split('(').next().unwrap_or_default();
    head.starts_with("fn ") || head.starts_with("pub") && head.contains("fn ")
}

/// Wraps `fn name(a: A, b: B) -> C {`.
fn wrap_signature(pad: &str, text: &str) -> Option<String> {
    let (open, close) = find_parentheses(text)?;
    if fits(pad, text) && !has_wide_tuple(&text[open + 1..close]) {
        return None;
    }
    let head = format!("{pad}{}\n", &text[..=open]);
    let arguments = wrap_items(pad, &text[open + 1..close]);
    let tail = &text[close..];
    let (tail, brace) = if pad.len() + tail.len() <= RETURN_WIDTH {
        (tail, String::new())
    } else {
        (tail.trim_end_matches(" {"), format!("\n{pad}{{"))
    };
    Some(format!("{head}{arguments}{pad}{tail}{brace}"))
}

/// Wraps `impl Trait for Type {` or `impl Trait for Type {}`.
fn wrap_impl(pad: &str, text: &str) -> Option<String> {
    let (left, right) = text.split_once(" for ")?;
    let (right, body) = match right.strip_suffix(" {}") {
        Some(right) => (right, format!("{{\n{pad}}}")),
        None => (right.trim_end_matches(" {"), "{".to_owned()),
    };
    Some(format!("{pad}{left}\n{pad}    for {right}\n{pad}{body}"))
}

/// Wraps `impl Type {`, if the type fits on the next line.
fn wrap_inherent_impl(pad: &str, text: &str) -> Option<String> {
    let name = text.strip_prefix("impl ")?.strip_suffix(" {")?;
    fits(pad, &format!("    {name}")).then(|| format!("{pad}impl\n{pad}    {name}\n{pad}{{"))
}

/// Moves the brace after `pub struct Name` to the next line.
fn wrap_brace(pad: &str, text: &str) -> Option<String> {
    let head = text.strip_suffix(" {")?;
    Some(format!("{pad}{head}\n{pad}{{"))
}

/// Wraps `if a == b {` or `if let a = self.factory.call() {`.
fn wrap_condition(pad: &str, text: &str) -> Option<String> {
    let inner = text.trim_end_matches('{').trim_end();
    if let Some((left, chain)) = inner.split_once(" = self.factory.") {
        let wide = "self.factory.".len() + chain.len() > CHAIN_WIDTH || !fits(pad, text);
        return wide.then(|| wrap_factory_chain(pad, left, chain));
    }
    let (left, right) = inner.split_once(" == ").filter(|_| !fits(pad, text))?;
    if fits(pad, inner) {
        return Some(format!("{pad}{inner}\n{pad}{{"));
    }
    let right = match (
        pad.len() + "    == ".len() + right.len(),
        right.split_once("::<"),
    ) {
        (..=WIDTH, _) | (_, None) => right.to_owned(),
        // If the line without its `)` is at most three columns too wide, rustfmt moves only the `)`
        // to the next line. Otherwise the type gets a line of its own.
        (101..=104, Some(_)) => format!("{}\n{pad}    )", right.trim_end_matches(')')),
        (_, Some((path, kind))) => {
            let kind = kind.trim_end_matches(">()");
            format!("{path}::<\n{pad}        {kind},\n{pad}    >()")
        }
    };
    Some(format!("{pad}{left}\n{pad}    == {right}\n{pad}{{"))
}

/// Wraps an `if let A = self.factory.call::<B>(c) {` that is too long for one line.
fn wrap_factory_chain(pad: &str, left: &str, call: &str) -> String {
    let head = format!("{pad}{left} =");
    match pad.len() + "    .".len() + call.len() {
        ..=94 => format!("{head} self\n{pad}    .factory\n{pad}    .{call}\n{pad}{{"),
        // rustfmt does not use the layout above for a call of this width. It leaves `self.factory`
        // on one line and indents the call below it by four more columns, up to column 100.
        95..=96 => {
            format!("{head}\n{pad}    self.factory\n{pad}        .{call}\n{pad}{{")
        }
        _ => {
            let (path, argument) = call.split_once('(').unwrap_or((call, ")"));
            let argument = argument.trim_end_matches(')');
            format!(
                "{head} self\n{pad}    .factory\n{pad}    .{path}(\n{pad}    {argument},\n{pad}) {{"
            )
        }
    }
}

/// Wraps `let object: A = value;`, `self.field = value;` or `pub type A = B;`.
fn wrap_assignment(pad: &str, text: &str) -> Option<String> {
    let (left, right) = text.split_once(" = ")?;
    Some(format!("{pad}{left} =\n{pad}    {right}"))
}

/// Wraps `self.client.verb(…).await`.
fn wrap_chain(pad: &str, text: &str) -> Option<String> {
    let inner = text.strip_prefix("self.client")?.strip_suffix(".await")?;
    let (open, close) = find_parentheses(inner).filter(|_| text.len() > CHAIN_WIDTH)?;
    let deeper = format!("{pad}    ");
    let wide = close - open - 1 > CALL_WIDTH;
    let verb = wide
        .then(|| wrap_call(&deeper, inner))
        .flatten()
        .unwrap_or_else(|| format!("{deeper}{inner}"));
    Some(format!("{pad}self.client\n{verb}\n{deeper}.await"))
}

/// Wraps `Self::Variant(object) => &object.metadata,`.
fn wrap_arm(pad: &str, text: &str) -> Option<String> {
    let (pattern, value) = text.strip_suffix(',')?.split_once(" => ")?;
    Some(format!("{pad}{pattern} => {{\n{pad}    {value}\n{pad}}}"))
}

/// Wraps `path(a, b)`, with one argument per line, or `path(new(a))` after the inner parenthesis.
fn wrap_call(pad: &str, text: &str) -> Option<String> {
    let (open, close) = find_parentheses(text)?;
    let (head, tail) = (&text[..=open], &text[close..]);
    let inner = &text[open + 1..close];
    if let Some((inner_open, inner_close)) = find_parentheses(inner)
        && inner_close + 1 == inner.len()
        && fits(pad, &text[..open + inner_open + 2])
    {
        let head = &text[..open + inner_open + 2];
        let arguments = wrap_arguments(pad, &inner[inner_open + 1..inner_close]);
        return Some(format!("{pad}{head}\n{arguments}{pad}){tail}"));
    }
    let arguments = wrap_arguments(pad, inner);
    matches!(tail, ")" | "),").then(|| format!("{pad}{head}\n{arguments}{pad}{tail}"))
}
