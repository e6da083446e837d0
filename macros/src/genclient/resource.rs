//! Implementations of `kube::Resource`, `HasSpec` and `HasStatus`.

use genclient_syntax::{ResourceAttrs, Scope};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Field, GenericArgument, ItemStruct, PathArguments, Type};

use super::names::{hidden_ident, kube_path};

pub(super) fn implementations(item: &ItemStruct, resource: &ResourceAttrs) -> TokenStream {
    let resource = implement_resource(resource);
    let spec = implement_spec(item, [quote!(&self.spec), quote!(&mut self.spec)]);
    let reference = quote!(::core::option::Option::as_ref(&self.status));
    let status = implement_status(item, [reference, quote!(&mut self.status)]);
    quote! { #resource #spec #status }
}

fn find_field<'i>(item: &'i ItemStruct, name: &str) -> Option<&'i Field> {
    item.fields
        .iter()
        .find(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
}

fn implement_resource(resource: &ResourceAttrs) -> TokenStream {
    let (kube, ident) = (kube_path(), &resource.ident);
    let (kind, group, plural) = (
        &resource.kind.value,
        &resource.group.value,
        &resource.plural.value,
    );
    let scope = match resource.scope {
        Scope::Namespaced => format_ident!("NamespaceResourceScope"),
        Scope::Cluster => format_ident!("ClusterResourceScope"),
    };
    let (version, api_version) = (hidden_ident("VERSION"), hidden_ident("api_version"));
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

/// `HasSpec` of a struct with a field `spec`. `read` is the body of `spec`, `write` of `spec_mut`.
pub(super) fn implement_spec(
    item: &ItemStruct,
    [read, write]: [TokenStream; 2],
) -> Option<TokenStream> {
    let (kube, ident, spec) = (kube_path(), &item.ident, &find_field(item, "spec")?.ty);
    let (generics, arguments, condition) = item.generics.split_for_impl();
    Some(quote! {
        impl #generics #kube::core::object::HasSpec for #ident #arguments #condition {
            type Spec = #spec;

            fn spec(&self) -> &Self::Spec {
                #read
            }

            fn spec_mut(&mut self) -> &mut Self::Spec {
                #write
            }
        }
    })
}

/// `HasStatus` of a struct with a field `status` that is an `Option`. `read` is the body of
/// `status`, `write` of `status_mut`.
pub(super) fn implement_status(
    item: &ItemStruct,
    [read, write]: [TokenStream; 2],
) -> Option<TokenStream> {
    let status = inner_of_option(&find_field(item, "status")?.ty)?;
    let (kube, ident) = (kube_path(), &item.ident);
    let (generics, arguments, condition) = item.generics.split_for_impl();
    Some(quote! {
        impl #generics #kube::core::object::HasStatus for #ident #arguments #condition {
            type Status = #status;

            fn status(&self) -> ::core::option::Option<&Self::Status> {
                #read
            }

            fn status_mut(&mut self) -> &mut ::core::option::Option<Self::Status> {
                #write
            }
        }
    })
}

/// Returns `T` of a type that is written `Option<T>`.
fn inner_of_option(ty: &Type) -> Option<&Type> {
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
