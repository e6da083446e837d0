//! The little that the grammar has to know of `#[serde(…)]`: which keys are there, and where.

use proc_macro2::{Span, TokenTree};
use syn::Meta;

/// Keys that put another type in place of the one that is written.
const HIDING: &[&str] = &[
    "with",
    "serialize_with",
    "deserialize_with",
    "schema_with",
    "from",
    "try_from",
    "into",
    "transparent",
];

/// Whether `#[serde(…)]`, `#[schemars(…)]` or `#[serde_as(…)]` says that the type is written as another one.
pub(crate) fn hides_the_type(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("serde_as"))
        || ["serde", "schemars"].iter().any(|name| {
            keys(attrs, name)
                .iter()
                .any(|(key, ..)| HIDING.contains(&key.as_str()))
        })
}

/// The first token of each comma-separated piece of `#[name(…)]`, with its string value if it has one.
///
/// Whatever serde itself complains about is left to serde.
pub(crate) fn keys(attrs: &[syn::Attribute], name: &str) -> Vec<(String, Span, Option<String>)> {
    let mut found = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        let Meta::List(list) = &attr.meta else {
            continue;
        };
        let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
        for piece in
            tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        {
            if let Some(TokenTree::Ident(key)) = piece.first() {
                found.push((key.to_string(), key.span(), piece.get(2).and_then(text)));
            }
        }
    }
    found
}

fn text(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let text = syn::parse_str::<syn::LitStr>(&literal.to_string()).ok()?;
    Some(text.value())
}
