//! Expansion of `#[derive(CrdSchema)]`: checks the attributes and generates no code.

use genclient_syntax::{Problems, TypeAttrs};
use proc_macro2::TokenStream;
use syn::DeriveInput;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut problems = Problems::new();
    match syn::parse2::<DeriveInput>(item) {
        Ok(item) => drop(TypeAttrs::of_derive(&item, &mut problems)),
        Err(error) => problems.push(error.into()),
    }
    problems.to_compile_errors()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expand;

    #[test]
    fn valid_types_expand_to_nothing() {
        let item = quote! {
            struct Spec {
                #[crd(min_length = 1)]
                name: String,
            }
        };
        assert!(expand(item).is_empty());
    }

    #[test]
    fn every_mistake_is_a_separate_compile_error() {
        let item = quote! {
            #[crd(storage)]
            struct Spec {
                #[crd(min_lenght = 1)]
                name: String,
                #[crd(minimum = "1")]
                count: i32,
            }
        };
        assert_eq!(expand(item).to_string().matches("compile_error").count(), 3);
    }
}
