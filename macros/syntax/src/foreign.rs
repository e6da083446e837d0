//! Parsing of attributes of other crates, directly on an item or inside `cfg_attr`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitStr, Meta, Token};

use crate::Spanned;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Name of an attribute that belongs to another crate or to the compiler.
    struct ForeignAttr;

    const CFG_ATTR = "cfg_attr";
    const GARDE = "garde";
    const KUBE = "kube";
    const SCHEMARS = "schemars";
    const SERDE = "serde";
    const VALIDATE = "validate";
    const X_KUBE = "x_kube";
}

impl ForeignAttr {
    pub(crate) fn names(self, attr: &Attribute) -> bool {
        attr.path().is_ident(&self)
    }
}

/// Returns the attributes, with each `cfg_attr` replaced by the attributes inside it. The condition
/// is ignored, because a CRD is the same for every build.
pub(crate) fn expand_cfg_attr(attrs: &[Attribute]) -> Vec<Attribute> {
    let mut all = Vec::new();
    for attr in attrs {
        if !ForeignAttr::CFG_ATTR.names(attr) {
            all.push(attr.clone());
            continue;
        }
        let Ok(metas) = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        else {
            continue;
        };
        let nested: Vec<Attribute> = metas
            .into_iter()
            .skip(1)
            .map(|meta| Attribute {
                meta,
                ..attr.clone()
            })
            .collect();
        all.extend(expand_cfg_attr(&nested));
    }
    all
}

/// One item of an attribute's list: syn's `Meta`, or the `!key` of schemars.
pub(crate) enum MetaItem {
    Meta(Box<Meta>),
    Negated,
}

impl Parse for MetaItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            input.parse::<Token![!]>()?;
            input.parse::<syn::Path>()?;
            return Ok(Self::Negated);
        }
        Ok(Self::Meta(Box::new(input.parse()?)))
    }
}

/// Returns the comma-separated items of every `#[name(…)]`, without `!key` items. Syntax errors are
/// left to the macro that the attribute belongs to.
pub(crate) fn attribute_items(attrs: &[Attribute], name: ForeignAttr) -> Vec<Meta> {
    let attrs = attrs.iter().filter(|attr| name.names(attr));
    attrs
        .filter_map(|attr| attr.meta.require_list().ok())
        .flat_map(|list| parse_items(list.tokens.clone()))
        .collect()
}

/// Returns the comma-separated items of an argument list, without `!key` items.
pub(crate) fn parse_items(tokens: TokenStream) -> Vec<Meta> {
    let parser = Punctuated::<MetaItem, Token![,]>::parse_terminated;
    let parts = syn::parse::Parser::parse2(parser, tokens).unwrap_or_default();
    parts
        .into_iter()
        .filter_map(|part| match part {
            MetaItem::Meta(meta) => Some(*meta),
            MetaItem::Negated => None,
        })
        .collect()
}

/// Returns the key of `key`, `key = ..` or `key(..)`, or an empty string for a path of several
/// segments.
pub(crate) fn key_name(meta: &Meta) -> String {
    meta.path()
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Returns the literal, or `None` for any other expression.
pub(crate) fn expression_literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(value) => Some(&value.lit),
        _ => None,
    }
}

/// Returns the string literal of `key = ".."`.
pub(crate) fn value_literal(meta: &Meta) -> Option<&LitStr> {
    let Meta::NameValue(pair) = meta else {
        return None;
    };
    match expression_literal(&pair.value)? {
        Lit::Str(text) => Some(text),
        _ => None,
    }
}

/// Returns the text of `key = ".."`.
pub(crate) fn value_text(meta: &Meta) -> Option<Spanned<String>> {
    let text = value_literal(meta)?;
    Some(Spanned::new(text.value(), text.span()))
}
