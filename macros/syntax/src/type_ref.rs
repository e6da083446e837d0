//! Type references: types named in attributes.

use quote::ToTokens;

/// A type named in an attribute.
#[derive(Clone)]
pub struct TypeRef(pub syn::Type);

/// Compares the tokens, because `syn` compares types only with its costly feature `extra-traits`.
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
