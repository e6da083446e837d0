//! Equivalence of generated files: differences in formatting do not count as drift.

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree};

/// True if `found` needs no rewrite. Rust files need the same header and the same tokens; trailing
/// commas and the order of imports may differ. Other files need the same lines.
pub(super) fn is_equivalent(path: &Path, found: &str, expected: &str) -> bool {
    if found == expected {
        return true;
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        has_same_header(found, expected) && has_same_code(found, expected)
    } else {
        // Git may have converted the line ends at checkout.
        found.replace("\r\n", "\n") == expected
    }
}

/// Compares the comments at the start of two files, which contain the boilerplate and the header.
/// [`has_same_code`] compares tokens, and comments are not tokens.
fn has_same_header(found: &str, expected: &str) -> bool {
    leading_comments(found).eq(leading_comments(expected))
}

fn leading_comments(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_end);
    let leading = lines
        .take_while(|line| line.is_empty() || (line.starts_with("//") && !line.starts_with("//!")));
    leading.filter(|line| !line.is_empty())
}

fn has_same_code(found: &str, expected: &str) -> bool {
    match (syn::parse_file(found), syn::parse_file(expected)) {
        (Ok(found), Ok(expected)) => normalize_file(found) == normalize_file(expected),
        _ => false,
    }
}

/// A file without the differences that formatters make.
#[derive(PartialEq)]
struct NormalizedFile {
    /// The tokens outside of imports, without trailing commas.
    tokens: Vec<String>,
    /// The imports, one path each, sorted: rustfmt's settings may merge, split and reorder them.
    imports: Vec<String>,
}

fn normalize_file(file: syn::File) -> NormalizedFile {
    let mut tokens = Vec::new();
    let mut imports = Vec::new();
    for attr in file.attrs {
        flatten_tokens(attr.into_token_stream(), &mut tokens);
    }
    for item in file.items {
        match item {
            Item::Use(item) => {
                let mut head = String::new();
                for attr in &item.attrs {
                    head.push_str(&attr.to_token_stream().to_string());
                }
                head.push_str(&item.vis.to_token_stream().to_string());
                collect_imports(&item.tree, &mut head, &mut imports);
            }
            item => flatten_tokens(item.into_token_stream(), &mut tokens),
        }
    }
    imports.sort();
    NormalizedFile { tokens, imports }
}

fn collect_imports(tree: &UseTree, prefix: &mut String, out: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => {
            let length = prefix.len();
            prefix.push_str(&format!(" {}::", path.ident));
            collect_imports(&path.tree, prefix, out);
            prefix.truncate(length);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                collect_imports(tree, prefix, out);
            }
        }
        leaf => out.push(format!("{prefix}{}", leaf.to_token_stream())),
    }
}

fn flatten_tokens(tokens: TokenStream, out: &mut Vec<String>) {
    for token in tokens {
        let TokenTree::Group(group) = token else {
            out.push(token.to_string());
            continue;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        out.push(open.to_owned());
        flatten_tokens(group.stream(), out);
        if out.last().is_some_and(|last| last == ",") {
            out.pop();
        }
        out.push(close.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::is_equivalent;
    use std::path::Path;

    #[test]
    fn formatting_is_not_drift() {
        let expected =
            "// Header\n\nuse a::{B, C};\nuse d::E;\n\npub fn f(a: B, c: C) -> E {\n    g(a)\n}\n";
        let cases = [
            (
                "// Header\nuse d::E;\nuse a::C;\nuse a::B;\npub fn f(\n a: B,\n c: C,\n) -> E { g(a) }\n",
                true,
            ),
            (
                "// Header\nuse d::E;\nuse a::C;\npub fn f(a: B, c: C) -> E { g(a) }\n",
                false,
            ),
            (
                "// Header\n\nuse a::{B, C};\nuse d::E;\n\npub fn f(a: B, c: C) -> E {\n    g(c)\n}\n",
                false,
            ),
            (
                "// Other\n\nuse a::{B, C};\nuse d::E;\n\npub fn f(a: B, c: C) -> E {\n    g(a)\n}\n",
                false,
            ),
        ];
        for (found, equal) in cases {
            assert_eq!(
                is_equivalent(Path::new("a.rs"), found, expected),
                equal,
                "{found}"
            );
        }
        assert!(is_equivalent(Path::new("a.yaml"), "a: 1\r\n", "a: 1\n"));
        assert!(!is_equivalent(Path::new("a.yaml"), "a: 2\n", "a: 1\n"));
    }
}
