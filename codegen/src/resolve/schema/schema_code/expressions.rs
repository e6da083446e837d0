//! Evaluation of expressions in functions that build schemas.

use serde_json::{Map, Value, json};
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprCall, ExprMethodCall, ExprStruct, GenericArgument, Lit, Member, Stmt, Token, Type,
};

use super::body::{FunctionBody, LocalVariable, ending, is_conditional};
use super::old_fields::{self, OldField};
use crate::resolve::schema::json_code;

/// Methods that do not change their receiver's JSON form.
const TRANSPARENT: [&str; 10] = [
    "clone",
    "collect",
    "expect",
    "into",
    "into_iter",
    "into_object",
    "to_owned",
    "to_value",
    "try_into",
    "unwrap",
];

/// Functions that do not change their argument's JSON form.
const CONVERSIONS: [&str; 21] = [
    "Box::new",
    "BTreeMap::from",
    "BTreeMap::from_iter",
    "BTreeSet::from",
    "BTreeSet::from_iter",
    "Map::from_iter",
    "Schema::Object",
    "Schema::from",
    "Schema::try_from",
    "SingleOrVec::Single",
    "SingleOrVec::Vec",
    "SingleOrVec::from",
    "Some",
    "String::from",
    "TryFrom::try_from",
    "Value::Array",
    "Value::Bool",
    "Value::Number",
    "Value::String",
    "Value::from",
    "serde_json::from_value",
];

