//! Schemas that code makes: functions of `schema_with` and hand-written `JsonSchema`, as far as
//! their source is the schema.
//!
//! Nothing is run. Literals, schemas of other types, and members that are inserted into either are
//! followed; all else makes the whole unknown. schemars 0.8 and 1 are read alike.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::{Map, Value, json};
use syn::{Block, Expr, ExprCall, ExprMethodCall, ExprStruct, Item, Lit, Member, Pat, Stmt, Type};

use super::Resolver;
use crate::resolve::json_values;
use crate::resolve::paths::Found;
use crate::sources::ModuleId;

/// Schemas by the names of local variables.
type LocalSchemas = BTreeMap<String, Value>;

/// Methods that change nothing about a schema.
const TRANSPARENT: [&str; 9] = [
    "clone",
    "expect",
    "into",
    "into_object",
    "to_owned",
    "to_string",
    "unwrap",
    "unwrap_or_default",
    "as_object_mut",
];

impl Resolver<'_, '_> {
    /// The schema at the end of a block that stands in a module.
    pub(super) fn schema_of_block(&mut self, block: &Block, module: ModuleId) -> Option<Value> {
        // A function that calls itself has no end.
        const DEEPEST: usize = 8;
        if self.functions >= DEEPEST {
            return None;
        }
        self.functions += 1;
        let schema = self.within(module, |resolver| resolver.block(block));
        self.functions -= 1;
        schema
    }

    fn block(&mut self, block: &Block) -> Option<Value> {
        let mut variables = LocalSchemas::new();
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => {
                    let name = variable(&local.pat)?;
                    let value = self.schema(&local.init.as_ref()?.expr, &variables)?;
                    variables.insert(name, value);
                }
                Stmt::Item(Item::Use(_)) => {}
                Stmt::Expr(Expr::Return(value), _) => {
                    return self.schema(value.expr.as_ref()?, &variables);
                }
                Stmt::Expr(change, Some(_)) => self::change(change, &mut variables)?,
                Stmt::Expr(value, None) => return self.schema(value, &variables),
                Stmt::Macro(value) if value.semi_token.is_none() => return literal(&value.mac),
                _ => return None,
            }
        }
        None
    }

    fn schema(&mut self, value: &Expr, variables: &LocalSchemas) -> Option<Value> {
        match value {
            Expr::Macro(call) => literal(&call.mac),
            Expr::Path(path) => variables.get(&path.path.get_ident()?.to_string()).cloned(),
            Expr::Paren(inner) => self.schema(&inner.expr, variables),
            Expr::Group(inner) => self.schema(&inner.expr, variables),
            Expr::Reference(inner) => self.schema(&inner.expr, variables),
            Expr::Block(inner) => self.block(&inner.block),
            Expr::Struct(literal) => object(literal),
            Expr::MethodCall(call) => self.method(call, variables),
            Expr::Call(call) => self.call(call, variables),
            _ => None,
        }
    }

    /// `generator.subschema_for::<T>()`, or a conversion.
    fn method(&mut self, call: &ExprMethodCall, variables: &LocalSchemas) -> Option<Value> {
        let name = call.method.to_string();
        if TRANSPARENT.contains(&name.as_str()) {
            return self.schema(&call.receiver, variables);
        }
        let makes_one = ["subschema_for", "root_schema_for", "into_root_schema_for"];
        let arguments = call.turbofish.as_ref()?.args.first()?;
        match arguments {
            syn::GenericArgument::Type(ty) if makes_one.contains(&name.as_str()) => {
                self.of_type(ty)
            }
            _ => None,
        }
    }

    /// `String::json_schema(generator)`, `Schema::Object(object)`, or another function.
    fn call(&mut self, call: &ExprCall, variables: &LocalSchemas) -> Option<Value> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let last = function.path.segments.last()?.ident.to_string();
        let first = call.args.first();
        match last.as_str() {
            "json_schema" => {
                let ty = match &function.qself {
                    Some(this) => (*this.ty).clone(),
                    None => above(&function.path)?,
                };
                self.of_type(&ty)
            }
            _ => match ending(&function.path).as_str() {
                "from_value"
                | "serde_json::from_value"
                | "Schema::Object"
                | "Schema::from"
                | "Schema::try_from" => self.schema(first?, variables),
                "Schema::Bool" => match json_value(first?)? {
                    Value::Bool(true) => Some(json!({})),
                    _ => None,
                },
                "Schema::default" | "SchemaObject::default" | "SchemaObject::new" => {
                    Some(json!({}))
                }
                _ => self.returned(&function.path),
            },
        }
    }

    /// The schema that a function without conditions returns.
    pub(super) fn returned(&mut self, path: &syn::Path) -> Option<Value> {
        let Found::Item(module, Item::Fn(function)) = self.paths.find_value(self.module, path)?
        else {
            return None;
        };
        self.schema_of_block(&function.block, module)
    }

    /// The schema of a type that is named in code.
    fn of_type(&mut self, ty: &Type) -> Option<Value> {
        let slot = self.slot(ty);
        serde_json::to_value(slot.nullable()).ok()
    }
}

