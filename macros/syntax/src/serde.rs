//! Keys of `#[serde(…)]` and `#[schemars(…)]` that genclient reads.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Lit, Meta};

use crate::foreign::ForeignAttr;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Name of a key in `#[serde(…)]` or `#[schemars(…)]`. schemars reads the keys of both
    /// attributes.
    struct SerdeKey;

    /// Every name, for lookup.
    const ALL;

    const CONTENT = "content";
    const DEFAULT = "default";
    const DESCRIPTION = "description";
    const DESERIALIZE_WITH = "deserialize_with";
    const EXAMPLE = "example";
    const EXTEND = "extend";
    const FLATTEN = "flatten";
    const FROM = "from";
    const INTO = "into";
    const REMOTE = "remote";
    const RENAME = "rename";
    const RENAME_ALL = "rename_all";
    const RENAME_ALL_FIELDS = "rename_all_fields";
    const SCHEMA_WITH = "schema_with";
    const SERIALIZE_WITH = "serialize_with";
    const SKIP = "skip";
    const SKIP_DESERIALIZING = "skip_deserializing";
    const SKIP_SERIALIZING = "skip_serializing";
    const TAG = "tag";
    const TITLE = "title";
    const TRANSFORM = "transform";
    const TRANSPARENT = "transparent";
    const TRY_FROM = "try_from";
    const UNTAGGED = "untagged";
    const WITH = "with";
}

/// Keys that replace the declared type of a value with another type.
const TYPE_HIDING_KEYS: &[SerdeKey] = &[
    SerdeKey::WITH,
    SerdeKey::SERIALIZE_WITH,
    SerdeKey::DESERIALIZE_WITH,
    SerdeKey::SCHEMA_WITH,
    SerdeKey::FROM,
    SerdeKey::TRY_FROM,
    SerdeKey::INTO,
    SerdeKey::TRANSPARENT,
];

/// One comma-separated piece of an attribute's list.
pub(crate) struct Piece {
    /// The first token.
    pub(crate) key: Ident,
    /// The token after `=`: `"a"` in `rename = "a"`.
    value: Option<TokenTree>,
}

impl Piece {
    pub(crate) fn span(&self) -> Span {
        self.key.span()
    }

    /// Returns whether the key is one of `keys`.
    pub(crate) fn is_one_of(&self, keys: &[SerdeKey]) -> bool {
        keys.iter().any(|key| self.key == *key)
    }

    /// Returns the value if it is a string.
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

/// Returns whether `#[serde(…)]`, `#[schemars(…)]` or `#[serde_as(…)]` replaces the type of
/// the value.
pub(crate) fn hides_the_type(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("serde_as"))
        || [ForeignAttr::SERDE, ForeignAttr::SCHEMARS]
            .into_iter()
            .any(|name| {
                attribute_pieces(attrs, name).any(|piece| piece.is_one_of(TYPE_HIDING_KEYS))
            })
}

/// Returns the pieces of each `#[name(…)]`. A piece that does not start with an identifier is left
/// to the macro that the attribute belongs to.
pub(crate) fn attribute_pieces(
    attrs: &[syn::Attribute],
    name: ForeignAttr,
) -> impl Iterator<Item = Piece> {
    let lists = attrs.iter().filter_map(move |attr| match &attr.meta {
        Meta::List(list) if list.path.is_ident(&name) => Some(list.tokens.clone()),
        _ => None,
    });
    lists.flat_map(split_pieces)
}

fn split_pieces(tokens: TokenStream) -> Vec<Piece> {
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
