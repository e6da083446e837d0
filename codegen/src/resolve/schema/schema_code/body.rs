//! The body of a function while it is followed: its variables, and which names are its own.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::Value;
use syn::{Item, Pat};

use crate::resolve::schema::Resolver;
use crate::sources::ModuleId;

/// What a local variable is.
pub(super) enum LocalVariable {
    /// schemars' generator, of any settings that change nothing about a structural schema.
    Generator,
    /// A schema, or a value of JSON.
    Value(Value),
    /// A part of another variable, which is changed through this one.
    Part(VariablePart),
}

/// The body of a function while it is followed.
pub(super) struct FunctionBody<'r, 'a, 'b> {
    pub(super) resolver: &'r mut Resolver<'a, 'b>,
    pub(super) this: Option<(ModuleId, &'a Item)>,
    pub(super) variables: BTreeMap<String, LocalVariable>,
    /// Other names that have a meaning of their own in the body.
    pub(super) names: BTreeSet<String>,
}

/// A part of a variable.
#[derive(Clone)]
pub(super) struct VariablePart {
    pub(super) variable: String,
    pub(super) keys: Vec<String>,
}

impl FunctionBody<'_, '_, '_> {
    /// True if code mentions a name that has a meaning of its own in the body.
    pub(super) fn is_of_body(&self, code: &impl ToTokens) -> bool {
        self.mentions(code.to_token_stream())
    }

    fn mentions(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                self.variables.contains_key(&name) || self.names.contains(&name)
            }
            TokenTree::Group(group) => self.mentions(group.stream()),
            _ => false,
        })
    }
}

/// The name that a pattern binds.
pub(super) fn name_of(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(name.ident.to_string()),
        Pat::Type(typed) => name_of(&typed.pat),
        _ => None,
    }
}

/// The last two segments of a path.
pub(super) fn ending(path: &syn::Path) -> String {
    let names = path.segments.iter().rev().take(2);
    let mut names: Vec<_> = names.map(|segment| segment.ident.to_string()).collect();
    names.reverse();
    names.join("::")
}

/// True for a statement or a field that only some builds have.
pub(super) fn is_conditional(code: &impl ToTokens) -> bool {
    let mut tokens = code.to_token_stream().into_iter();
    while let (Some(TokenTree::Punct(mark)), Some(TokenTree::Group(attribute))) =
        (tokens.next(), tokens.next())
        && mark.as_char() == '#'
    {
        if let Some(TokenTree::Ident(name)) = attribute.stream().into_iter().next()
            && (name == "cfg" || name == "cfg_attr")
        {
            return true;
        }
    }
    false
}