/// `SchemaObject { instance_type: Some(InstanceType::Object.into()), ..Default::default() }`
fn object(literal: &ExprStruct) -> Option<Value> {
    let mut schema = Map::new();
    for field in &literal.fields {
        let Member::Named(name) = &field.member else {
            return None;
        };
        set(&mut schema, &name.to_string(), &field.expr)?;
    }
    Some(Value::Object(schema))
}

/// Applies a statement that changes a schema: an insertion, or an assignment.
fn change(change: &Expr, variables: &mut LocalSchemas) -> Option<()> {
    match change {
        Expr::MethodCall(call) if call.method == "insert" => {
            let key = json_value(call.args.first()?)?.as_str()?.to_owned();
            let value = json_value(call.args.get(1)?)?;
            let schema = variables.get_mut(&root(&call.receiver)?)?;
            schema.as_object_mut()?.insert(key, value);
            Some(())
        }
        Expr::Assign(assign) => {
            let Expr::Field(field) = &*assign.left else {
                return None;
            };
            let Member::Named(name) = &field.member else {
                return None;
            };
            let schema = variables.get_mut(&local(&field.base)?)?;
            set(schema.as_object_mut()?, &name.to_string(), &assign.right)
        }
        _ => None,
    }
}

/// Sets a field of a `SchemaObject` of schemars 0.8.
fn set(schema: &mut Map<String, Value>, field: &str, value: &Expr) -> Option<()> {
    match field {
        "instance_type" => {
            let name = instance_type(value.to_token_stream())?;
            schema.insert("type".to_owned(), name.to_lowercase().into());
        }
        "format" => {
            schema.insert("format".to_owned(), json_value(inside_some(value))?);
        }
        "extensions" => schema.extend(entries(value)?),
        _ => return None,
    }
    Some(())
}

/// The name that a pattern binds.
fn variable(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) => Some(name.ident.to_string()),
        Pat::Type(typed) => variable(&typed.pat),
        _ => None,
    }
}

/// The variable whose own members an expression has: `object.extensions`, `schema.ensure_object()`.
fn root(value: &Expr) -> Option<String> {
    const WHOLE: [&str; 4] = ["as_object_mut", "ensure_object", "expect", "unwrap"];
    match value {
        Expr::Field(field) if field.member.to_token_stream().to_string() == "extensions" => {
            local(&field.base)
        }
        Expr::MethodCall(call) if WHOLE.contains(&call.method.to_string().as_str()) => {
            root(&call.receiver)
        }
        _ => local(value),
    }
}

/// The name of a variable.
fn local(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => Some(path.path.get_ident()?.to_string()),
        _ => None,
    }
}

