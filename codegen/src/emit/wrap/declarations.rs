//! Wrapping of declarations: attributes, fields, variants, and parameters with their types.

use super::layout::{CALL_WIDTH, find_parentheses, fits, split_list};

/// rustfmt's `attr_fn_like_width`.
const ATTRIBUTE_WIDTH: usize = 70;

/// Wraps `#[serde(a = "b", c = "d")]`, with one argument per line.
pub(super) fn wrap_attribute(pad: &str, text: &str) -> Option<String> {
    let (open, close) = find_parentheses(text)?;
    let arguments: Vec<_> = split_list(&text[open + 1..close]).collect();
    let is_wide = match arguments[..] {
        [_] => !fits(pad, text),
        _ => close - open - 1 > ATTRIBUTE_WIDTH || !fits(pad, text),
    };
    is_wide.then(|| {
        let head = &text[..=open];
        let arguments = arguments.join(&format!(",\n{pad}    "));
        format!("{pad}{head}\n{pad}    {arguments}\n{pad})]")
    })
}

/// Wraps `pub name: Type,`. The type moves to the next line if it fits there.
pub(super) fn wrap_field(pad: &str, text: &str) -> Option<String> {
    let (name, type_) = text.split_once(": ")?;
    if fits(pad, &format!("    {type_}")) {
        return Some(format!("{pad}{name}:\n{pad}    {type_}"));
    }
    text.strip_suffix(',').map(|item| wrap_item(pad, item))
}

/// Wraps `Variant(Type),`.
pub(super) fn wrap_variant(pad: &str, text: &str) -> Option<String> {
    let (name, type_) = text.strip_suffix("),")?.split_once('(')?;
    let is_variant = name.starts_with(char::is_uppercase) && !name.contains(':');
    if !is_variant {
        return None;
    }
    let type_ = wrap_item(&format!("{pad}    "), type_);
    let all_fit = type_.lines().all(|line| fits("", line));
    all_fit.then(|| format!("{pad}{name}(\n{type_}\n{pad}),"))
}

/// The parameters of a function or the elements of a type, one per line.
pub(super) fn wrap_items(pad: &str, text: &str) -> String {
    split_list(text)
        .map(|item| wrap_item(&format!("{pad}    "), item) + "\n")
        .collect()
}

/// An item of a list and its comma. A type that is too wide gets its arguments or elements on lines
/// of their own.
fn wrap_item(pad: &str, item: &str) -> String {
    let line = format!("{pad}{item},");
    // rustfmt does not count the `impl ` of a parameter.
    let counted = line.replacen(": impl ", ": ", 1);
    if fits("", &counted) && !has_wide_tuple(item) {
        return line;
    }
    if let Some((array, length)) = item.split_once("; ") {
        return format!("{pad}{array};\n{pad}    {length},");
    }
    let Some((open, close)) = find_brackets(item) else {
        return line;
    };
    let elements = wrap_items(pad, &item[open + 1..close]);
    let (head, tail) = (&item[..=open], &item[close..]);
    format!("{pad}{head}\n{elements}{pad}{tail},")
}

/// Whether the elements of a tuple are wider than rustfmt allows on one line.
pub(super) fn has_wide_tuple(text: &str) -> bool {
    find_parentheses(text).is_some_and(|(open, close)| close - open - 1 > CALL_WIDTH)
}

/// The positions of the first angle bracket or parenthesis, and the matching one.
fn find_brackets(text: &str) -> Option<(usize, usize)> {
    let open = text.find(['<', '('])?;
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, open + at));
        }
    }
    None
}
