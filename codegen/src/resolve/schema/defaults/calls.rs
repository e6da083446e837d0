//! Evaluation of call expressions: constructors, conversions, and the user's functions.

use serde_json::{Map, Value};
use syn::punctuated::Punctuated;
use syn::{Expr, ImplItem, Item, ItemImpl, ReturnType, Token, Type};

use super::expressions::{last_name as last, made_by, tail};
use super::{Expected, Reader, Scope, split};
use crate::resolve::paths::{self, Found};
use crate::resolve::schema::generics::type_arguments;
use crate::sources::ModuleId;

impl<'a> Reader<'a> {
    pub(super) fn call(
        &self,
        path: &syn::Path,
        arguments: &[&Expr],
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        if let ([value], Some("Some")) = (arguments, last(path).as_deref()) {
            return self.value(value, expected.and_then(inner), scope);
        }
        if let Some(inner) = lazy_value(path, arguments) {
            return self.value(inner, expected, scope);
        }
        if let Some((module, Item::Fn(function))) = self.value_at(path, scope) {
            let scope = scope.into(module, None)?;
            return self.body(&function.sig, &function.block, scope, expected);
        }
        if let Some((prefix, name)) = split(path) {
            if last(&prefix).as_deref() == Some("Default") && name == "default" {
                return self.default_of(expected?);
            }
            return match self.type_at(&prefix, scope)? {
                Found::Item(module, item) => self.of_item((module, item), &name, arguments, scope),
                Found::Unreadable(_) => None,
                Found::Foreign(names) => {
                    self.of_foreign(names.last()?, &name, (&prefix, arguments), expected, scope)
                }
            };
        }
        self.newtype(path, arguments, scope)
    }

    /// Returns the value of a newtype constructor, such as `Port(80)`.
    fn newtype(&self, path: &syn::Path, arguments: &[&Expr], scope: Scope<'a>) -> Option<Value> {
        let [value] = arguments else {
            return None;
        };
        match self.type_at(path, scope)? {
            Found::Item(module, Item::Struct(item)) => {
                let field = item
                    .fields
                    .iter()
                    .next()
                    .filter(|_| item.fields.len() == 1)?;
                let inner = scope.into(module, None)?;
                let expected = Expected {
                    ty: &field.ty,
                    scope: inner,
                };
                let value = self.value(value, Some(expected), scope)?;
                self.newtype_of(module, item, field, value)
            }
            Found::Item(..) => None,
            Found::Unreadable(_) => None,
            Found::Foreign(names) => {
                let is_text = ["Quantity"].contains(&names.last()?.as_str());
                is_text.then(|| self.value(value, None, scope)).flatten()
            }
        }
    }

