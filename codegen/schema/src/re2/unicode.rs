//! Names of Unicode classes in `\\p{…}`.
//!
//! Go 1.26's `regexp/syntax` ignores case, spaces, `-` and `_` in a name. It knows general
//! categories, their long names, and scripts whose name is one word.

/// Returns the class of that name for the `regex` crate, also valid inside of a class. `None` if Go
/// does not know the name.
pub(super) fn class(name: &str, negative: bool) -> Option<String> {
    let name = canonical(name);
    let property = match name.as_str() {
        "Any" => return Some(all(negative)),
        "Ascii" => return Some(of("[:ascii:]", negative)),
        "Assigned" => return Some(format!("\\{}{{Cn}}", if negative { 'p' } else { 'P' })),
        // Rust strings have no surrogates.
        "Cs" | "Surrogate" => return Some(all(!negative)),
        name => property(name)?,
    };
    let sign = if negative { 'P' } else { 'p' };
    Some(format!("\\{sign}{{{property}}}"))
}

/// Returns a class of every character, or of none.
fn all(negative: bool) -> String {
    of("\\x{0}-\\x{10FFFF}", negative)
}

fn of(characters: &str, negative: bool) -> String {
    format!("[{}{characters}]", if negative { "^" } else { "" })
}

fn property(name: &str) -> Option<&'static str> {
    let lines = include_str!("../../data/unicode_classes.tsv").lines();
    let mut rows = lines.filter_map(|line| line.split_once('\t'));
    rows.find_map(|(class, property)| (class == name).then_some(property))
}

/// Returns the name without separators, with the first letter in upper case and the others in lower
/// case.
fn canonical(name: &str) -> String {
    let mut letters = name
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '));
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first
        .into_iter()
        .chain(letters.map(|letter| letter.to_ascii_lowercase()))
        .collect()
}
