//! Evaluation of Rust source: default functions, defaults of types, constants and array lengths.
//!
//! The evaluator supports literals, lists, constants, variants, struct literals, integer
//! arithmetic, `concat!`, well-known conversions and functions without arguments. The value of any
//! other expression is unknown.

use std::collections::BTreeMap;

use genclient_syntax::Json;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde_json::{Map, Number, Value};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, BinOp, Block, Expr, ExprBinary, ExprMethodCall, ExprStruct, Field, Fields, ImplItem,
    Item, ItemImpl, ItemStruct, Lit, LitStr, Member, Meta, Path, ReturnType, Stmt, Token, Type,
    UnOp, Variant,
};

use super::serde_attrs::{Rename, SerdeAttrs, SerdeSite, Tagging};
use super::types::type_arguments;
use super::{Parameters, Resolver};
use crate::known::{self, Known};
use crate::model::JsonType;
use crate::resolve::json_values;
use crate::resolve::kind::is_derived;
use crate::resolve::paths::{self, Found, Paths};
use crate::sources::{DefId, ModuleId, Namespace, Sources, bare_name, defined_name};

impl<'a> Resolver<'a, '_> {
    /// Returns the value of a default function as serde writes it, so `null` for `Option::None`.
    ///
    /// `path` is the value of `#[serde(default = "path")]` at a field of the type `ty`.
    pub(super) fn default_returned(&self, path: &LitStr, ty: &Type) -> Option<Value> {
        let path = path.parse::<syn::Path>().ok()?;
        let (evaluator, scope) = self.evaluator();
        evaluator.evaluate_call(&path, &[], Some(Expected { ty, scope }), scope)
    }

    /// Returns the default of a type as serde writes it, so `null` for an `Option`.
    pub(super) fn default_of_type(&self, ty: &Type) -> Option<Value> {
        let (evaluator, scope) = self.evaluator();
        evaluator.default_of(Expected { ty, scope })
    }

    /// Evaluates an expression of the current type, such as an array length.
    pub(super) fn value_of(&self, expr: &Expr) -> Option<Value> {
        let (evaluator, scope) = self.evaluator();
        evaluator.evaluate(expr, None, scope)
    }

    /// Evaluates an expression in a function whose `Self` type is `this`.
    pub(super) fn value_in(&self, expr: &Expr, this: Option<(DefId, &'a Item)>) -> Option<Value> {
        let (evaluator, scope) = self.evaluator();
        evaluator.evaluate(expr, None, Scope { this, ..scope })
    }

    fn evaluator(&self) -> (Evaluator<'_>, Scope<'_>) {
        let evaluator = Evaluator {
            sources: self.sources,
            paths: self.paths,
            parameters: &self.parameters,
        };
        let scope = Scope {
            module: self.module,
            this: self.container(),
            depth: 0,
        };
        (evaluator, scope)
    }
}

/// Returns the value of a constant expression in `module`, such as the length of an array.
/// `numbers` are the arguments of the const parameters there. `None` if source does not determine
/// an unsigned integer.
pub(in crate::resolve) fn evaluate_number(
    expr: &Expr,
    numbers: BTreeMap<String, Option<u64>>,
    module: ModuleId,
    sources: &Sources,
    paths: &Paths<'_>,
) -> Option<u64> {
    let parameters = Parameters {
        numbers,
        ..Parameters::default()
    };
    let evaluator = Evaluator {
        sources,
        paths,
        parameters: &parameters,
    };
    let scope = Scope {
        module,
        this: None,
        depth: 0,
    };
    evaluator.evaluate(expr, None, scope)?.as_u64()
}

/// Evaluator of expressions.
struct Evaluator<'a> {
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
    this: Option<(DefId, &'a Item)>,
    /// Number of items, such as functions, entered to reach this scope.
    depth: u8,
}

