//! [`FunctionBody`]: state of the evaluation of a function, with its variables and local names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::Value;
use syn::{Item, Pat};

use crate::resolve::schema::Resolver;
use crate::sources::ModuleId;

pub(super) enum LocalVariable {
    /// schemars' generator, with settings that do not affect structural schemas.
    Generator,
    /// A schema, or another JSON value.
    Value(Value),
    /// A mutable borrow of a part of another variable.
    Part(VariablePart),
}

pub(super) struct FunctionBody<'r, 'a, 'b> {
    pub(super) resolver: &'r mut Resolver<'a, 'b>,
    pub(super) this: Option<(ModuleId, &'a Item)>,
    pub(super) variables: BTreeMap<String, LocalVariable>,
    /// Names imported in the body.
    pub(super) names: BTreeSet<String>,
}

/// A part of a variable: the value that is reached from the variable by `keys`.
#[derive(Clone)]
pub(super) struct VariablePart {
    pub(super) variable: String,
    pub(super) keys: Vec<String>,
}

impl FunctionBody<'_, '_, '_> {
    /// True if code mentions a local variable or an import of the body.
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

/// Name that a pattern binds.
pub(super) fn name_of(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(name.ident.to_string()),
        Pat::Type(typed) => name_of(&typed.pat),
        _ => None,
    }
}

/// Last two segments of a path.
pub(super) fn ending(path: &syn::Path) -> String {
    let names = path.segments.iter().rev().take(2);
    let mut names: Vec<_> = names.map(|segment| segment.ident.to_string()).collect();
    names.reverse();
    names.join("::")
}

/// True for a statement or a field with `cfg` or `cfg_attr`.
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
