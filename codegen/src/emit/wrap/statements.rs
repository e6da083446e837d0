//! Wrapping of statements and expressions in setters and constructors.

use super::layout::{CALL_WIDTH, CHAIN_WIDTH, find_parentheses, fits, split_list, wrap_arguments};

/// rustfmt's `array_width`.
const ARRAY_WIDTH: usize = 60;

/// rustfmt's `short_array_element_width_threshold`: elements and arguments up to this width share
/// lines.
const SHORT_ELEMENT: usize = 10;

/// Wraps `self.field.call(…).call(…);`, with one call per line.
pub(super) fn wrap_calls_on_field(pad: &str, text: &str) -> Option<String> {
    let chain = text.strip_suffix(';')?;
    if chain.len() <= CHAIN_WIDTH && fits(pad, text) {
        return None;
    }
    let deeper = format!("{pad}    ");
    let mut calls = split_calls(chain);
    let root = calls.next()?.to_owned() + calls.next()?;
    let calls: Vec<_> = calls.map(|call| wrap_last_call(&deeper, call)).collect();
    Some(format!("{pad}{root}\n{};", calls.join("\n")))
}

/// Wraps `let entries = self.field.call();`.
pub(super) fn wrap_binding(pad: &str, text: &str) -> Option<String> {
    let (left, chain) = text.strip_suffix(';')?.split_once(" = ")?;
    if chain.len() <= CHAIN_WIDTH && fits(pad, text) {
        return None;
    }
    let calls: Vec<_> = split_calls(chain).collect();
    let chain = calls.join(&format!("\n{pad}    "));
    Some(format!("{pad}{left} = {chain};"))
}

/// The parts of a chain of fields and calls: `self`, `.field`, `.call(a.b())`.
fn split_calls(chain: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let starts = chain.char_indices().filter_map(move |(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (c == '.' && depth == 0).then_some(at)
    });
    let starts: Vec<_> = std::iter::once(0).chain(starts).collect();
    let ends: Vec<_> = starts[1..].iter().copied().chain([chain.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(|(start, end)| &chain[start..end])
}

/// A call of a chain. If its argument is a chain that is too wide, the calls of that get lines of
/// their own.
fn wrap_last_call(pad: &str, call: &str) -> String {
    let wide = find_parentheses(call).filter(|(open, close)| close - open - 1 > CALL_WIDTH);
    let Some((open, close)) = wide else {
        return format!("{pad}{call}");
    };
    let mut calls = split_calls(&call[open + 1..close]);
    let root = calls.next().unwrap_or_default();
    let calls: Vec<_> = calls.collect();
    let separator = format!("\n{pad}        ");
    let argument = [root, &calls.join(&separator)].join(&separator);
    format!("{pad}{}\n{pad}    {argument},\n{pad})", &call[..=open])
}

/// Whether a line is a field of a struct literal: `name: path(a),`.
pub(super) fn is_literal_field(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '#';
    let name = text.split_once(": ").map(|(name, _)| name);
    name.is_some_and(|name| name.chars().all(is_word)) && text.ends_with("),")
}

/// Wraps `name: path(a, b),`.
pub(super) fn wrap_literal_field(pad: &str, text: &str) -> Option<String> {
    let (open, close) = find_parentheses(text)?;
    let is_wide = |pad: &str, text: &str| close - open - 1 > CALL_WIDTH || !fits(pad, text);
    if !is_wide(pad, text) {
        return None;
    }
    let (head, tail) = (&text[..=open], &text[close..]);
    let arguments = &text[open + 1..close];
    if fits(pad, head) {
        let arguments = fill_arguments(pad, arguments);
        return Some(format!("{pad}{head}\n{arguments}{pad}{tail}"));
    }
    let (name, call) = text.split_once(": ")?;
    let deeper = format!("{pad}    ");
    // rustfmt does not count the comma here.
    if !is_wide(&deeper, call.trim_end_matches(',')) {
        return Some(format!("{pad}{name}:\n{deeper}{call}"));
    }
    let path = &call[..=call.find('(')?];
    let arguments = fill_arguments(&deeper, arguments);
    Some(format!(
        "{pad}{name}:\n{deeper}{path}\n{arguments}{deeper}{tail}"
    ))
}

/// The arguments of a call, one per line, or on one line if all are short.
fn fill_arguments(pad: &str, text: &str) -> String {
    if split_list(text).all(is_short) {
        format!("{pad}    {text},\n")
    } else {
        wrap_arguments(pad, text)
    }
}

/// Wraps `matches!(value, [a] | [b, c])`.
pub(super) fn wrap_matches(pad: &str, text: &str) -> Option<String> {
    let arguments = text.strip_prefix("matches!(")?.strip_suffix(')')?;
    if arguments.len() <= CALL_WIDTH && fits(pad, text) {
        return None;
    }
    let (value, patterns) = arguments.split_once(", ")?;
    let deeper = format!("{pad}    ");
    let patterns = wrap_patterns(&deeper, patterns);
    Some(format!(
        "{pad}matches!(\n{deeper}{value},\n{deeper}{patterns}\n{pad})"
    ))
}

/// Slice patterns, on one line or one per line.
fn wrap_patterns(pad: &str, text: &str) -> String {
    let patterns: Vec<_> = text.split(" | ").collect();
    if let [only] = patterns[..] {
        return wrap_pattern(pad, only);
    }
    // rustfmt leaves room for a comma.
    if fits(pad, &format!("{text},")) && !patterns.iter().any(|pattern| is_wide(pattern)) {
        return text.to_owned();
    }
    let deeper = format!("{pad}    ");
    let lines: Vec<_> = patterns
        .into_iter()
        .map(|pattern| wrap_pattern(&deeper, pattern))
        .collect();
    lines.join(&format!("\n{deeper}| "))
}

/// A slice pattern, with one element per line if it is wide.
fn wrap_pattern(pad: &str, pattern: &str) -> String {
    if !is_wide(pattern) {
        return pattern.to_owned();
    }
    let elements: Vec<_> = split_list(slice_elements(pattern)).collect();
    let elements = elements.join(&format!(",\n{pad}    "));
    format!("[\n{pad}    {elements}\n{pad}]")
}

fn is_wide(pattern: &str) -> bool {
    slice_elements(pattern).len() > ARRAY_WIDTH
}

fn slice_elements(pattern: &str) -> &str {
    pattern.trim_start_matches('[').trim_end_matches(']')
}

fn is_short(element: &str) -> bool {
    element.len() <= SHORT_ELEMENT
}

/// Whether rustfmt's style editions lay out a slice pattern differently: its elements are too wide
/// for one line, but each is short enough to share a line with others.
pub(in crate::emit) fn is_ambiguous_pattern(pattern: &str) -> bool {
    is_wide(pattern) && split_list(slice_elements(pattern)).all(is_short)
}
