//! Breaks and joins lines where rustfmt's widths are not `prettyplease`'s.
//!
//! Each sort of statement that the templates have with a name of the user's in it is joined into one line, and broken again as
//! rustfmt breaks it.

use super::layout::WIDTH;
use super::uses::list;

/// rustfmt's width of a chain of calls on one line.
const CHAIN_WIDTH: usize = 60;

/// rustfmt's width of the arguments of a call on one line.
const CALL_WIDTH: usize = 60;

/// How far the line of a return type may reach before its brace goes to the next.
const RETURN_WIDTH: usize = WIDTH - 4;

/// The text as rustfmt writes it.
pub(super) fn rewrap(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let (text, used) = statement(&lines[at..]).unwrap_or_else(|| (lines[at].to_owned(), 1));
        out.push_str(&text);
        out.push('\n');
        at += used;
    }
    out
}

/// The statement that starts on the first line, and how many lines it took.
fn statement(lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?.trim_start();
    let pad = &lines[0][..lines[0].len() - first.len()];
    if first.starts_with("//") {
        return None;
    }
    if first.starts_with("#[cfg(") {
        return Some((lines[0].replace(")] #[", &format!(")]\n{pad}#[")), 1));
    }
    let function = first.split('(').next().is_some_and(|head| {
        head.starts_with("fn ") || head.starts_with("pub") && head.contains("fn ")
    });
    let (end, format): (_, fn(&str, &str) -> String) = if function {
        ("{", signature)
    } else if first.starts_with("impl") {
        ("{", implementation)
    } else if first.starts_with("if ") {
        ("{", condition)
    } else if first.starts_with("pub use ") {
        (";", import)
    } else if first.starts_with("return ") {
        (";", return_)
    } else if first.starts_with("self.client") {
        (".await", chain)
    } else {
        return arm(lines, pad)
            .or_else(|| literal(lines))
            .or_else(|| call(lines, pad));
    };
    let end = lines.iter().position(|line| line.ends_with(end))?;
    Some((format(pad, &join(&lines[..=end])), end + 1))
}

/// Several lines as one.
fn join(lines: &[&str]) -> String {
    let mut out = String::new();
    for line in lines.iter().map(|line| line.trim()) {
        if line.starts_with([')', '>']) && out.ends_with(',') {
            out.pop();
        }
        let tight = out.is_empty()
            || out.ends_with(['(', '<'])
            || line.starts_with([')', '>', '.'])
            || line.starts_with("::");
        if !tight {
            out.push(' ');
        }
        out.push_str(line);
    }
    out.replace(",>", ">")
}

fn fits(pad: &str, text: &str) -> bool {
    pad.len() + text.chars().count() <= WIDTH
}

/// `fn name(a: A, b: B) -> C {`
fn signature(pad: &str, text: &str) -> String {
    let line = format!("{pad}{text}");
    if fits(pad, text) {
        return line;
    }
    let Some((open, close)) = parentheses(text) else {
        return line;
    };
    let mut out = format!("{pad}{}\n", &text[..=open]);
    for argument in arguments(&text[open + 1..close]) {
        out.push_str(&format!("{pad}    {argument},\n"));
    }
    let tail = &text[close..];
    if pad.len() + tail.len() <= RETURN_WIDTH {
        return format!("{out}{pad}{tail}");
    }
    format!("{out}{pad}{}\n{pad}{{", tail.trim_end_matches(" {"))
}

/// The places of the first parenthesis and of the one that closes it.
fn parentheses(text: &str) -> Option<(usize, usize)> {
    let open = text.find('(')?;
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, open + at));
        }
    }
    None
}

