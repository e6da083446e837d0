//! Implementations of `kube::Resource`, `HasSpec` and `HasStatus`.

use genclient_syntax::{ResourceAttrs, Scope};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Field, GenericArgument, ItemStruct, PathArguments, Type};

use super::names::{hidden, kube};

pub(super) fn implementations(item: &ItemStruct, resource: &ResourceAttrs) -> TokenStream {
    let resource = implement_resource(resource);
    let spec = field(item, "spec").map(|spec| implement_spec(item, &spec.ty));
    let status = field(item, "status").and_then(|status| inner_of_option(&status.ty));
    let status = status.map(|status| implement_status(item, status));
    quote! { #resource #spec #status }
}

pub(super) fn field<'i>(item: &'i ItemStruct, name: &str) -> Option<&'i Field> {
    item.fields
        .iter()
        .find(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
}

fn implement_resource(resource: &ResourceAttrs) -> TokenStream {
    let (kube, ident) = (kube(), &resource.ident);
    let (kind, group, plural) = (
        &resource.kind.value,
        &resource.group.value,
        &resource.plural.value,
    );
    let scope = match resource.scope {
        Scope::Namespaced => format_ident!("NamespaceResourceScope"),
        Scope::Cluster => format_ident!("ClusterResourceScope"),
    };
    let (version, api_version) = (hidden("VERSION"), hidden("api_version"));
    let text = quote!(::std::borrow::Cow<'_, ::core::primitive::str>);
    quote! {
        impl #kube::Resource for #ident {
            type DynamicType = ();
            type Scope = #kube::core::#scope;

            fn kind(_: &()) -> #text {
                ::std::borrow::Cow::Borrowed(#kind)
            }

            fn group(_: &()) -> #text {
                ::std::borrow::Cow::Borrowed(#group)
            }

            fn version(_: &()) -> #text {
                ::std::borrow::Cow::Borrowed(#version)
            }

            fn api_version(_: &()) -> #text {
                ::std::borrow::Cow::Borrowed(#api_version())
            }

            fn plural(_: &()) -> #text {
                ::std::borrow::Cow::Borrowed(#plural)
            }

            fn meta(&self) -> &#kube::core::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut #kube::core::ObjectMeta {
                &mut self.metadata
            }
        }
    }
}

fn implement_spec(item: &ItemStruct, spec: &Type) -> TokenStream {
    let (kube, ident) = (kube(), &item.ident);
    quote! {
        impl #kube::core::object::HasSpec for #ident {
            type Spec = #spec;

            fn spec(&self) -> &#spec {
                &self.spec
            }

            fn spec_mut(&mut self) -> &mut #spec {
                &mut self.spec
            }
        }
    }
}

fn implement_status(item: &ItemStruct, status: &Type) -> TokenStream {
    let (kube, ident) = (kube(), &item.ident);
    quote! {
        impl #kube::core::object::HasStatus for #ident {
            type Status = #status;

            fn status(&self) -> ::core::option::Option<&#status> {
                ::core::option::Option::as_ref(&self.status)
            }

            fn status_mut(&mut self) -> &mut ::core::option::Option<#status> {
                &mut self.status
            }
        }
    }
}

/// `T` of a type that is written `Option<T>`.
pub(super) fn inner_of_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}
