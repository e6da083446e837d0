//! Expansion of `#[webhook]`: the impl with the constant `PATH`, and the errors in the attribute.

use genclient_syntax::{Problems, WebhookAttrs};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Item, parse_quote};

/// Expands `#[webhook(attr)] item`.
///
/// The macro reports every error, even in keys that only the command `genclient` uses. After an
/// error, it emits the impl without `PATH`, so that code that uses the impl has no further errors.
pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut parsed) = syn::parse2::<Item>(item.clone()) else {
        // The compiler's own error is more precise for tokens that are not an item.
        return item;
    };
    let mut problems = Problems::new();
    let webhook =
        with_attribute(&parsed, attr).and_then(|item| WebhookAttrs::parse(&item, &mut problems));
    let errors = problems.to_compile_errors();
    match (&mut parsed, webhook.and_then(|webhook| webhook.path)) {
        (Item::Impl(item), Some(path)) if problems.is_empty() => {
            let path = syn::LitStr::new(&path.value, path.span);
            item.items.push(parse_quote! {
                const PATH: ::core::option::Option<&'static ::core::primitive::str> =
                    ::core::option::Option::Some(#path);
            });
            quote!(#parsed)
        }
        _ => quote! { #item #errors },
    }
}

/// Returns the item with its `#[webhook]`, which the compiler removed.
fn with_attribute(item: &Item, attr: TokenStream) -> Option<Item> {
    let attribute: Attribute = if attr.is_empty() {
        parse_quote!(#[webhook])
    } else {
        parse_quote!(#[webhook(#attr)])
    };
    syn::parse2(quote! { #attribute #item }).ok()
}