/// `String` of `String::json_schema`.
fn above(path: &syn::Path) -> Option<Type> {
    let mut path = path.clone();
    path.segments.pop()?;
    path.segments.pop_punct();
    let is_empty = path.segments.is_empty();
    (!is_empty).then(|| syn::parse_quote!(#path))
}

/// The JSON in `json!(..)` or `json_schema!(..)`.
fn literal(call: &syn::Macro) -> Option<Value> {
    let name = &call.path.segments.last()?.ident;
    let is_json = name == "json" || name == "json_schema";
    let json = is_json.then(|| call.parse_body().ok()).flatten()?;
    Some(json_values::json(&json))
}

/// A value of JSON that is inserted: `true.into()`, `json!([..])`, `"set".to_owned()`.
fn json_value(value: &Expr) -> Option<Value> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value().into()),
            Lit::Bool(value) => Some(value.value.into()),
            Lit::Int(number) => number.base10_parse::<i64>().ok().map(Value::from),
            Lit::Float(number) => number.base10_parse::<f64>().ok().map(Value::from),
            _ => None,
        },
        Expr::Macro(call) => literal(&call.mac),
        Expr::MethodCall(call) if TRANSPARENT.contains(&call.method.to_string().as_str()) => {
            let is_text = call.method == "to_string";
            json_value(&call.receiver).filter(|value| !is_text || value.is_string())
        }
        Expr::Call(call) if call.args.len() == 1 && is_conversion(&call.func) => {
            json_value(call.args.first()?)
        }
        Expr::Array(array) => array.elems.iter().map(json_value).collect(),
        Expr::Paren(inner) => json_value(&inner.expr),
        Expr::Reference(inner) => json_value(&inner.expr),
        _ => None,
    }
}

/// Whether a function gives back its argument as JSON.
fn is_conversion(function: &Expr) -> bool {
    const CONVERSIONS: [&str; 8] = [
        "Some",
        "String::from",
        "Value::Array",
        "Value::Bool",
        "Value::Number",
        "Value::String",
        "Value::from",
        "serde_json::to_value",
    ];
    let Expr::Path(path) = function else {
        return false;
    };
    CONVERSIONS.contains(&ending(&path.path).as_str())
}

/// The last two segments of a path.
fn ending(path: &syn::Path) -> String {
    let names = path.segments.iter().rev().take(2);
    let mut names: Vec<_> = names.map(|segment| segment.ident.to_string()).collect();
    names.reverse();
    names.join("::")
}

/// The entries of a map that is written out: `[("key".to_owned(), json!(true))].into()`.
fn entries(value: &Expr) -> Option<Map<String, Value>> {
    match value {
        Expr::Array(array) => {
            let entries = array.elems.iter().map(|entry| {
                let Expr::Tuple(entry) = entry else {
                    return None;
                };
                let key = json_value(entry.elems.first()?)?.as_str()?.to_owned();
                Some((key, json_value(entry.elems.get(1)?)?))
            });
            entries.collect()
        }
        Expr::Call(call) if call.args.len() == 1 => entries(call.args.first()?),
        Expr::MethodCall(call) => entries(&call.receiver),
        Expr::Macro(call) if call.mac.path.is_ident("vec") => {
            let array: syn::ExprArray = {
                let tokens = &call.mac.tokens;
                syn::parse_quote!([#tokens])
            };
            entries(&Expr::Array(array))
        }
        _ => None,
    }
}

/// The value in `Some(value)`.
fn inside_some(value: &Expr) -> &Expr {
    match value {
        Expr::Call(call) if call.args.len() == 1 => call.args.first().unwrap_or(value),
        _ => value,
    }
}

/// `Object` of `Some(InstanceType::Object.into())`; of a list of types there is no one.
fn instance_type(tokens: TokenStream) -> Option<String> {
    let mut names = Vec::new();
    collect_instance_types(tokens, &mut names);
    match &mut names[..] {
        [name] => Some(std::mem::take(name)),
        _ => None,
    }
}

fn collect_instance_types(tokens: TokenStream, names: &mut Vec<String>) {
    let mut is_next = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_next => {
                names.push(name.to_string());
                is_next = false;
            }
            TokenTree::Ident(name) => is_next = name == "InstanceType",
            TokenTree::Group(group) => collect_instance_types(group.stream(), names),
            _ => {}
        }
    }
}
