//! What a default function returns, read from its source: literals, constants, variants, struct literals, and the defaults of types.
//!
//! Nothing but integers is computed. What is not written as a value is no value.

mod calls;
mod expressions;
mod types;
mod written;

use serde_json::Value;
use syn::{Expr, Item, LitStr, Type};

use crate::diagnostic::Sink;
use crate::resolve::paths::{Found, Paths};
use crate::resolve::schema::Resolver;
use crate::resolve::schema::parameters::Parameters;
use crate::resolve::schema::serde_attrs::{self, SerdeAttrs};
use crate::sources::{ModuleId, Namespace, Sources, bare_name, named};

impl<'a> Resolver<'a, '_> {
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

    /// The value of an expression in an attribute or a type.
    pub(super) fn value_of(&self, expr: &Expr) -> Option<Value> {
        let (reader, scope) = self.reader();
        reader.value(expr, None, scope)
    }

    /// The value of an expression in a function; `this` is what `Self` is there.
    pub(super) fn value_in(
        &self,
        expr: &Expr,
        this: Option<(ModuleId, &'a Item)>,
    ) -> Option<Value> {
        let (reader, scope) = self.reader();
        reader.value(expr, None, Scope { this, ..scope })
    }

    fn reader(&self) -> (Reader<'_>, Scope<'_>) {
        let reader = Reader {
            sources: self.sources,
            paths: self.paths,
            parameters: &self.parameters,
        };
        let scope = Scope {
            module: self.module,
            this: self.container().map(|item| (self.module, item)),
            depth: 0,
        };
        (reader, scope)
    }
}

/// Reads values from expressions.
struct Reader<'a> {
    sources: &'a Sources,
    paths: &'a Paths<'a>,
    /// Parameters of the item that the first expression stands in.
    parameters: &'a Parameters,
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

    /// A function, constant or static by its path. Of two that have the name, each is for another
    /// build.
    fn value_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<(ModuleId, &'a Item)> {
        let Found::Item(module, item) = self.paths.find_value(scope.module, path)? else {
            return None;
        };
        let (_, name) = named(item)?;
        let names = self.sources.names(module);
        let is_one = names.items(&bare_name(name), Namespace::Values).len() == 1;
        is_one.then_some((module, item))
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