impl<'a> Scope<'a> {
    /// Enters another item. Returns `None` beyond 32 levels, so that the evaluation of recursive
    /// code ends.
    fn into(self, module: ModuleId, this: Option<(DefId, &'a Item)>) -> Option<Self> {
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

impl<'a> Evaluator<'a> {
    fn type_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<Found<'a>> {
        if path.is_ident("Self") {
            return scope.this.map(|(id, item)| Found::Item(id, item));
        }
        self.paths.find(scope.module, path)
    }

    /// Looks up a function, constant or static. Returns `None` if several items have the name: each
    /// is for another `cfg`, and their values may differ.
    fn value_at(&self, path: &syn::Path, scope: Scope<'a>) -> Option<(DefId, &'a Item)> {
        let Found::Item(id, item) = self.paths.find_value(scope.module, path)? else {
            return None;
        };
        let (_, name) = defined_name(item)?;
        let items = self
            .sources
            .items_named(id.module, &bare_name(name), Namespace::Values);
        (items.count() == 1).then_some((id, item))
    }

    fn serde(&self, attrs: &[syn::Attribute], site: SerdeSite, module: ModuleId) -> SerdeAttrs {
        SerdeAttrs::of_checked(attrs, site, &self.sources[module])
    }
}

/// Splits a path into its prefix and its last name.
fn split_last_segment(path: &syn::Path) -> Option<(syn::Path, String)> {
    let mut prefix = path.clone();
    let last = prefix.segments.pop()?;
    prefix.segments.pop_punct();
    (!prefix.segments.is_empty()).then(|| (prefix, last.ident.to_string()))
}

impl<'a> Evaluator<'a> {
    fn evaluate(
        &self,
        expr: &Expr,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        match expr {
            Expr::Lit(literal) => evaluate_literal(&literal.lit, ""),
            Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
                (UnOp::Neg(_), Expr::Lit(literal)) => evaluate_literal(&literal.lit, "-"),
                (UnOp::Deref(_), value) => self.evaluate(value, expected, scope),
                _ => None,
            },
            Expr::Binary(binary) => self.evaluate_arithmetic(binary, scope),
            Expr::Cast(cast) => {
                let value = self.evaluate(&cast.expr, None, scope)?;
                fits_type(&value, &cast.ty).then_some(value)
            }
            Expr::Paren(inner) => self.evaluate(&inner.expr, expected, scope),
            Expr::Group(inner) => self.evaluate(&inner.expr, expected, scope),
            Expr::Reference(inner) => self.evaluate(&inner.expr, expected, scope),
            Expr::Block(inner) if inner.label.is_none() => {
                self.evaluate(tail_expression(&inner.block)?, expected, scope)
            }
            Expr::MethodCall(call) => self.evaluate_conversion(call, expected, scope),
            Expr::Array(array) => self.evaluate_list(&array.elems, expected, scope),
            Expr::Macro(call) if call.mac.path.is_ident("vec") => {
                let items = call
                    .mac
                    .parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
                self.evaluate_list(&items.ok()?, expected, scope)
            }
            Expr::Macro(call) if call.mac.path.segments.last()?.ident == "concat" => {
                evaluate_concat(&call.mac)
            }
            Expr::Path(path) if path.qself.is_none() => self.evaluate_path(&path.path, scope),
            Expr::Call(call) => match &*call.func {
                Expr::Path(function) if function.qself.is_none() => {
                    let arguments: Vec<&Expr> = call.args.iter().collect();
                    self.evaluate_call(&function.path, &arguments, expected, scope)
                }
                _ => None,
            },
            Expr::Struct(literal) => self.struct_literal(literal, scope),
            _ => None,
        }
    }

    /// Evaluates integer arithmetic, such as `128 * 1024 * 1024`.
    fn evaluate_arithmetic(&self, binary: &ExprBinary, scope: Scope<'a>) -> Option<Value> {
        let operand = |expr: &Expr| as_integer(&self.evaluate(expr, None, scope)?);
        let (left, right) = (operand(&binary.left)?, operand(&binary.right)?);
        let result = match binary.op {
            BinOp::Add(_) => left.checked_add(right),
            BinOp::Sub(_) => left.checked_sub(right),
            BinOp::Mul(_) => left.checked_mul(right),
            BinOp::Div(_) => left.checked_div(right),
            BinOp::Rem(_) => left.checked_rem(right),
            BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
            BinOp::Shr(_) => left.checked_shr(u32::try_from(right).ok()?),
            BinOp::BitOr(_) => Some(left | right),
            BinOp::BitAnd(_) => Some(left & right),
            _ => None,
        }?;
        Number::from_i128(result).map(Value::Number)
    }

    /// Evaluates the method call of a conversion, such as `"a".to_owned()`, `"a".into()` or
    /// `Regex::new("a").unwrap()`. Also evaluates `CELL.get_or_init(|| value)`.
    fn evaluate_conversion(
        &self,
        call: &ExprMethodCall,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let method = call.method.to_string();
        match (method.as_str(), call.args.first()) {
            (_, None) => {}
            ("expect", Some(Expr::Lit(_))) => {
                return self.evaluate(&call.receiver, expected, scope);
            }
            ("get_or_init", Some(value)) => {
                return self.evaluate(closure_body(value)?, expected, scope);
            }
            _ => return None,
        }
        let value = self.evaluate(&call.receiver, None, scope)?;
        match method.as_str() {
            "to_owned" | "clone" | "to_vec" | "unwrap" => Some(value),
            "as_str" => value.is_string().then_some(value),
            "to_string" => match value {
                Value::String(text) => Some(text.into()),
                Value::Number(number) => Some(number.to_string().into()),
                Value::Bool(value) => Some(value.to_string().into()),
                _ => None,
            },
            // The result of `into` for a user's own type is unknown.
            "into" => expected
                .is_some_and(|expected| self.is_text_or_number(expected))
                .then_some(value),
            _ => None,
        }
    }

    fn is_text_or_number(&self, expected: Expected<'_, 'a>) -> bool {
        let Type::Path(path) = expected.ty else {
            return false;
        };
        let Some(Found::Foreign(names)) = self.type_at(&path.path, expected.scope) else {
            return false;
        };
        let last = names.last().map(String::as_str).unwrap_or_default();
        match last {
            "Option" | "Box" | "Rc" | "Arc" | "Cow" => type_arguments(&path.path)
                .next()
                .is_some_and(|ty| self.is_text_or_number(Expected { ty, ..expected })),
            "String" | "str" => true,
            "i64" | "u64" | "i32" | "u32" | "f64" | "f32" => names.len() == 1,
            _ => false,
        }
    }

    fn evaluate_list(
        &self,
        items: &Punctuated<Expr, Token![,]>,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let item = expected.and_then(|expected| {
            let ty = match expected.ty {
                Type::Path(path) => type_arguments(&path.path).next()?,
                Type::Array(array) => &array.elem,
                Type::Slice(slice) => &slice.elem,
                _ => return None,
            };
            Some(Expected { ty, ..expected })
        });
        let values = items.iter().map(|value| self.evaluate(value, item, scope));
        values.collect::<Option<Vec<_>>>().map(Value::Array)
    }

    /// Evaluates a path: `None`, a constant, a const parameter, or a variant without data.
    fn evaluate_path(&self, path: &syn::Path, scope: Scope<'a>) -> Option<Value> {
        if path.segments.last()?.ident == "None" {
            return Some(Value::Null);
        }
        if let Some(limit) =
            split_last_segment(path).and_then(|(ty, last)| numeric_limit(&last_name(&ty)?, &last))
        {
            return Some(limit);
        }
        let parameter = path.get_ident().filter(|_| scope.depth == 0);
        if let Some(number) = parameter.and_then(|name| self.parameters.number_argument(name)) {
            return number.map(Value::from);
        }
        if let Some((id, item)) = self.value_at(path, scope) {
            return self.evaluate_constant(id.module, item, scope);
        }
        let (prefix, last) = split_last_segment(path)?;
        match self.type_at(&prefix, scope)? {
            Found::Item(id, item) => self
                .evaluate_variant(id, item, &last, None, scope)
                .or_else(|| self.associated_constant(id, item, &last, scope)),
            Found::Unreadable(_) => None,
            Found::Foreign(_) => None,
        }
    }
}

fn last_name(path: &syn::Path) -> Option<String> {
    Some(path.segments.last()?.ident.to_string())
}

/// Returns the `value` of `|| value`.
fn closure_body(closure: &Expr) -> Option<&Expr> {
    match closure {
        Expr::Closure(closure) if closure.inputs.is_empty() => Some(&closure.body),
        _ => None,
    }
}

/// Evaluates `concat!("a", 1)`.
fn evaluate_concat(call: &syn::Macro) -> Option<Value> {
    call.parse_body_with(Punctuated::<Lit, Token![,]>::parse_terminated)
        .ok()?
        .into_iter()
        .map(|part| match evaluate_literal(&part, "")? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        })
        .collect::<Option<String>>()
        .map(Value::String)
}

