//! Evaluation of Rust expressions: literals, arithmetic, conversions, lists and constants.

use serde_json::{Number, Value};
use syn::punctuated::Punctuated;
use syn::{BinOp, Block, Expr, ExprBinary, ExprMethodCall, Item, Lit, Stmt, Token, Type, UnOp};

use super::{Expected, Reader, Scope, split};
use crate::resolve::paths::Found;
use crate::resolve::schema::generics::type_arguments;

impl<'a> Reader<'a> {
    pub(super) fn value(
        &self,
        expr: &Expr,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        match expr {
            Expr::Lit(literal) => self::literal(&literal.lit, ""),
            Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
                (UnOp::Neg(_), Expr::Lit(literal)) => self::literal(&literal.lit, "-"),
                (UnOp::Deref(_), value) => self.value(value, expected, scope),
                _ => None,
            },
            Expr::Binary(binary) => self.computed(binary, scope),
            Expr::Cast(cast) => {
                let value = self.value(&cast.expr, None, scope)?;
                stays(&value, &cast.ty).then_some(value)
            }
            Expr::Paren(inner) => self.value(&inner.expr, expected, scope),
            Expr::Group(inner) => self.value(&inner.expr, expected, scope),
            Expr::Reference(inner) => self.value(&inner.expr, expected, scope),
            Expr::Block(inner) if inner.label.is_none() => {
                self.value(tail(&inner.block)?, expected, scope)
            }
            Expr::MethodCall(call) => self.converted(call, expected, scope),
            Expr::Array(array) => self.list(&array.elems, expected, scope),
            Expr::Macro(call) if call.mac.path.is_ident("vec") => {
                let items = call
                    .mac
                    .parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
                self.list(&items.ok()?, expected, scope)
            }
            Expr::Macro(call) if call.mac.path.segments.last()?.ident == "concat" => {
                concatenated(&call.mac)
            }
            Expr::Path(path) if path.qself.is_none() => self.named(&path.path, scope),
            Expr::Call(call) => match &*call.func {
                Expr::Path(function) if function.qself.is_none() => {
                    let arguments: Vec<&Expr> = call.args.iter().collect();
                    self.call(&function.path, &arguments, expected, scope)
                }
                _ => None,
            },
            Expr::Struct(literal) => self.struct_literal(literal, scope),
            _ => None,
        }
    }

    /// Evaluates integer arithmetic, such as `128 * 1024 * 1024`.
    fn computed(&self, binary: &ExprBinary, scope: Scope<'a>) -> Option<Value> {
        let integer = |expr: &Expr| integer(&self.value(expr, None, scope)?);
        let (left, right) = (integer(&binary.left)?, integer(&binary.right)?);
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
    fn converted(
        &self,
        call: &ExprMethodCall,
        expected: Option<Expected<'_, 'a>>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let method = call.method.to_string();
        match (method.as_str(), call.args.first()) {
            (_, None) => {}
            ("expect", Some(Expr::Lit(_))) => return self.value(&call.receiver, expected, scope),
            ("get_or_init", Some(value)) => return self.value(made_by(value)?, expected, scope),
            _ => return None,
        }
        let value = self.value(&call.receiver, None, scope)?;
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

    fn list(
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
        let values = items.iter().map(|value| self.value(value, item, scope));
        values.collect::<Option<Vec<_>>>().map(Value::Array)
    }

    /// Evaluates a path: `None`, a constant, a const parameter, or a variant without data.
    fn named(&self, path: &syn::Path, scope: Scope<'a>) -> Option<Value> {
        if path.segments.last()?.ident == "None" {
            return Some(Value::Null);
        }
        if let Some(limit) = split(path).and_then(|(ty, last)| limit(&last_name(&ty)?, &last)) {
            return Some(limit);
        }
        let parameter = path.get_ident().filter(|_| scope.depth == 0);
        if let Some(number) = parameter.and_then(|name| self.parameters.of_number(name)) {
            return number.map(Value::from);
        }
        if let Some((module, item)) = self.value_at(path, scope) {
            return self.constant(module, item, scope);
        }
        let (prefix, last) = split(path)?;
        match self.type_at(&prefix, scope)? {
            Found::Item(module, item) => self
                .variant(module, item, &last, None, scope)
                .or_else(|| self.associated_constant(module, item, &last, scope)),
            Found::Unreadable(_) => None,
            Found::Foreign(_) => None,
        }
    }
}

pub(super) fn last_name(path: &syn::Path) -> Option<String> {
    Some(path.segments.last()?.ident.to_string())
}

/// Returns the `value` of `|| value`.
pub(super) fn made_by(closure: &Expr) -> Option<&Expr> {
    match closure {
        Expr::Closure(closure) if closure.inputs.is_empty() => Some(&closure.body),
        _ => None,
    }
}

/// Evaluates `concat!("a", 1)`.
fn concatenated(call: &syn::Macro) -> Option<Value> {
    let parts = call.parse_body_with(Punctuated::<Lit, Token![,]>::parse_terminated);
    let parts = parts
        .ok()?
        .into_iter()
        .map(|part| match literal(&part, "")? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        });
    parts.collect::<Option<String>>().map(Value::String)
}

/// Returns the expression that gives a block its value, such as `value` in `{ return value; }`.
/// Returns `None` if the block has other statements than a `static`.
pub(super) fn tail(block: &Block) -> Option<&Expr> {
    match &block.stmts[..] {
        // The `static` is the cell in `static CELL: .. = ..; CELL.get_or_init(|| value)`.
        [Stmt::Expr(value, None)] | [Stmt::Item(Item::Static(_)), Stmt::Expr(value, None)] => {
            Some(value)
        }
        [Stmt::Expr(Expr::Return(value), Some(_))] => value.expr.as_deref(),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

fn literal(literal: &Lit, sign: &str) -> Option<Value> {
    match literal {
        Lit::Str(text) => Some(text.value().into()),
        Lit::Char(c) => Some(c.value().to_string().into()),
        Lit::Bool(value) => Some(value.value.into()),
        Lit::Int(number) => self::number(&format!("{sign}{}", number.base10_digits())),
        Lit::Float(number) => self::number(&format!("{sign}{}", number.base10_digits())),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let padded = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_owned()
    };
    padded.parse::<Number>().ok().map(Value::Number)
}

/// True if a cast to the type keeps the number's value.
fn stays(value: &Value, ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let name = last_name(&path.path).unwrap_or_default();
    let bound = |constant: &str| limit(&name, constant).as_ref().and_then(integer);
    match (integer(value), bound("MIN").zip(bound("MAX"))) {
        (Some(number), Some((min, max))) => (min..=max).contains(&number),
        (Some(number), None) => number >= 0 || !name.starts_with('u'),
        (None, _) => value.is_number() && name.starts_with('f'),
    }
}

/// Returns the value of `i32::MAX` and similar constants.
fn limit(name: &str, constant: &str) -> Option<Value> {
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
