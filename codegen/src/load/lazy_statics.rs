//! Expansion of `lazy_static! { .. }` into the statics that it declares.

use proc_macro2::{TokenStream, TokenTree};
use syn::Item;

/// Replaces each `lazy_static!` by its statics, so that their names resolve to their values.
pub(super) fn expand(items: Vec<Item>) -> Vec<Item> {
    let expanded = items.into_iter().flat_map(|item| match statics(&item) {
        Some(statics) => statics,
        None => vec![item],
    });
    expanded.collect()
}

fn statics(item: &Item) -> Option<Vec<Item>> {
    let Item::Macro(call) = item else { return None };
    let name = call.mac.path.segments.last()?;
    let is_lazy = name.ident == "lazy_static";
    let tokens = is_lazy.then(|| without_ref(&call.mac.tokens))?;
    Some(syn::parse2::<syn::File>(tokens).ok()?.items)
}

/// Turns `static ref NAME: T = value;` into `static NAME: T = value;`.
fn without_ref(tokens: &TokenStream) -> TokenStream {
    let tokens = tokens.clone().into_iter();
    let is_ref = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "ref");
    tokens.filter(|token| !is_ref(token)).collect()
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::expand;

    #[test]
    fn lazy_static_expands_to_statics() {
        for (source, expected) in [
            (
                "lazy_static! { pub static ref A: B = C::new(\"d\"); static ref E: F = g(); }",
                "pub static A : B = C :: new (\"d\") ; static E : F = g () ;",
            ),
            (
                "lazy_static::lazy_static! { a b }",
                "lazy_static :: lazy_static ! { a b }",
            ),
            (
                "other! { static ref A: B = C; }",
                "other ! { static ref A : B = C ; }",
            ),
        ] {
            let items = expand(syn::parse_file(source).unwrap().items);
            let text: Vec<_> = items
                .iter()
                .map(|item| item.to_token_stream().to_string())
                .collect();
            assert_eq!(text.join(" "), expected);
        }
    }
}