/// Returns the expression that gives a block its value, such as `value` in `{ return value; }`.
/// Returns `None` if the block has other statements than a `static`.
fn tail_expression(block: &Block) -> Option<&Expr> {
    match &block.stmts[..] {
        // The `static` is the cell in `static CELL: .. = ..; CELL.get_or_init(|| value)`.
        [Stmt::Expr(value, None)] | [Stmt::Item(Item::Static(_)), Stmt::Expr(value, None)] => {
            Some(value)
        }
        [Stmt::Expr(Expr::Return(value), Some(_))] => value.expr.as_deref(),
        _ => None,
    }
}

fn as_integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

fn evaluate_literal(literal: &Lit, sign: &str) -> Option<Value> {
    match literal {
        Lit::Str(text) => Some(text.value().into()),
        Lit::Char(c) => Some(c.value().to_string().into()),
        Lit::Bool(value) => Some(value.value.into()),
        Lit::Int(number) => parse_number(&format!("{sign}{}", number.base10_digits())),
        Lit::Float(number) => parse_number(&format!("{sign}{}", number.base10_digits())),
        _ => None,
    }
}

fn parse_number(text: &str) -> Option<Value> {
    let padded = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_owned()
    };
    padded.parse::<Number>().ok().map(Value::Number)
}