/// What commas outside of brackets part.
fn arguments(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(move |c| {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|argument| !argument.is_empty())
        .collect()
}

/// `impl Trait for Type {`
fn implementation(pad: &str, text: &str) -> String {
    match text.trim_end_matches(" {").split_once(" for ") {
        Some((left, right)) if !fits(pad, text) => {
            format!("{pad}{left}\n{pad}    for {right}\n{pad}{{")
        }
        _ => format!("{pad}{text}"),
    }
}

/// `pub use module::{A, B};`
fn import(pad: &str, text: &str) -> String {
    match text.split_once('{') {
        Some((head, names)) => list(head, &arguments(names.trim_end_matches("};"))),
        None => format!("{pad}{text}"),
    }
}

/// `if a == b {` or `if let a = self.factory.call() {`
fn condition(pad: &str, text: &str) -> String {
    let inner = text.trim_end_matches('{').trim_end();
    if let Some((left, chain)) = inner.split_once(" = self.factory.") {
        if "self.factory.".len() + chain.len() > CHAIN_WIDTH || !fits(pad, text) {
            let break_ = format!("\n{pad}    .");
            return format!("{pad}{left} = self{break_}factory{break_}{chain}\n{pad}{{");
        }
    } else if let Some((left, right)) = inner.split_once(" == ")
        && !fits(pad, text)
    {
        let right = match right.split_once("::<") {
            Some((path, kind)) if pad.len() + right.len() + 7 > WIDTH => {
                let kind = kind.trim_end_matches(">()");
                format!("{path}::<\n{pad}        {kind},\n{pad}    >()")
            }
            _ => right.to_owned(),
        };
        return format!("{pad}{left}\n{pad}    == {right}\n{pad}{{");
    }
    format!("{pad}{text}")
}

/// `return call(…).map(…);`
fn return_(pad: &str, text: &str) -> String {
    match text.split_once(".map(") {
        Some((left, right)) if pad.len() + text.len() >= WIDTH => {
            format!("{pad}{left}\n{pad}    .map({right}")
        }
        _ => format!("{pad}{text}"),
    }
}

/// `self.client.verb(…).await`
fn chain(pad: &str, text: &str) -> String {
    let call = text
        .strip_prefix("self.client.")
        .and_then(|call| call.strip_suffix(".await"));
    match call {
        Some(call) if text.len() > CHAIN_WIDTH => {
            let call = wide_call(&format!("{pad}    "), call);
            format!("{pad}self.client\n{pad}    .{call}\n{pad}    .await")
        }
        _ => format!("{pad}{text}"),
    }
}

/// `verb(a, b)`, an argument a line if they are too wide for one.
fn wide_call(pad: &str, call: &str) -> String {
    match parentheses(call) {
        Some((open, close)) if close - open - 1 > CALL_WIDTH => {
            let arguments = arguments(&call[open + 1..close]);
            let lines = arguments
                .iter()
                .map(|argument| format!("{pad}    {argument},\n"));
            format!("{}\n{}{pad})", &call[..=open], lines.collect::<String>())
        }
        _ => call.to_owned(),
    }
}

/// `Self::Variant(object) => &object.metadata,`
fn arm(lines: &[&str], pad: &str) -> Option<(String, usize)> {
    let [first, value, close, ..] = lines else {
        return None;
    };
    let head = first.trim_start().strip_suffix(" => {")?;
    let line = format!("{head} => {},", value.trim());
    (close.trim() == "}" && fits(pad, &line)).then(|| (format!("{pad}{line}"), 3))
}

/// `Type { field }`
fn literal(lines: &[&str]) -> Option<(String, usize)> {
    let [first, field, close, ..] = lines else {
        return None;
    };
    let name = first.strip_suffix(" {")?;
    let field = field.trim().strip_suffix(',')?;
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word(name.trim_start()) && is_word(field) && close.trim() == "}")
        .then(|| (format!("{name} {{ {field} }}"), 3))
}

/// `path(a, b)`
fn call(lines: &[&str], pad: &str) -> Option<(String, usize)> {
    let first = lines.first()?.trim_start();
    if !first.ends_with('(') {
        return None;
    }
    let closes = |line: &&str| {
        line.strip_prefix(pad)
            .is_some_and(|rest| rest.starts_with(')'))
    };
    let end = lines.iter().position(closes)?;
    let line = join(&lines[..=end]);
    let (open, close) = parentheses(&line)?;
    (close - open - 1 <= CALL_WIDTH && fits(pad, &line)).then(|| (format!("{pad}{line}"), end + 1))
}
