//! Evaluation of Rust source: default functions, defaults of types, constants and array lengths.
//!
//! The evaluator supports literals, lists, constants, variants, struct literals, integer
//! arithmetic, `concat!`, well-known conversions and functions without arguments. The value of any
//! other expression is unknown.

mod calls;
mod expressions;
mod types;
mod written;

use serde_json::Value;
use syn::{Expr, Item, LitStr, Type};

use super::slot::Parameters;
use crate::diagnostic::Sink;
use crate::resolve::paths::{Found, Paths};
use crate::resolve::schema::Resolver;
use crate::resolve::schema::serde_attrs::{self, SerdeAttrs};
use crate::resolve::schema::serde_keys::SerdeSite;
use crate::sources::{ModuleId, Namespace, Sources, bare_name, named};

impl<'a> Resolver<'a, '_> {
    /// Returns the value of a default function as serde writes it, so `null` for `Option::None`.
    ///
    /// `path` is the value of `#[serde(default = "path")]` at a field of the type `ty`.
    pub(super) fn default_returned(&self, path: &LitStr, ty: &Type) -> Option<Value> {
        let path = path.parse::<syn::Path>().ok()?;
        let (reader, scope) = self.reader();
        reader.call(&path, &[], Some(Expected { ty, scope }), scope)
    }

    /// Returns the default of a type as serde writes it, so `null` for an `Option`.
    pub(super) fn default_of_type(&self, ty: &Type) -> Option<Value> {
        let (reader, scope) = self.reader();
        reader.default_of(Expected { ty, scope })
    }

    /// Evaluates an expression of the current type, such as an array length.
    pub(super) fn value_of(&self, expr: &Expr) -> Option<Value> {
        let (reader, scope) = self.reader();
        reader.value(expr, None, scope)
    }

    /// Evaluates an expression in a function whose `Self` type is `this`.
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

/// Evaluator of expressions.
struct Reader<'a> {
    sources: &'a Sources,
    paths: &'a Paths<'a>,
    /// Generic arguments of the item that contains the evaluated expression.
    parameters: &'a Parameters,
}

/// Scope of an expression or a type.
#[derive(Clone, Copy)]
struct Scope<'a> {
    module: ModuleId,
    /// The `Self` type.
    this: Option<(ModuleId, &'a Item)>,
    /// Number of items, such as functions, entered to reach this scope.
    depth: u8,
}

impl<'a> Scope<'a> {
    /// Enters another item. Returns `None` beyond 32 levels, so that the evaluation of recursive
    /// code ends.
    fn into(self, module: ModuleId, this: Option<(ModuleId, &'a Item)>) -> Option<Self> {
        const MAX_DEPTH: u8 = 32;
        (self.depth < MAX_DEPTH).then_some(Self {
            module,
            this,
            depth: self.depth + 1,
        })
    }
}

/// The expected type of a value, with the scope of that type.
#[derive(Clone, Copy)]
struct Expected<'t, 'a> {
    ty: &'t Type,
    scope: Scope<'a>,
}

impl<'a> Reader<'a> {
    fn type_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<Found<'a>> {
        if path.is_ident("Self") {
            return scope.this.map(|(module, item)| Found::Item(module, item));
        }
        self.paths.find(scope.module, path)
    }

    /// Looks up a function, constant or static. Returns `None` if several items have the name: each
    /// is for another `cfg`, and their values may differ.
    fn value_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<(ModuleId, &'a Item)> {
        let Found::Item(module, item) = self.paths.find_value(scope.module, path)? else {
            return None;
        };
        let (_, name) = named(item)?;
        let names = self.sources.names(module);
        let is_one = names.items(&bare_name(name), Namespace::Values).len() == 1;
        is_one.then_some((module, item))
    }

    fn serde(&self, attrs: &[syn::Attribute], site: SerdeSite, module: ModuleId) -> SerdeAttrs {
        // Errors in the attributes are reported where the type is resolved.
        let mut unheard = Sink::new();
        serde_attrs::parse(attrs, site, &self.sources[module], &mut unheard)
    }
}

/// Splits a path into its prefix and its last name.
fn split(path: &syn::Path) -> Option<(syn::Path, String)> {
    let mut prefix = path.clone();
    let last = prefix.segments.pop()?;
    prefix.segments.pop_punct();
    (!prefix.segments.is_empty()).then(|| (prefix, last.ident.to_string()))
}
