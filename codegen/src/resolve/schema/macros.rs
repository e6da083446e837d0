//! Lookup of the macro that may define an unresolved name.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, MetaList};

use super::Resolver;
use crate::diagnostic::Location;
use crate::lookup::{Reach, Target, Wanted};
use crate::resolve::kind::is_attribute_macro;
use crate::sources::{Module, Namespace, bare_name};

impl Resolver<'_, '_> {
    /// Returns the location of the macro that may define `path`: a macro call or attribute macro
    /// whose input contains a name of the path, in a loaded module of the crate. If there is none,
    /// returns an `include!` in the module that should define the last name.
    ///
    /// The module that contains `path` is searched first, then all modules of its crate in order.
    pub(super) fn macro_that_makes(&self, path: &syn::Path) -> Option<Location> {
        let here = &self.sources[self.module];
        let all = self
            .sources
            .modules()
            .map(|(_, other)| other)
            .filter(|other| other.krate == here.krate);
        let modules: Vec<_> = std::iter::once(here).chain(all).collect();
        let names = path.segments.iter().rev().map(|one| bare_name(&one.ident));
        // The macro may define a module in the middle of the path, so every name is searched.
        names
            .filter(|name| !["crate", "self", "super"].contains(&name.as_str()))
            .find_map(|name| modules.iter().find_map(|module| in_module(module, &name)))
            .or_else(|| includes(self.module_of(path)?))
    }

    /// Returns the module that should define the path's last name.
    fn module_of(&self, path: &syn::Path) -> Option<&Module> {
        let mut above = Wanted::new(self.module, path, Namespace::Types);
        above.segments.pop();
        if above.segments.is_empty() {
            return Some(&self.sources[self.module]);
        }
        match self.paths.look_up(&above, Reach::Everywhere)? {
            Target::Module(module) => Some(&self.sources[module]),
            _ => None,
        }
    }
}

fn in_module(module: &Module, name: &str) -> Option<Location> {
    module.items.iter().find_map(|item| match item {
        Item::Macro(item) if mentions(&item.mac.tokens, name) => {
            Some(module.locate(&item.mac.path))
        }
        Item::Struct(item) => by_attribute(&item.attrs, module, name),
        Item::Enum(item) => by_attribute(&item.attrs, module, name),
        _ => None,
    })
}

/// Location of an `include!`, whose file is not read.
fn includes(module: &Module) -> Option<Location> {
    module.items.iter().find_map(|item| match item {
        Item::Macro(item) if item.mac.path.is_ident("include") => {
            Some(module.locate(&item.mac.path))
        }
        _ => None,
    })
}

/// Location of an attribute macro with the name in its input.
fn by_attribute(attrs: &[Attribute], module: &Module, name: &str) -> Option<Location> {
    let attr = attrs.iter().find(|attr| {
        let names_it = |list: &MetaList| mentions(&list.tokens, name);
        is_attribute_macro(attr) && attr.meta.require_list().is_ok_and(names_it)
    })?;
    Some(module.locate(attr.path()))
}

/// True if the tokens contain a name, as an identifier or as a string literal.
pub(in crate::resolve) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => bare_name(&ident) == name,
        TokenTree::Literal(literal) => literal.to_string().trim_matches('"') == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) => false,
    })
}