impl FunctionBody<'_, '_, '_> {
    /// Evaluates an expression that is a schema or another JSON value.
    pub(super) fn value(&mut self, value: &Expr) -> Option<Value> {
        match value {
            Expr::Macro(call) if call.mac.path.is_ident("vec") => {
                let items = call
                    .mac
                    .parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
                self.list(&items.ok()?)
            }
            Expr::Macro(call) => self.json(&call.mac).or_else(|| self.read(value)),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.variables.contains_key(&name.to_string()) => {
                    match &self.variables[&name.to_string()] {
                        LocalVariable::Generator => None,
                        LocalVariable::Value(value) => Some(value.clone()),
                        LocalVariable::Part(place) => self.at(place).cloned(),
                    }
                }
                _ => instance_type(&path.path).or_else(|| self.read(value)),
            },
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Reference(inner) => self.value(&inner.expr),
            Expr::Block(inner) => self.block(&inner.block),
            Expr::Array(list) => self.list(&list.elems),
            Expr::Tuple(parts) => parts.elems.iter().map(|part| self.value(part)).collect(),
            Expr::Struct(literal) if is_old_schema(&literal.path) => self.object(literal),
            // The field `schema` of a `RootSchema` is the schema itself.
            Expr::Field(field) if is_member(&field.member, "schema") => self.value(&field.base),
            Expr::MethodCall(call) => self.method(call).or_else(|| self.read(value)),
            Expr::Call(call) => self.call(call).or_else(|| self.read(value)),
            value => self.read(value),
        }
    }

    /// Evaluates a list; `None` if an item has a `cfg`.
    fn list(&mut self, items: &Punctuated<Expr, Token![,]>) -> Option<Value> {
        if items.iter().any(is_conditional) {
            return None;
        }
        items.iter().map(|item| self.value(item)).collect()
    }

    /// Evaluates an expression that uses no variables or imports of the function body.
    fn read(&self, value: &Expr) -> Option<Value> {
        let is_alone = !self.is_of_body(value);
        is_alone
            .then(|| self.resolver.value_in(value, self.this))
            .flatten()
    }

    /// Evaluates `json!(..)` or `json_schema!(..)`.
    pub(super) fn json(&mut self, call: &syn::Macro) -> Option<Value> {
        let name = &call.path.segments.last()?.ident;
        let is_json = name == "json" || name == "json_schema";
        is_json
            .then(|| json_code::read(&call.tokens, &mut |value| self.value(value)))
            .flatten()
    }

    /// Evaluates a method call: `generator.subschema_for::<T>()`, or a conversion.
    fn method(&mut self, call: &ExprMethodCall) -> Option<Value> {
        let name = call.method.to_string();
        if TRANSPARENT.contains(&name.as_str()) {
            let converts = name == "into" || name == "try_into";
            // The result of `into` on a type of the user is unknown.
            return match &*call.receiver {
                Expr::Path(path) if converts && is_variant(&path.path) => None,
                Expr::Call(inner) if converts => self.call(inner),
                receiver => self.value(receiver),
            };
        }
        let makes_one = ["subschema_for", "root_schema_for", "into_root_schema_for"];
        let argument = call.turbofish.as_ref()?.args.first()?;
        match argument {
            GenericArgument::Type(ty)
                if makes_one.contains(&name.as_str()) && self.is_generator(&call.receiver) =>
            {
                self.of_type(ty)
            }
            _ => None,
        }
    }

    /// Evaluates a call: `String::json_schema(generator)`, `Schema::Object(object)`, or another
    /// function.
    fn call(&mut self, call: &ExprCall) -> Option<Value> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let (path, first) = (&function.path, call.args.first());
        let last = path.segments.last()?.ident.to_string();
        if last == "json_schema" {
            let ty = match &function.qself {
                Some(this) => (*this.ty).clone(),
                None => above(path)?,
            };
            return self.of_type(&ty);
        }
        match (ending(path).as_str(), first) {
            (name, Some(value)) if CONVERSIONS.contains(&name) && call.args.len() == 1 => {
                self.value(value)
            }
            ("from_value", Some(value)) => self.value(value),
            ("from_str" | "serde_json::from_str", Some(Expr::Lit(text))) => match &text.lit {
                Lit::Str(text) => serde_json::from_str(&text.value()).ok(),
                _ => None,
            },
            ("Schema::Bool", Some(value)) => match self.value(value)? {
                Value::Bool(true) => Some(json!({})),
                _ => None,
            },
            ("Schema::default" | "SchemaObject::default" | "BTreeMap::new" | "Map::new", None) => {
                Some(json!({}))
            }
            ("BTreeSet::new" | "Vec::new", None) => Some(json!([])),
            _ if call.args.iter().all(|argument| self.is_generator(argument)) => {
                let is_own = !self.is_of_body(&function.path);
                let function = is_own
                    .then(|| self.resolver.schema_function(path))
                    .flatten()?;
                self.resolver.value_of_function(&function)
            }
            _ => None,
        }
    }

    /// Returns the schema of a type as JSON.
    fn of_type(&mut self, ty: &Type) -> Option<Value> {
        if self.is_of_body(ty) {
            return None;
        }
        let slot = self.resolver.slot(ty);
        serde_json::to_value(slot.nullable()).ok()
    }

    /// Evaluates a struct literal of schemars 0.8: `SchemaObject { format: Some(…), .. }`.
    fn object(&mut self, literal: &ExprStruct) -> Option<Value> {
        let rest = literal.rest.as_deref();
        let is_known = rest.is_none_or(|rest| is_default(rest, &literal.path));
        if !is_known || literal.fields.iter().any(is_conditional) {
            return None;
        }
        let mut schema = Map::new();
        for field in &literal.fields {
            let Member::Named(name) = &field.member else {
                return None;
            };
            match old_fields::of(&name.to_string())? {
                OldField::Ignored => {}
                OldField::Key(key) => {
                    schema.insert(key.to_owned(), self.member(key, &field.expr)?);
                }
                OldField::Group if is_none(&field.expr) => {}
                OldField::Group => match self.members(&field.expr)? {
                    Value::Object(members) => schema.extend(members),
                    _ => return None,
                },
            }
        }
        Some(Value::Object(schema))
    }

    /// Evaluates the value of a schema's keyword.
    pub(super) fn member(&mut self, key: &str, value: &Expr) -> Option<Value> {
        match key {
            _ if is_none(value) => Some(Value::Null),
            "properties" => self.members(value),
            _ => self.value(value),
        }
    }

    /// Evaluates an object. A list of pairs becomes an object as well:
    /// `[("key".to_owned(), json!(true))].into()`.
    pub(super) fn members(&mut self, value: &Expr) -> Option<Value> {
        match self.value(value)? {
            Value::Array(entries) => {
                let entries = entries.into_iter().map(|entry| match entry {
                    Value::Array(mut pair) if pair.len() == 2 => {
                        let value = pair.pop()?;
                        Some((pair.pop()?.as_str()?.to_owned(), value))
                    }
                    _ => None,
                });
                entries.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            value => Some(value),
        }
    }

    /// True for schemars' generator, unless its settings affect structural schemas.
    pub(super) fn is_generator(&self, value: &Expr) -> bool {
        match value {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let variable = self.variables.get(&name.to_string());
                matches!(variable, Some(LocalVariable::Generator))
            }),
            Expr::Reference(inner) => self.is_generator(&inner.expr),
            Expr::Paren(inner) => self.is_generator(&inner.expr),
            Expr::MethodCall(call) => {
                let is_harmless = match (call.method.to_string().as_str(), call.args.first()) {
                    ("into_generator" | "clone", None) => true,
                    ("with", Some(Expr::Closure(change))) => sets_options(&change.body),
                    ("with_visitor" | "with_transform", Some(Expr::Path(visitor))) => {
                        let last = visitor.path.segments.last();
                        last.is_some_and(|last| last.ident == "StructuralSchemaRewriter")
                    }
                    _ => false,
                };
                is_harmless && self.is_generator(&call.receiver)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let name = ending(&path.path);
                    name.starts_with("SchemaSettings::") || name == "SchemaGenerator::default"
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// True for `SchemaObject` of schemars 0.8, or a struct with some of its members, such as
/// `StringValidation`.
fn is_old_schema(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string());
    last.is_some_and(|last| {
        matches!(last.as_str(), "SchemaObject" | "Metadata") || last.ends_with("Validation")
    })
}

/// True for a block that sets only harmless options, such as `{ s.inline_subschemas = true; }`.
fn sets_options(body: &Expr) -> bool {
    const OPTIONS: [&str; 3] = ["inline_subschemas", "meta_schema", "option_nullable"];
    let Expr::Block(body) = body else {
        return false;
    };
    body.block.stmts.iter().all(|statement| match statement {
        Stmt::Expr(Expr::Assign(assign), Some(_)) => match &*assign.left {
            Expr::Field(field) => OPTIONS.iter().any(|name| is_member(&field.member, name)),
            _ => false,
        },
        _ => false,
    })
}

/// Returns `"string"` for `InstanceType::String`.
fn instance_type(path: &syn::Path) -> Option<Value> {
    let name = ending(path);
    let name = name.strip_prefix("InstanceType::")?;
    Some(name.to_lowercase().into())
}

/// True for `Type::Variant`, but not for a constant or a variant of `InstanceType`.
fn is_variant(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string());
    let is_constant = last.is_some_and(|last| !last.contains(char::is_lowercase));
    path.segments.len() > 1 && !is_constant && instance_type(path).is_none()
}

pub(super) fn is_member(member: &Member, name: &str) -> bool {
    matches!(member, Member::Named(member) if member == name)
}

/// True for `Default::default()`, and for `SchemaObject::default()` in a literal of a
/// `SchemaObject`.
fn is_default(value: &Expr, this: &syn::Path) -> bool {
    let (Expr::Call(call), Some(this)) = (value, this.segments.last()) else {
        return false;
    };
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let name = ending(&function.path);
    name == "Default::default" || name == format!("{}::default", this.ident)
}

fn is_none(value: &Expr) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident("None"))
}

/// Returns the type of an associated function: `String` for `String::json_schema`.
fn above(path: &syn::Path) -> Option<Type> {
    let mut path = path.clone();
    path.segments.pop()?;
    path.segments.pop_punct();
    let is_empty = path.segments.is_empty();
    (!is_empty).then(|| syn::parse_quote!(#path))
}
