//! `pub mod` lines in files that are there already.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::{File, Item};

/// The text with `pub mod name;`: `None` if the module is declared already.
///
/// # Errors
///
/// The text is no Rust.
pub(super) fn declare(text: &str, name: &str) -> Result<Option<String>, syn::Error> {
    let file: File = syn::parse_str(text)?;
    let bare = |ident: &syn::Ident| ident.to_string().trim_start_matches("r#").to_owned();
    let declares = |item: &Item| matches!(item, Item::Mod(module) if bare(&module.ident) == name);
    if file.items.iter().any(declares) {
        return Ok(None);
    }
    let line = format!("pub mod {name};\n");
    let in_files = |item: &&Item| matches!(item, Item::Mod(module) if module.content.is_none());
    let modules: Vec<_> = file.items.iter().filter(in_files).collect();
    let later = modules.iter().find(|item| match item {
        Item::Mod(module) => bare(&module.ident).as_str() > name,
        _ => false,
    });
    let at = match (later, modules.last()) {
        (Some(later), _) => place(later).start,
        (None, Some(last)) => end_of_line(text, place(last).end),
        (None, None) => return Ok(Some(without_modules(text, &file, &line))),
    };
    let before = &text[..at];
    let gap = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Ok(Some(format!("{before}{gap}{line}{}", &text[at..])))
}

/// After the imports, or before the first other item, or at the end.
fn without_modules(text: &str, file: &File, line: &str) -> String {
    let imports = file
        .items
        .iter()
        .take_while(|item| matches!(item, Item::Use(_)));
    if let Some(last) = imports.last() {
        let at = end_of_line(text, place(last).end);
        return format!("{}\n{line}{}", &text[..at], &text[at..]);
    }
    match file.items.first() {
        Some(first) => {
            let at = place(first).start;
            format!("{}{line}\n{}", &text[..at], &text[at..])
        }
        None if text.trim().is_empty() => line.to_owned(),
        None => format!("{}\n\n{line}", text.trim_end()),
    }
}

/// The bytes of an item with its attributes.
fn place(item: &Item) -> Range<usize> {
    item.span().byte_range()
}

fn end_of_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::declare;

    #[test]
    fn a_module_is_declared_among_its_neighbours_and_nothing_else_changes() {
        let cases = [
            ("", "pub mod b;\n"),
            ("//! Types.\n", "//! Types.\n\npub mod b;\n"),
            (
                "pub mod a;\npub mod c;\n",
                "pub mod a;\npub mod b;\npub mod c;\n",
            ),
            ("pub mod a; // first\n", "pub mod a; // first\npub mod b;\n"),
            ("mod a;", "mod a;\npub mod b;\n"),
            (
                "/// C.\n#[cfg(x)]\nmod c;\n",
                "pub mod b;\n/// C.\n#[cfg(x)]\nmod c;\n",
            ),
            (
                "use a::b;\n\nfn f() {}\n",
                "use a::b;\n\npub mod b;\n\nfn f() {}\n",
            ),
            (
                "//! T.\n\n/// F.\nfn f() {}\n",
                "//! T.\n\npub mod b;\n\n/// F.\nfn f() {}\n",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(
                declare(text, "b").unwrap().as_deref(),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn a_module_that_is_there_stays() {
        for text in ["mod b;\n", "pub mod b { }\n", "pub(crate) mod b;\n"] {
            assert_eq!(declare(text, "b").unwrap(), None, "{text}");
        }
        assert!(declare("mod", "b").is_err());
    }
}