/// True if a cast to the type keeps the number's value.
fn fits_type(value: &Value, ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let name = last_name(&path.path).unwrap_or_default();
    let bound = |constant: &str| numeric_limit(&name, constant).as_ref().and_then(as_integer);
    match (as_integer(value), bound("MIN").zip(bound("MAX"))) {
        (Some(number), Some((min, max))) => (min..=max).contains(&number),
        (Some(number), None) => number >= 0 || !name.starts_with('u'),
        (None, _) => value.is_number() && name.starts_with('f'),
    }
}

/// Returns the value of `i32::MAX` and similar constants.
fn numeric_limit(name: &str, constant: &str) -> Option<Value> {
    let (min, max): (i64, u64) = match name {
        "i8" => (i8::MIN.into(), i8::MAX as u64),
        "i16" => (i16::MIN.into(), i16::MAX as u64),
        "i32" => (i32::MIN.into(), i32::MAX as u64),
        "i64" => (i64::MIN, i64::MAX as u64),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        _ => return None,
    };
    match constant {
        "MIN" => Some(min.into()),
        "MAX" => Some(max.into()),
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    fn evaluate_call(
        &self,
        path: &syn::Path,
        arguments: &[&Expr],
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        if let ([value], Some("Some")) = (arguments, last_name(path).as_deref()) {
            return self.evaluate(value, expected.and_then(expected_content), scope);
        }
        if let Some(inner) = lazy_value(path, arguments) {
            return self.evaluate(inner, expected, scope);
        }
        if let Some((id, Item::Fn(function))) = self.value_at(path, scope) {
            let scope = scope.into(id.module, None)?;
            return self.evaluate_body(&function.sig, &function.block, scope, expected);
        }
        if let Some((prefix, name)) = split_last_segment(path) {
            if last_name(&prefix).as_deref() == Some("Default") && name == "default" {
                return self.default_of(expected?);
            }
            return match self.type_at(&prefix, scope)? {
                Found::Item(id, item) => self.call_on_item((id, item), &name, arguments, scope),
                Found::Unreadable(_) => None,
                Found::Foreign(names) => self.call_on_foreign(
                    names.last()?,
                    &name,
                    (&prefix, arguments),
                    expected,
                    scope,
                ),
            };
        }
        self.evaluate_newtype(path, arguments, scope)
    }

    /// Returns the value of a newtype constructor, such as `Port(80)`.
    fn evaluate_newtype(
        &self,
        path: &syn::Path,
        arguments: &[&Expr],
        scope: Scope<'a>,
    ) -> Option<Value> {
        let [value] = arguments else {
            return None;
        };
        match self.type_at(path, scope)? {
            Found::Item(id, Item::Struct(item)) => {
                let field = item
                    .fields
                    .iter()
                    .next()
                    .filter(|_| item.fields.len() == 1)?;
                let inner = scope.into(id.module, None)?;
                let expected = Expected {
                    ty: &field.ty,
                    scope: inner,
                };
                let value = self.evaluate(value, Some(expected), scope)?;
                self.newtype_of(id.module, item, field, value)
            }
            Found::Item(..) => None,
            Found::Unreadable(_) => None,
            Found::Foreign(names) => {
                let is_text = ["Quantity"].contains(&names.last()?.as_str());
                is_text.then(|| self.evaluate(value, None, scope)).flatten()
            }
        }
    }

    /// Returns the value of a call on a type, such as `Policy::Limit(3)`, `Policy::default()` or
    /// `Policy::usual()`.
    fn call_on_item(
        &self,
        (id, item): (DefId, &'a Item),
        name: &str,
        arguments: &[&Expr],
        scope: Scope<'a>,
    ) -> Option<Value> {
        match arguments {
            [] => self
                .call_associated_function(id, item, name, None, scope)
                .or_else(|| (name == "default").then(|| self.default_of_item(id, item, scope))?),
            [value] => self.evaluate_variant(id, item, name, Some(value), scope),
            _ => None,
        }
    }

    /// Returns the value of a call on a foreign type, such as `Vec::new()`, `String::from("a")` or
    /// `Box::new(1)`.
    fn call_on_foreign(
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
            ("String" | "Vec" | "Cow", "from", [value]) => self.evaluate(value, expected, scope),
            ("BTreeMap" | "HashMap" | "IndexMap", "from", [Expr::Array(entries)]) => {
                self.evaluate_entries(&entries.elems, expected, scope)
            }
            ("Box" | "Rc" | "Arc", "new" | "from", [value]) => {
                self.evaluate(value, expected.and_then(expected_content), scope)
            }
            ("IntOrString", "Int" | "String", [value]) => self
                .evaluate(value, None, scope)
                .filter(|value| value.is_string() || (function == "Int" && value.is_i64())),
            _ => None,
        }
    }

    /// Returns the object for a list of key-value pairs, such as `[("a", 1), ("b", 2)]`.
    fn evaluate_entries(
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
        entries
            .iter()
            .map(|entry| {
                let Expr::Tuple(entry) = entry else {
                    return None;
                };
                let [key, value] = [entry.elems.first()?, entry.elems.last()?];
                let name = self.evaluate(key, None, scope)?.as_str()?.to_owned();
                Some((name, self.evaluate(value, ty, scope)?))
            })
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object)
    }

    /// Returns the value of the function `name` in an `impl` of the type `item`. If `of_trait` is
    /// given, only an `impl` of that trait counts.
    fn call_associated_function(
        &self,
        id: DefId,
        item: &'a Item,
        name: &str,
        of_trait: Option<&str>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let blocks = self.impls(id.module, item);
        let function = blocks
            .filter(|block| of_trait.is_none() || trait_name(block).as_deref() == of_trait)
            .flat_map(|block| &block.items)
            .find_map(|member| match member {
                ImplItem::Fn(function) if function.sig.ident == name => Some(function),
                _ => None,
            })?;
        let scope = scope.into(id.module, Some((id, item)))?;
        self.evaluate_body(&function.sig, &function.block, scope, None)
    }

    fn associated_constant(
        &self,
        id: DefId,
        item: &'a Item,
        name: &str,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let mut members = self.impls(id.module, item).flat_map(|block| &block.items);
        let constant = members.find_map(|member| match member {
            ImplItem::Const(constant) if constant.ident == name => Some(constant),
            _ => None,
        })?;
        let scope = scope.into(id.module, Some((id, item)))?;
        let ty = &constant.ty;
        self.evaluate(&constant.expr, Some(Expected { ty, scope }), scope)
    }

    fn evaluate_constant(
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
        self.evaluate(expr, Some(Expected { ty, scope }), scope)
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

    fn evaluate_body(
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
        self.evaluate(tail_expression(block)?, declared, scope)
    }
}

/// Returns the `value` of `LazyLock::new(|| value)` or `Regex::new(value)`. The types are
/// recognized by name, so that their crates are not loaded.
fn lazy_value<'e>(path: &syn::Path, arguments: &[&'e Expr]) -> Option<&'e Expr> {
    let (ty, function) = split_last_segment(path)?;
    match (last_name(&ty)?.as_str(), function.as_str(), arguments) {
        ("Lazy" | "LazyLock", "new", [closure]) => closure_body(closure),
        ("Regex", "new", [expression]) => Some(expression),
        _ => None,
    }
}

