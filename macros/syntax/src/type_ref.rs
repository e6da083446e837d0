//! Type reference: a type that an attribute names.

use quote::ToTokens;

/// A type that an attribute names.
#[derive(Clone)]
pub struct TypeRef(pub syn::Type);

/// `syn` compares and shows types only with its costly `extra-traits`; tokens do.
impl PartialEq for TypeRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_token_stream().to_string() == other.0.to_token_stream().to_string()
    }
}

impl std::fmt::Debug for TypeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_token_stream().to_string())
    }
}
