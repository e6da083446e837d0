//! Expansion of `#[genclient]`: the struct and the trait implementations of a kind. A spec with
//! `#[kube(…)]` is only checked.

mod fallback;
mod names;
mod resource;
mod serialization;
mod strip;

#[cfg(test)]
mod tests;

use genclient_syntax::{KubeAttrs, Problems, ResourceAttrs, is_kube};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, ItemStruct, parse_quote};

/// Expands `#[genclient(attr)] item`.
///
/// `is_above` returns whether a token is above the attribute. After an error, the expansion keeps
/// the struct and replaces the implementations with stubs, so that code that uses the struct
/// compiles without further errors.
pub(crate) fn expand(
    attr: TokenStream,
    item: TokenStream,
    is_above: impl Fn(Span) -> bool,
) -> TokenStream {
    if let Ok(spec) = syn::parse2::<DeriveInput>(item.clone())
        && is_kube(&spec.attrs)
    {
        return expand_kube_spec(attr, spec);
    }
    let mut item = match syn::parse2::<ItemStruct>(item.clone()) {
        Ok(item) => item,
        Err(error) => return reject_item(item, error),
    };
    restore_attribute(attr, &mut item.attrs, is_above);
    let mut problems = Problems::new();
    let resource = ResourceAttrs::parse(&item, &mut problems);
    let stripped = strip::strip_attributes(&item);
    let implementations = match resource {
        Some(resource) if problems.is_empty() => implementations(&item, &resource),
        _ => fallback::implementations(&item),
    };
    // A `cfg` below the attribute is not evaluated yet, so it is copied to the implementations.
    let conditions = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let errors = problems.to_compile_errors();
    // `allow`, because `expect` would be reported where nothing is deprecated.
    quote! {
        #stripped

        #(#conditions)*
        #[allow(deprecated, reason = "the struct or a field of it may be deprecated")]
        const _: () = {
            #implementations
        };

        #errors
    }
}

/// Checks a spec with `#[kube(…)]` and the options in `#[genclient(…)]`. The spec is unchanged,
/// because only the command `genclient` generates code from the options.
fn expand_kube_spec(attr: TokenStream, spec: DeriveInput) -> TokenStream {
    let mut attrs = spec.attrs.clone();
    restore_attribute(attr, &mut attrs, |_| false);
    let fields = match &spec.data {
        syn::Data::Struct(data) => Some(&data.fields),
        _ => None,
    };
    let mut problems = Problems::new();
    KubeAttrs::parse(&attrs, &spec.ident, fields, &mut problems);
    let errors = problems.to_compile_errors();
    quote! { #spec #errors }
}

/// Inserts `#[genclient]`, which the compiler removed, after the leading attributes for which
/// `is_above` is true. The position lets [`ResourceAttrs::parse`] report misplaced attributes.
fn restore_attribute(
    attr: TokenStream,
    attrs: &mut Vec<Attribute>,
    is_above: impl Fn(Span) -> bool,
) {
    let position = attrs
        .iter()
        .take_while(|attr| is_above(attr.pound_token.span))
        .count();
    let attribute = if attr.is_empty() {
        parse_quote!(#[genclient])
    } else {
        parse_quote!(#[genclient(#attr)])
    };
    attrs.insert(position, attribute);
}

/// Returns whether a token is above the attribute that is being expanded.
///
/// The compiler has already expanded and removed derives above the attribute. Other attributes
/// above it are still there.
pub(crate) fn above_call_site(span: Span) -> bool {
    let (span, call) = (span.unwrap(), Span::call_site().unwrap());
    span.file() == call.file() && (span.line(), span.column()) < (call.line(), call.column())
}

fn implementations(item: &ItemStruct, resource: &ResourceAttrs) -> TokenStream {
    let serialization = serialization::implementations(item, resource);
    let resource = resource::implementations(item, resource);
    quote! { #serialization #resource }
}

/// Reports an item that is not a struct, such as an enum or a function. If the tokens are not an
/// item, reports the parser's error.
fn reject_item(item: TokenStream, error: syn::Error) -> TokenStream {
    let mut problems = Problems::new();
    let help = "write `struct Name { pub metadata: ObjectMeta, pub spec: .. }`";
    let item = match (
        syn::parse2::<DeriveInput>(item.clone()),
        syn::parse2::<syn::Item>(item.clone()),
    ) {
        (Ok(named), _) => {
            problems.report(
                named.ident.span(),
                "a kind must be a struct with named fields",
                help,
            );
            strip::strip_any_item(named).into_token_stream()
        }
        (_, Ok(_)) => {
            problems.report(
                Span::call_site(),
                "`#[genclient]` must be applied to a struct",
                help,
            );
            item
        }
        _ => {
            problems.push(error.into());
            item
        }
    };
    let errors = problems.to_compile_errors();
    quote! { #item #errors }
}