/// Returns the expected type of the content of an `Option<…>` or `Box<…>`.
fn expected_content<'t, 'a>(expected: Expected<'t, 'a>) -> Option<Expected<'t, 'a>> {
    let Type::Path(path) = expected.ty else {
        return None;
    };
    let ty = type_arguments(&path.path).next()?;
    Some(Expected { ty, ..expected })
}

fn trait_name(block: &ItemImpl) -> Option<String> {
    last_name(&block.trait_.as_ref()?.0)
}

fn self_name(block: &ItemImpl) -> Option<String> {
    match &*block.self_ty {
        Type::Path(path) => last_name(&path.path),
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    fn default_of(&self, expected: Expected<'_, 'a>) -> Option<Value> {
        let Type::Path(path) = expected.ty else {
            return None;
        };
        match self.type_at(&path.path, expected.scope)? {
            Found::Item(id, item) => self.default_of_item(id, item, expected.scope),
            Found::Unreadable(_) => None,
            Found::Foreign(names) => self
                .default_of_foreign(names.last()?, &path.path, expected.scope)
                .or_else(|| default_of_kubernetes(&names)),
        }
    }

    fn default_of_item(&self, id: DefId, item: &'a Item, scope: Scope<'a>) -> Option<Value> {
        let inside = scope.into(id.module, Some((id, item)))?;
        match item {
            Item::Type(alias) => self.default_of(Expected {
                ty: &alias.ty,
                scope: inside,
            }),
            Item::Struct(item) if has_derived_default(&item.attrs) => {
                let default = |field: &Field| {
                    let expected = Expected {
                        ty: &field.ty,
                        scope: inside,
                    };
                    match smart_default(&field.attrs) {
                        Some(stated) => self.evaluate(&stated?, Some(expected), inside),
                        None => self.default_of(expected),
                    }
                };
                match (&item.fields, item.fields.len()) {
                    (Fields::Named(_), _) => {
                        self.build_struct(id.module, item, Map::new(), |field| Some(default(field)))
                    }
                    (Fields::Unnamed(fields), 1) => {
                        let field = &fields.unnamed[0];
                        self.newtype_of(id.module, item, field, default(field)?)
                    }
                    _ => None,
                }
            }
            Item::Enum(enumeration) if has_derived_default(&enumeration.attrs) => {
                let mut variants = enumeration.variants.iter();
                let marked = variants.find(|variant| {
                    let mut attrs = variant.attrs.iter();
                    attrs.any(|attr| attr.path().is_ident("default"))
                })?;
                self.evaluate_variant(id, item, &marked.ident.to_string(), None, inside)
            }
            _ => self.call_associated_function(id, item, "default", Some("Default"), scope),
        }
    }

    fn default_of_foreign(&self, name: &str, path: &Path, scope: Scope<'a>) -> Option<Value> {
        Some(match name {
            "String" | "str" => "".into(),
            "bool" => false.into(),
            "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => {
                0.into()
            }
            "f32" | "f64" => 0.0.into(),
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "IndexSet" => Value::Array(Vec::new()),
            "HashMap" | "BTreeMap" | "IndexMap" => Value::Object(Map::new()),
            "Option" => Value::Null,
            "Box" | "Rc" | "Arc" | "Cow" => {
                let ty = type_arguments(path).next()?;
                return self.default_of(Expected { ty, scope });
            }
            _ => return None,
        })
    }
}

