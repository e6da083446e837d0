//! The string literals of a Rust file, those of its tests apart.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::LitStr;

/// What stands in quotes.
#[derive(Default)]
pub struct Literals {
    /// In the program.
    pub program: Vec<String>,
    /// Below `#[cfg(test)]`, or in a file of tests.
    pub tests: Vec<String>,
}

/// Nothing is taken from comments, attributes, and what only a programmer sees: `expect`, `panic!`.
pub fn of(text: &str, is_test: bool) -> Literals {
    let mut literals = Literals::default();
    if let Ok(tokens) = text.parse() {
        collect(tokens, is_test, &mut literals);
    }
    literals
}

const UNSEEN: [&str; 8] = [
    "expect",
    "panic",
    "unreachable",
    "assert",
    "assert_eq",
    "debug_assert",
    "debug_assert_eq",
    "include_str",
];

fn collect(tokens: TokenStream, in_test: bool, literals: &mut Literals) {
    let (mut after_hash, mut unseen, mut test) = (false, false, false);
    for token in tokens {
        match token {
            TokenTree::Group(group) if after_hash && group.delimiter() == Delimiter::Bracket => {
                test |= group.stream().to_string().replace(' ', "") == "cfg(test)";
                after_hash = false;
            }
            TokenTree::Group(group) => {
                if in_test || !unseen {
                    collect(group.stream(), in_test || test, literals);
                }
                (unseen, test) = (false, test && group.delimiter() != Delimiter::Brace);
            }
            TokenTree::Punct(punct) => {
                after_hash = punct.as_char() == '#' || after_hash && punct.as_char() == '!';
                unseen &= punct.as_char() == '!';
                test &= punct.as_char() != ';';
            }
            TokenTree::Ident(name) => unseen = UNSEEN.iter().any(|unseen| name == unseen),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string()) {
                    let list = if in_test {
                        &mut literals.tests
                    } else {
                        &mut literals.program
                    };
                    list.push(text.value());
                }
            }
        }
    }
}
