//! `Serialize` and `Deserialize` of a kind: serde's derive on a shadow of the struct.
//!
//! The shadow is a copy of the struct with its serde attributes, and with `apiVersion` and `kind`
//! as first fields. With `#[serde(remote)]`, the derive makes `serialize` and `deserialize`
//! functions of the shadow. The implementations for the struct call them. `serialize` gets the two
//! additional fields from getters; `deserialize` builds the shadow and converts it into the struct.

use genclient_syntax::ResourceAttrs;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Field, Ident, ItemStruct};

use super::names::{hidden_ident, serde_path};
use super::strip::is_serde;

pub(super) fn implementations(item: &ItemStruct, resource: &ResourceAttrs) -> TokenStream {
    let type_meta = type_meta_functions(resource);
    let shadow = shadow_struct(item);
    let conversion = shadow_conversion(item);
    let delegation = serde_impls(&item.ident);
    quote! { #type_meta #shadow #conversion #delegation }
}

/// Functions that write and check `apiVersion` and `kind`.
fn type_meta_functions(resource: &ResourceAttrs) -> TokenStream {
    let (serde, ident, kind) = (serde_path(), &resource.ident, &resource.kind.value);
    let version = version_items(resource);
    let (api_version, text) = (hidden_ident("api_version"), hidden_ident("Text"));
    let (get_api_version, read_api_version) = (
        hidden_ident("get_api_version"),
        hidden_ident("read_api_version"),
    );
    let (get_kind, read_kind) = (hidden_ident("get_kind"), hidden_ident("read_kind"));
    quote! {
        #version

        // For a field of type `&str`, serde's derive would borrow from the input. The alias hides
        // the type from the derive.
        type #text = &'static ::core::primitive::str;

        fn #get_api_version(_: &#ident) -> #text {
            #api_version()
        }

        fn #get_kind(_: &#ident) -> #text {
            #kind
        }

        fn #read_api_version<'de, D: #serde::Deserializer<'de>>(input: D) -> ::core::result::Result<#text, D::Error> {
            let found: ::core::option::Option<::std::string::String> = #serde::Deserialize::deserialize(input)?;
            ::genclient::__private::check_type_meta(
                #api_version(),
                #kind,
                ::core::option::Option::as_deref(&found),
                ::core::option::Option::None,
            )?;
            ::core::result::Result::Ok(#api_version())
        }

        fn #read_kind<'de, D: #serde::Deserializer<'de>>(input: D) -> ::core::result::Result<#text, D::Error> {
            let found: ::core::option::Option<::std::string::String> = #serde::Deserialize::deserialize(input)?;
            ::genclient::__private::check_type_meta(
                #api_version(),
                #kind,
                ::core::option::Option::None,
                ::core::option::Option::as_deref(&found),
            )?;
            ::core::result::Result::Ok(#kind)
        }
    }
}

/// The constant for the version, and the function that returns `apiVersion`. Without a stated
/// version, the constant is derived from the module path of the struct.
fn version_items(resource: &ResourceAttrs) -> TokenStream {
    let (constant, api_version) = (hidden_ident("VERSION"), hidden_ident("api_version"));
    let group = &resource.group.value;
    let str = quote!(&'static ::core::primitive::str);
    let version = match &resource.version {
        Some(version) => version.value.to_token_stream(),
        None => quote!(::genclient::__private::version_of(::core::module_path!())),
    };
    let text = match &resource.version {
        _ if group.is_empty() => constant.to_token_stream(),
        Some(version) => format!("{group}/{}", version.value).to_token_stream(),
        None => quote! {{
            static TEXT: ::std::sync::LazyLock<::std::string::String> =
                ::std::sync::LazyLock::new(|| ::std::format!("{}/{}", #group, #constant));
            &TEXT
        }},
    };
    quote! {
        const #constant: #str = #version;

        fn #api_version() -> #str {
            #text
        }
    }
}

/// The shadow struct, with the derives of serde and the `#[serde(…)]` attributes of the user's
/// struct.
fn shadow_struct(item: &ItemStruct) -> TokenStream {
    let (serde, ident, shadow, text) = (
        serde_path(),
        &item.ident,
        hidden_ident("Object"),
        hidden_ident("Text"),
    );
    let (api_version, kind) = (hidden_ident("api_version"), hidden_ident("kind"));
    let (macros, attrs): (Vec<&Attribute>, Vec<&Attribute>) = item
        .attrs
        .iter()
        .filter(|attr| is_serde(attr))
        .partition(|attr| !attr.path().is_ident("serde"));
    let (path, remote) = (serde.to_string().replace(' ', ""), ident.to_string());
    let [get_api_version, get_kind] =
        ["get_api_version", "get_kind"].map(|name| hidden_ident(name).to_string());
    let [read_api_version, read_kind] =
        ["read_api_version", "read_kind"].map(|name| hidden_ident(name).to_string());
    let fields = item.fields.iter().map(|field| shadow_field(field, ident));
    quote! {
        #(#macros)*
        #[derive(#serde::Serialize, #serde::Deserialize)]
        #[serde(crate = #path, remote = #remote, bound = "")]
        #(#attrs)*
        struct #shadow {
            #[serde(rename = "apiVersion", default, getter = #get_api_version, deserialize_with = #read_api_version)]
            #api_version: #text,
            #[serde(rename = "kind", default, getter = #get_kind, deserialize_with = #read_kind)]
            #kind: #text,
            #(#fields,)*
        }
    }
}

/// A field of the shadow with its serde attributes. The name of the user's type replaces `Self`,
/// which would mean the shadow.
fn shadow_field(field: &Field, ident: &Ident) -> TokenStream {
    let attrs = field
        .attrs
        .iter()
        .filter(|attr| is_serde(attr) || attr.path().is_ident("cfg"));
    let (name, ty) = (&field.ident, &field.ty);
    replace_self(quote! { #(#attrs)* #name: #ty }, ident)
}

/// Replaces `Self` with the name of the type.
fn replace_self(tokens: TokenStream, ident: &Ident) -> TokenStream {
    let named = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) if word == "Self" => {
            let mut ident = ident.clone();
            ident.set_span(word.span());
            TokenTree::Ident(ident)
        }
        TokenTree::Group(group) => {
            let mut named = Group::new(group.delimiter(), replace_self(group.stream(), ident));
            named.set_span(group.span());
            TokenTree::Group(named)
        }
        token => token,
    });
    named.collect()
}

/// Conversion of the deserialized shadow into the struct.
fn shadow_conversion(item: &ItemStruct) -> TokenStream {
    let (ident, shadow) = (&item.ident, hidden_ident("Object"));
    let fields = item.fields.iter().map(|field| {
        let cfg = field
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"));
        let name = &field.ident;
        quote! { #(#cfg)* #name: shadow.#name }
    });
    quote! {
        impl ::core::convert::From<#shadow> for #ident {
            fn from(shadow: #shadow) -> Self {
                Self { #(#fields,)* }
            }
        }
    }
}

fn serde_impls(ident: &Ident) -> TokenStream {
    let (serde, shadow) = (serde_path(), hidden_ident("Object"));
    quote! {
        impl #serde::Serialize for #ident {
            fn serialize<S: #serde::Serializer>(&self, output: S) -> ::core::result::Result<S::Ok, S::Error> {
                #shadow::serialize(self, output)
            }
        }

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(input: D) -> ::core::result::Result<Self, D::Error> {
                #shadow::deserialize(input)
            }
        }
    }
}