fn has_derived_default(attrs: &[Attribute]) -> bool {
    is_derived("Default", attrs) || is_derived("SmartDefault", attrs)
}

/// Returns the default in an attribute of the crate `smart-default`: `#[default = 3]` or
/// `#[default(3)]`. Returns `Some(None)` for another form, and `None` without the attribute.
fn smart_default(attrs: &[Attribute]) -> Option<Option<Expr>> {
    let attr = attrs.iter().find(|attr| attr.path().is_ident("default"))?;
    Some(match &attr.meta {
        Meta::NameValue(stated) => Some(stated.value.clone()),
        Meta::List(stated) => stated.parse_args().ok(),
        Meta::Path(_) => None,
    })
}

/// Returns the default of a Kubernetes type without required fields: an empty object. The type's
/// `Default` leaves all fields unset, and unset fields are not serialized.
fn default_of_kubernetes(names: &[String]) -> Option<Value> {
    if names.first().map(String::as_str) != Some("k8s_openapi") {
        return None;
    }
    match known::find_known(names)? {
        Known::Is(schema)
            if schema.type_ == Some(JsonType::Object) && schema.required.is_empty() =>
        {
            Some(Value::Object(Map::new()))
        }
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    /// Returns the value of a struct literal, such as `Limits { cpu: 1, ..Default::default() }`.
    fn struct_literal(&self, literal: &ExprStruct, scope: Scope<'a>) -> Option<Value> {
        if let Some(Found::Item(id, item @ Item::Struct(structure))) =
            self.type_at(&literal.path, scope)
        {
            let inside = scope.into(id.module, Some((id, item)))?;
            let base = match &literal.rest {
                Some(rest) => {
                    let name = &structure.ident;
                    let ty = syn::parse_quote!(#name);
                    let expected = Expected {
                        ty: &ty,
                        scope: inside,
                    };
                    match self.evaluate(rest, Some(expected), scope)? {
                        Value::Object(base) => base,
                        _ => return None,
                    }
                }
                None => Map::new(),
            };
            return self.build_struct(id.module, structure, base, |field| {
                let value = written_for(literal, field)?;
                let ty = &field.ty;
                Some(self.evaluate(value, Some(Expected { ty, scope: inside }), scope))
            });
        }
        let (prefix, name) = split_last_segment(&literal.path)?;
        match self.type_at(&prefix, scope)? {
            Found::Item(id, item) => self.struct_variant((id, item), &name, literal, scope),
            Found::Foreign(_) | Found::Unreadable(_) => None,
        }
    }

    /// Returns the JSON object of a struct with named fields. `base` has the members of `..base` in
    /// a struct literal. `value` returns `None` for a field that keeps its value in `base`, and
    /// `Some(None)` for a field with an unknown value.
    fn build_struct(
        &self,
        module: ModuleId,
        item: &ItemStruct,
        base: Map<String, Value>,
        value: impl Fn(&Field) -> Option<Option<Value>>,
    ) -> Option<Value> {
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let plain = container.from.is_none() && container.into.is_none() && !container.transparent;
        if !plain || container.opaque.is_some() || container.tag.is_some() {
            return None;
        }
        self.build_object(module, &item.fields, container.rename_all, base, value)
    }

    fn build_object(
        &self,
        module: ModuleId,
        fields: &Fields,
        rename: Rename,
        mut object: Map<String, Value>,
        value: impl Fn(&Field) -> Option<Option<Value>>,
    ) -> Option<Value> {
        for field in fields {
            let serde = self.serde(&field.attrs, SerdeSite::Field, module);
            if serde.skip_serializing.is_some() {
                continue;
            }
            let Some(value) = value(field) else {
                continue;
            };
            let (ident, value) = (field.ident.as_ref()?, value?);
            let name = serde
                .rename
                .clone()
                .unwrap_or_else(|| rename.field(&bare_name(ident)));
            if value.is_null() || is_left_out(&serde, &value) {
                object.remove(&name);
            } else if serde.with.is_some() || serde.opaque.is_some() {
                return None;
            } else if serde.flatten {
                object.extend(value.as_object()?.clone());
            } else {
                object.insert(name, value);
            }
        }
        Some(Value::Object(object))
    }

    /// Returns what serde writes for a newtype around `value`; `None` if serde attributes convert
    /// the newtype.
    fn newtype_of(
        &self,
        module: ModuleId,
        item: &ItemStruct,
        field: &Field,
        value: Value,
    ) -> Option<Value> {
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let serde = self.serde(&field.attrs, SerdeSite::Field, module);
        let plain = container.from.is_none() && container.into.is_none() && serde.with.is_none();
        plain.then_some(value)
    }

    /// Returns what serde writes for the variant `name`. `value` is the content of a variant with
    /// one unnamed field.
    fn evaluate_variant(
        &self,
        id: DefId,
        item: &'a Item,
        name: &str,
        value: Option<&Expr>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let (variant, serde) = self.find_variant(id.module, item, name)?;
        let content = match (&variant.fields, value) {
            (Fields::Unit, None) => None,
            (Fields::Unnamed(fields), Some(value)) if fields.unnamed.len() == 1 => {
                let inside = scope.into(id.module, Some((id, item)))?;
                let expected = Expected {
                    ty: &fields.unnamed[0].ty,
                    scope: inside,
                };
                Some(self.evaluate(value, Some(expected), scope)?)
            }
            _ => return None,
        };
        tag_content(
            variant,
            &serde,
            &self.serde(&variant.attrs, SerdeSite::Variant, id.module),
            content,
        )
    }

    fn struct_variant(
        &self,
        (id, item): (DefId, &'a Item),
        name: &str,
        literal: &ExprStruct,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let (variant, container) = self.find_variant(id.module, item, name)?;
        let serde = self.serde(&variant.attrs, SerdeSite::Variant, id.module);
        let rename = match serde.rename_all {
            Rename::None => container.rename_all_fields,
            rule => rule,
        };
        let inside = scope.into(id.module, Some((id, item)))?;
        let content =
            self.build_object(id.module, &variant.fields, rename, Map::new(), |field| {
                let value = written_for(literal, field)?;
                let ty = &field.ty;
                Some(self.evaluate(value, Some(Expected { ty, scope: inside }), scope))
            })?;
        tag_content(variant, &container, &serde, Some(content))
    }

    fn find_variant(
        &self,
        module: ModuleId,
        item: &'a Item,
        name: &str,
    ) -> Option<(&'a Variant, SerdeAttrs)> {
        let Item::Enum(item) = item else {
            return None;
        };
        let variant = item.variants.iter().find(|variant| variant.ident == name)?;
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let plain = container.from.is_none() && container.into.is_none();
        plain.then_some((variant, container))
    }
}

/// Returns the expression of a field in a struct literal.
fn written_for<'e>(literal: &'e ExprStruct, field: &Field) -> Option<&'e Expr> {
    let ident = field.ident.as_ref()?;
    let mut fields = literal.fields.iter();
    let written =
        fields.find(|written| matches!(&written.member, Member::Named(name) if name == ident));
    written.map(|written| &written.expr)
}

/// True for a value other than null that `skip_serializing_if` leaves out. An unknown function is
/// assumed to test for empty values, as `Vec::is_empty` does.
fn is_left_out(serde: &SerdeAttrs, value: &Value) -> bool {
    let Some(skip) = &serde.skip_serializing_if else {
        return false;
    };
    match (skip.name(), value) {
        ("is_none", _) => false,
        ("not", value) => *value == Value::Bool(false),
        (_, Value::Array(items)) => items.is_empty(),
        (_, Value::Object(members)) => members.is_empty(),
        (_, Value::String(text)) => text.is_empty(),
        _ => false,
    }
}

fn tag_content(
    variant: &Variant,
    container: &SerdeAttrs,
    serde: &SerdeAttrs,
    content: Option<Value>,
) -> Option<Value> {
    let name = serde
        .rename
        .clone()
        .unwrap_or_else(|| container.rename_all.variant(&bare_name(&variant.ident)));
    let mut object = Map::new();
    match (Tagging::from_attrs(container), content) {
        _ if serde.with.is_some() || serde.skip_serializing.is_some() => return None,
        (Tagging::Untagged, content) => return content,
        (_, content) if serde.untagged => return content,
        (Tagging::External, None) => return Some(name.into()),
        (Tagging::External, Some(value)) => {
            object.insert(name, value);
        }
        (Tagging::Internal { tag }, content) => {
            if let Some(value) = content {
                object.extend(value.as_object()?.clone());
            }
            object.insert(tag, name.into());
        }
        (Tagging::Adjacent { tag, content: key }, content) => {
            object.insert(tag, name.into());
            object.extend(content.map(|value| (key, value)));
        }
    }
    Some(Value::Object(object))
}

/// Evaluates the tokens. `expression` evaluates the parts that are not JSON.
pub(super) fn evaluate_json_macro(
    tokens: &TokenStream,
    expression: &mut dyn FnMut(&Expr) -> Option<Value>,
) -> Option<Value> {
    let trees: Vec<_> = tokens.clone().into_iter().collect();
    match &trees[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            split_at_commas(&group.stream())
                .into_iter()
                .map(|item| evaluate_json_macro(&item.into_iter().collect(), expression))
                .collect()
        }
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
            split_at_commas(&group.stream())
                .iter()
                .map(|member| match &member[..] {
                    [name, TokenTree::Punct(colon), value @ ..] if colon.as_char() == ':' => {
                        let name = syn::parse2::<LitStr>(name.clone().into()).ok()?;
                        let value = value.iter().cloned().collect();
                        Some((name.value(), evaluate_json_macro(&value, expression)?))
                    }
                    _ => None,
                })
                .collect::<Option<Map<_, _>>>()
                .map(Value::Object)
        }
        _ => match syn::parse2::<Json>(tokens.clone()) {
            Ok(json) => Some(json_values::to_json(&json)),
            Err(_) => expression(&syn::parse2(tokens.clone()).ok()?),
        },
    }
}

/// Splits tokens at commas.
pub(super) fn split_at_commas(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let trees: Vec<_> = tokens.clone().into_iter().collect();
    trees
        .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        .filter(|piece| !piece.is_empty())
        .map(<[TokenTree]>::to_vec)
        .collect()
}
