//! Evaluation of the syntax of `json!(..)`: literals, lists and objects that contain expressions.

use genclient_syntax::Json;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde_json::{Map, Value};
use syn::{Expr, LitStr};

use crate::resolve::json_values;

/// Evaluates the tokens. `expression` evaluates the parts that are not JSON.
pub(super) fn read(
    tokens: &TokenStream,
    expression: &mut dyn FnMut(&Expr) -> Option<Value>,
) -> Option<Value> {
    let trees: Vec<_> = tokens.clone().into_iter().collect();
    match &trees[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            let items = pieces(&group.stream()).into_iter();
            items
                .map(|item| read(&item.into_iter().collect(), expression))
                .collect()
        }
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
            let members = pieces(&group.stream()).into_iter();
            let members = members.map(|member| match &member[..] {
                [name, TokenTree::Punct(colon), value @ ..] if colon.as_char() == ':' => {
                    let name = syn::parse2::<LitStr>(name.clone().into()).ok()?;
                    let value = value.iter().cloned().collect();
                    Some((name.value(), read(&value, expression)?))
                }
                _ => None,
            });
            members.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => match syn::parse2::<Json>(tokens.clone()) {
            Ok(json) => Some(json_values::json(&json)),
            Err(_) => expression(&syn::parse2(tokens.clone()).ok()?),
        },
    }
}

/// Splits tokens at commas.
pub(super) fn pieces(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let pieces = tokens
        .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        .filter(|piece| !piece.is_empty());
    pieces.map(<[TokenTree]>::to_vec).collect()
}
