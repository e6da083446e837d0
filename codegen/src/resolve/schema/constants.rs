//! Evaluation of constants in attributes of other crates, such as `#[garde(length(max = MAX))]`.
//!
//! The attribute grammar reads literals only, but schemars, validator and garde take expressions as
//! well. An expression that cannot be evaluated from source is left unchanged, and the grammar
//! reports it.

use std::borrow::Cow;

use genclient_syntax::Json;
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use serde_json::Value;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Fields, ItemEnum, ItemStruct, Lit, Meta, MetaList, Token, parse_quote};

use super::{Resolver, json_code};
use crate::resolve::docs;

/// Attributes that may contain expressions.
const ATTRIBUTES: [&str; 4] = ["garde", "schemars", "validate", "x_kube"];

/// Keys whose value is an expression for a text or a rule.
const TEXTS: [&str; 4] = ["description", "example", "title", "validation"];

impl Resolver<'_, '_> {
    pub(super) fn struct_with_literals<'i>(&self, item: &'i ItemStruct) -> Cow<'i, ItemStruct> {
        if !self.is_of_schemars() {
            return Cow::Borrowed(item);
        }
        let mut item = item.clone();
        self.replace_in(&mut item.attrs);
        self.replace_in_fields(&mut item.fields);
        Cow::Owned(item)
    }

    pub(super) fn enum_with_literals<'i>(&self, item: &'i ItemEnum) -> Cow<'i, ItemEnum> {
        if !self.is_of_schemars() {
            return Cow::Borrowed(item);
        }
        let mut item = item.clone();
        self.replace_in(&mut item.attrs);
        for variant in &mut item.variants {
            self.replace_in(&mut variant.attrs);
            self.replace_in_fields(&mut variant.fields);
        }
        Cow::Owned(item)
    }

    pub(super) fn description(&self, attrs: &[Attribute]) -> Option<String> {
        if !self.is_of_schemars() {
            return docs::description(attrs);
        }
        let mut attrs = attrs.to_owned();
        self.replace_in(&mut attrs);
        docs::description(&attrs)
    }

    fn replace_in_fields(&self, fields: &mut Fields) {
        for field in fields {
            self.replace_in(&mut field.attrs);
        }
    }

    fn replace_in(&self, attrs: &mut [Attribute]) {
        for attr in attrs {
            self.attribute(&mut attr.meta);
        }
    }

    fn attribute(&self, meta: &mut Meta) {
        let is_read = ATTRIBUTES.iter().any(|name| meta.path().is_ident(name));
        let is_conditional = meta.path().is_ident("cfg_attr");
        match meta {
            Meta::List(list) if is_read => self.parts(list),
            Meta::List(list) if is_conditional => {
                each(list, |part: &mut Meta| self.attribute(part));
            }
            _ => {}
        }
    }

    /// Replaces constants in the arguments of an attribute, or of `inner(..)`.
    fn parts(&self, list: &mut MetaList) {
        each(list, |part: &mut Meta| {
            let Some(key) = part.path().get_ident().map(ToString::to_string) else {
                return;
            };
            match (key.as_str(), part) {
                ("inner", Meta::List(list)) => self.parts(list),
                ("extend", Meta::List(list)) => self.extension(list),
                ("length" | "range" | "pattern" | "contains", Meta::List(list)) => {
                    each(list, |argument: &mut Expr| self.argument(argument));
                }
                ("regex", part) => self.regex(part),
                (key, Meta::NameValue(pair)) if TEXTS.contains(&key) => {
                    self.expression(&mut pair.value);
                }
                _ => {}
            }
        });
    }

    /// Replaces the constant in `min = LEAST`, or in the older form `min = "LEAST"`.
    fn argument(&self, argument: &mut Expr) {
        let Expr::Assign(assign) = argument else {
            return self.expression(argument);
        };
        match quoted(&assign.right) {
            Some(quoted) if !is_named(&assign.left, "pattern") => {
                let span = assign.right.span();
                if let Some(value) = self.value_of(&quoted) {
                    *assign.right = literal(&value, span);
                }
            }
            _ => self.expression(&mut assign.right),
        }
    }

    /// Replaces the constant in `regex(pattern = PATTERN)`. Evaluates the expression in
    /// `regex(path = *EXPRESSION)`, `regex(path = "EXPRESSION")` and `regex = "EXPRESSION"`, and
    /// writes its value as `regex(pattern = "…")`.
    fn regex(&self, part: &mut Meta) {
        let path = match part {
            Meta::NameValue(pair) => Some(pair.value.clone()),
            Meta::List(list) => match list.parse_args::<Expr>() {
                Ok(Expr::Assign(assign)) if is_named(&assign.left, "path") => Some(*assign.right),
                _ => None,
            },
            Meta::Path(_) => None,
        };
        match (path, part) {
            (Some(path), part) => {
                let value = self.value_of(quoted(&path).as_ref().unwrap_or(&path));
                if let Some(value @ Value::String(_)) = value {
                    let (name, value) = (part.path(), literal(&value, path.span()));
                    *part = parse_quote!(#name(pattern = #value));
                }
            }
            (None, Meta::List(list)) => each(list, |argument: &mut Expr| self.argument(argument)),
            (None, _) => {}
        }
    }

    /// Replaces the constant in `extend("maximum" = MOST)`.
    fn extension(&self, list: &mut MetaList) {
        let entries = json_code::pieces(&list.tokens).into_iter();
        let entries: Vec<_> = entries.map(|entry| self.entry(&entry)).collect();
        list.tokens = quote!(#(#entries),*);
    }

    fn entry(&self, entry: &[TokenTree]) -> TokenStream {
        let written = || entry.iter().cloned().collect();
        let [key, equals, value @ ..] = entry else {
            return written();
        };
        let value: TokenStream = value.iter().cloned().collect();
        if syn::parse2::<Json>(value.clone()).is_ok() {
            return written();
        }
        match json_code::read(&value, &mut |value| self.value_of(value)) {
            Some(read) => {
                let read = tokens(&read, value.span());
                quote!(#key #equals #read)
            }
            None => written(),
        }
    }

    /// Replaces an expression, or the arguments of a call, by values.
    fn expression(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(inner) => self.expression(&mut inner.expr),
            Expr::Group(inner) => self.expression(&mut inner.expr),
            Expr::Reference(inner) => self.expression(&mut inner.expr),
            Expr::Tuple(tuple) => tuple
                .elems
                .iter_mut()
                .for_each(|part| self.expression(part)),
            Expr::MethodCall(call) if call.method != "reason" => {
                self.expression(&mut call.receiver);
                call.args.iter_mut().for_each(|part| self.expression(part));
            }
            Expr::MethodCall(call) => self.expression(&mut call.receiver),
            // Constructors, such as `Rule::new(..)` and `Message::Expression(..)`.
            Expr::Call(call) if is_of_type(&call.func) => {
                call.args.iter_mut().for_each(|part| self.expression(part));
            }
            Expr::Lit(_) => {}
            expr => {
                if let Some(value) = self.value_of(expr) {
                    *expr = literal(&value, expr.span());
                }
            }
        }
    }
}

/// Applies `change` to the comma-separated parts of a list, unless they cannot be parsed.
fn each<T: syn::parse::Parse + ToTokens>(list: &mut MetaList, change: impl FnMut(&mut T)) {
    if let Ok(mut parts) = list.parse_args_with(Punctuated::<T, Token![,]>::parse_terminated) {
        parts.iter_mut().for_each(change);
        list.tokens = parts.into_token_stream();
    }
}

/// Parses the expression in a string literal.
fn quoted(value: &Expr) -> Option<Expr> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn is_named(value: &Expr, name: &str) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident(name))
}

/// True for a path such as `Type::function` or `Enum::Variant`.
fn is_of_type(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let above = path.path.segments.iter().rev().nth(1);
    above.is_some_and(|above| above.ident.to_string().starts_with(char::is_uppercase))
}

fn literal(value: &Value, span: Span) -> Expr {
    Expr::Verbatim(tokens(value, span))
}

/// Converts a value to tokens of the attribute grammar. Each token gets `span`.
fn tokens(value: &Value, span: Span) -> TokenStream {
    match value {
        Value::String(text) => {
            let mut literal = Literal::string(text);
            literal.set_span(span);
            literal.into_token_stream()
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| tokens(item, span));
            quote_spanned!(span=> [#(#items),*])
        }
        Value::Object(members) => {
            let (names, values): (Vec<_>, Vec<_>) = members
                .iter()
                .map(|(name, value)| (name, tokens(value, span)))
                .unzip();
            quote_spanned!(span=> { #(#names: #values),* })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let tokens: TokenStream = value.to_string().parse().unwrap_or_default();
            let placed = tokens.into_iter().map(|mut token| {
                token.set_span(span);
                token
            });
            placed.collect()
        }
    }
}
