//! What a default function returns, read from its source: literals, constants, variants, struct literals, and the defaults of types.
//!
//! Nothing but integers is computed. What is not written as a value is no value.

mod calls;
mod expressions;
mod types;
mod written;

use serde_json::Value;
use syn::{Item, LitStr, Type};

use crate::diagnostic::Sink;
use crate::resolve::paths::{Found, Paths};
use crate::resolve::schema::Resolver;
use crate::resolve::schema::serde_attrs::{self, SerdeAttrs};
use crate::sources::{ModuleId, Sources};

impl Resolver<'_, '_> {
    /// The value that the function returns, as serde writes it; `null` for `None`.
    ///
    /// `path` is written at a field of the type `ty`.
    pub(super) fn default_returned(&self, path: &LitStr, ty: &Type) -> Option<Value> {
        let path = path.parse::<syn::Path>().ok()?;
        let (reader, scope) = self.reader();
        reader.call(&path, &[], Some(Expected { ty, scope }), scope)
    }

    /// The default of a type, as serde writes it; `null` for `None`.
    pub(super) fn default_of_type(&self, ty: &Type) -> Option<Value> {
        let (reader, scope) = self.reader();
        reader.default_of(Expected { ty, scope })
    }

    fn reader(&self) -> (Reader<'_>, Scope<'_>) {
        let reader = Reader {
            sources: self.sources,
            paths: self.paths,
        };
        let scope = Scope {
            module: self.module,
            this: None,
            depth: 0,
        };
        (reader, scope)
    }
}

/// Reads values from expressions.
struct Reader<'a> {
    sources: &'a Sources,
    paths: &'a Paths<'a>,
}

/// Where an expression or a type is written.
#[derive(Clone, Copy)]
struct Scope<'a> {
    module: ModuleId,
    /// What `Self` is.
    this: Option<(ModuleId, &'a Item)>,
    /// How many functions and types lie between here and the field.
    depth: u8,
}

impl<'a> Scope<'a> {
    /// Inside another item; `None` if this goes round in a circle.
    fn into(self, module: ModuleId, this: Option<(ModuleId, &'a Item)>) -> Option<Self> {
        const DEEPEST: u8 = 32;
        (self.depth < DEEPEST).then_some(Self {
            module,
            this,
            depth: self.depth + 1,
        })
    }
}

/// The type that a value has to have, and where it is written.
#[derive(Clone, Copy)]
struct Expected<'t, 'a> {
    ty: &'t Type,
    scope: Scope<'a>,
}

impl<'a> Reader<'a> {
    /// A type by its path.
    fn type_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<Found<'a>> {
        if path.is_ident("Self") {
            return scope.this.map(|(module, item)| Found::Item(module, item));
        }
        self.paths.find(scope.module, path)
    }

    /// A function, constant or static by its path.
    fn value_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<(ModuleId, &'a Item)> {
        match self.paths.find_value(scope.module, path)? {
            Found::Item(module, item) => Some((module, item)),
            Found::Foreign(_) | Found::Unreadable(_) => None,
        }
    }

    fn serde(&self, attrs: &[syn::Attribute], module: ModuleId) -> SerdeAttrs {
        // Whatever is wrong with them is reported where the type is resolved.
        let mut unheard = Sink::new();
        serde_attrs::parse(attrs, &self.sources[module], &mut unheard)
    }
}

/// The path without its last name, and that name.
fn split(path: &syn::Path) -> Option<(syn::Path, String)> {
    let mut prefix = path.clone();
    let last = prefix.segments.pop()?;
    prefix.segments.pop_punct();
    (!prefix.segments.is_empty()).then(|| (prefix, last.ident.to_string()))
}
