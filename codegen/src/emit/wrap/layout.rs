//! Widths of rustfmt, and the parts of a line.

/// rustfmt's `max_width`.
pub(in crate::emit) const WIDTH: usize = 100;

/// rustfmt's `chain_width`.
pub(super) const CHAIN_WIDTH: usize = 60;

/// rustfmt's `fn_call_width`.
pub(super) const CALL_WIDTH: usize = 60;

pub(super) fn fits(pad: &str, text: &str) -> bool {
    pad.len() + text.chars().count() <= WIDTH
}

/// The positions of the first parenthesis and the matching one.
pub(super) fn find_parentheses(text: &str) -> Option<(usize, usize)> {
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

/// The parts between top-level commas, one per line.
pub(super) fn wrap_arguments(pad: &str, text: &str) -> String {
    split_list(text)
        .map(|argument| format!("{pad}    {argument},\n"))
        .collect()
}

/// The parts between top-level commas.
pub(super) fn split_list(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |c| {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}