    /// Returns the value of a call on a type, such as `Policy::Limit(3)`, `Policy::default()` or
    /// `Policy::usual()`.
    fn of_item(
        &self,
        (module, item): (ModuleId, &'a Item),
        name: &str,
        arguments: &[&Expr],
        scope: Scope<'a>,
    ) -> Option<Value> {
        match arguments {
            [] => self
                .associated(module, item, name, None, scope)
                .or_else(|| {
                    (name == "default").then(|| self.default_of_item(module, item, scope))?
                }),
            [value] => self.variant(module, item, name, Some(value), scope),
            _ => None,
        }
    }

    /// Returns the value of a call on a foreign type, such as `Vec::new()`, `String::from("a")` or
    /// `Box::new(1)`.
    fn of_foreign(
        &self,
        ty: &str,
        function: &str,
        (path, arguments): (&syn::Path, &[&Expr]),
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        match (ty, function, arguments) {
            ("Option", "default", []) => Some(Value::Null),
            (_, "new" | "default", []) => self.default_of_foreign(ty, path, scope),
            ("String" | "Vec" | "Cow", "from", [value]) => self.value(value, expected, scope),
            ("BTreeMap" | "HashMap" | "IndexMap", "from", [Expr::Array(entries)]) => {
                self.entries(&entries.elems, expected, scope)
            }
            ("Box" | "Rc" | "Arc", "new" | "from", [value]) => {
                self.value(value, expected.and_then(inner), scope)
            }
            ("IntOrString", "Int" | "String", [value]) => self
                .value(value, None, scope)
                .filter(|value| value.is_string() || (function == "Int" && value.is_i64())),
            _ => None,
        }
    }

    /// Returns the object for a list of key-value pairs, such as `[("a", 1), ("b", 2)]`.
    fn entries(
        &self,
        entries: &Punctuated<Expr, Token![,]>,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let ty = expected.and_then(|expected| {
            let Type::Path(path) = expected.ty else {
                return None;
            };
            let ty = type_arguments(&path.path).nth(1)?;
            Some(Expected { ty, ..expected })
        });
        let entries = entries.iter().map(|entry| {
            let Expr::Tuple(entry) = entry else {
                return None;
            };
            let [key, value] = [entry.elems.first()?, entry.elems.last()?];
            let key = self.value(key, None, scope)?.as_str()?.to_owned();
            Some((key, self.value(value, ty, scope)?))
        });
        entries.collect::<Option<Map<_, _>>>().map(Value::Object)
    }

    /// Returns the value of the function `name` in an `impl` of the type `item`. If `of_trait` is
    /// given, only an `impl` of that trait counts.
    pub(super) fn associated(
        &self,
        module: ModuleId,
        item: &'a Item,
        name: &str,
        of_trait: Option<&str>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let blocks = self.impls(module, item);
        let function = blocks
            .filter(|block| of_trait.is_none() || trait_name(block).as_deref() == of_trait)
            .flat_map(|block| &block.items)
            .find_map(|member| match member {
                ImplItem::Fn(function) if function.sig.ident == name => Some(function),
                _ => None,
            })?;
        let scope = scope.into(module, Some((module, item)))?;
        self.body(&function.sig, &function.block, scope, None)
    }

    pub(super) fn associated_constant(
        &self,
        module: ModuleId,
        item: &'a Item,
        name: &str,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let mut members = self.impls(module, item).flat_map(|block| &block.items);
        let constant = members.find_map(|member| match member {
            ImplItem::Const(constant) if constant.ident == name => Some(constant),
            _ => None,
        })?;
        let scope = scope.into(module, Some((module, item)))?;
        let ty = &constant.ty;
        self.value(&constant.expr, Some(Expected { ty, scope }), scope)
    }

    pub(super) fn constant(
        &self,
        module: ModuleId,
        item: &'a Item,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let scope = scope.into(module, None)?;
        let (ty, expr) = match item {
            Item::Const(item) => (&item.ty, &item.expr),
            Item::Static(item) => (&item.ty, &item.expr),
            _ => return None,
        };
        self.value(expr, Some(Expected { ty, scope }), scope)
    }

    fn impls(&self, module: ModuleId, item: &Item) -> impl Iterator<Item = &'a ItemImpl> {
        let name = paths::item_name(item);
        self.sources[module]
            .items
            .iter()
            .filter_map(move |item| match item {
                Item::Impl(block) if self_name(block) == name => Some(block),
                _ => None,
            })
    }

    fn body(
        &self,
        signature: &syn::Signature,
        block: &syn::Block,
        scope: Scope<'a>,
        expected: Option<Expected<'_, 'a>>,
    ) -> Option<Value> {
        if !signature.inputs.is_empty() {
            return None;
        }
        let generic = !signature.generics.params.is_empty();
        let declared = match &signature.output {
            ReturnType::Type(_, ty) if !generic => Some(Expected { ty, scope }),
            _ => expected,
        };
        self.value(tail(block)?, declared, scope)
    }
}

/// Returns the `value` of `LazyLock::new(|| value)` or `Regex::new(value)`. The types are
/// recognized by name, so that their crates are not loaded.
fn lazy_value<'e>(path: &syn::Path, arguments: &[&'e Expr]) -> Option<&'e Expr> {
    let (ty, function) = split(path)?;
    match (last(&ty)?.as_str(), function.as_str(), arguments) {
        ("Lazy" | "LazyLock", "new", [closure]) => made_by(closure),
        ("Regex", "new", [expression]) => Some(expression),
        _ => None,
    }
}

/// Returns the expected type of the content of an `Option<…>` or `Box<…>`.
fn inner<'t, 'a>(expected: Expected<'t, 'a>) -> Option<Expected<'t, 'a>> {
    let Type::Path(path) = expected.ty else {
        return None;
    };
    let ty = type_arguments(&path.path).next()?;
    Some(Expected { ty, ..expected })
}

fn trait_name(block: &ItemImpl) -> Option<String> {
    last(&block.trait_.as_ref()?.0)
}

fn self_name(block: &ItemImpl) -> Option<String> {
    match &*block.self_ty {
        Type::Path(path) => last(&path.path),
        _ => None,
    }
}
