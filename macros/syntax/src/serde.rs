//! The little that the grammar has to know of `#[serde(…)]`: which keys are there, and where.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Lit, Meta};

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

/// One comma-separated piece of an attribute.
pub(crate) struct Piece {
    /// Its first token.
    pub(crate) key: Ident,
    /// What follows the token after that.
    value: Option<TokenTree>,
}

impl Piece {
    /// Where the key is.
    pub(crate) fn span(&self) -> Span {
        self.key.span()
    }

    /// Whether the key is one of `names`.
    pub(crate) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.key == name)
    }

    /// The value, if it is a string.
    pub(crate) fn text(&self) -> Option<String> {
        let Some(TokenTree::Literal(literal)) = &self.value else {
            return None;
        };
        match Lit::new(literal.clone()) {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        }
    }
}

/// Whether `#[serde(…)]`, `#[schemars(…)]` or `#[serde_as(…)]` says that the type is written as another one.
pub(crate) fn hides_the_type(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("serde_as"))
        || ["serde", "schemars"]
            .iter()
            .any(|name| keys(attrs, name).any(|piece| piece.is_one_of(HIDING)))
}

/// The pieces of each `#[name(…)]` that start with a word.
///
/// Whatever serde itself complains about is left to serde.
pub(crate) fn keys(attrs: &[syn::Attribute], name: &str) -> impl Iterator<Item = Piece> {
    let lists = attrs.iter().filter_map(move |attr| match &attr.meta {
        Meta::List(list) if list.path.is_ident(name) => Some(list.tokens.clone()),
        _ => None,
    });
    lists.flat_map(pieces)
}

fn pieces(tokens: TokenStream) -> Vec<Piece> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',');
    let pieces = tokens.split(is_comma);
    let with_keys = pieces.filter_map(|piece| match piece.first() {
        Some(TokenTree::Ident(key)) => Some(Piece {
            key: key.clone(),
            value: piece.get(2).cloned(),
        }),
        _ => None,
    });
    with_keys.collect()
}
