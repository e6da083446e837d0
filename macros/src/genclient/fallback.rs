//! Stub implementations of a kind whose attributes have an error. Other code that uses the kind
//! then compiles without further errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

use super::names::{kube_path, serde_path};
use super::resource::{implement_spec, implement_status};

pub(super) fn implementations(item: &ItemStruct) -> TokenStream {
    let serialization = implement_serialization(item);
    let resource = implement_resource(item);
    let spec = implement_spec(item, [unreachable_body(), unreachable_body()]);
    let status = implement_status(item, [unreachable_body(), unreachable_body()]);
    quote! { #serialization #resource #spec #status }
}

fn implement_serialization(item: &ItemStruct) -> TokenStream {
    let body = unreachable_body();
    let (serde, ident) = (serde_path(), &item.ident);
    let (generics, arguments, condition) = item.generics.split_for_impl();
    let mut reading = item.generics.clone();
    reading.params.insert(0, syn::parse_quote!('__de));
    let (reading, ..) = reading.split_for_impl();
    quote! {
        impl #generics #serde::Serialize for #ident #arguments #condition {
            fn serialize<__S: #serde::Serializer>(&self, _: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                #body
            }
        }

        impl #reading #serde::Deserialize<'__de> for #ident #arguments #condition {
            fn deserialize<__D: #serde::Deserializer<'__de>>(_: __D) -> ::core::result::Result<Self, __D::Error> {
                #body
            }
        }
    }
}

fn implement_resource(item: &ItemStruct) -> TokenStream {
    let body = unreachable_body();
    let (kube, ident) = (kube_path(), &item.ident);
    let (generics, arguments, condition) = item.generics.split_for_impl();
    let names = ["kind", "group", "version", "plural"]
        .map(|name| syn::Ident::new(name, proc_macro2::Span::call_site()));
    quote! {
        impl #generics #kube::Resource for #ident #arguments #condition {
            type DynamicType = ();
            type Scope = #kube::core::NamespaceResourceScope;

            #(fn #names(_: &()) -> ::std::borrow::Cow<'_, ::core::primitive::str> {
                #body
            })*

            fn meta(&self) -> &#kube::core::ObjectMeta {
                #body
            }

            fn meta_mut(&mut self) -> &mut #kube::core::ObjectMeta {
                #body
            }
        }
    }
}

/// Body of every stub. It fits every return type, and never runs, because every stub comes with a
/// `compile_error!`.
fn unreachable_body() -> TokenStream {
    quote! { ::core::unreachable!() }
}
