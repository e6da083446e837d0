//! `#[schemars(schema_with = "..")]`: a function that makes a schema, as far as its source is the schema.

use genclient_syntax::{Json, Spanned};
use serde_json::{Map, Value};
use syn::{Expr, Item, ItemFn, Stmt};

use super::Resolver;
use super::constraints::json;
use crate::model::Schema;

impl Resolver<'_, '_> {
    /// What the function makes, if it does nothing but return JSON.
    pub(super) fn made_by(&mut self, function: &Spanned<String>) -> Schema {
        if let Some(schema) = self.written_in(&function.value) {
            return schema;
        }
        self.report(
            &function.span,
            format!(
                "what `{}` makes of the schema is known only when the program runs",
                function.value
            ),
            "let it return `json_schema!({ .. })` and nothing else, or state the schema: `#[crd(schema = { .. })]` below a derived `CrdSchema`",
        );
        Schema::default()
    }

    fn written_in(&self, function: &str) -> Option<Schema> {
        let function = self.function(function)?;
        let [Stmt::Expr(value, None)] = &function.block.stmts[..] else {
            return None;
        };
        let value = json(&literal(value)?);
        serde_json::from_value(without_unknown(value)).ok()
    }

    fn function(&self, path: &str) -> Option<&ItemFn> {
        let path = path.trim_start_matches("self::");
        let mut items = self.sources[self.module].items.iter();
        items.find_map(|item| match item {
            Item::Fn(function) if function.sig.ident == path => Some(function),
            _ => None,
        })
    }
}

/// The JSON in `json_schema!(..)`, also inside of conversions: `serde_json::from_value(json!(..)).unwrap()`.
fn literal(value: &Expr) -> Option<Json> {
    match value {
        Expr::Macro(call) => {
            let name = &call.mac.path.segments.last()?.ident;
            let is_json = name == "json" || name == "json_schema";
            is_json.then(|| call.mac.parse_body().ok()).flatten()
        }
        Expr::MethodCall(call) => literal(&call.receiver),
        Expr::Call(call) => match call.args.first() {
            Some(value) if call.args.len() == 1 => literal(value),
            _ => None,
        },
        Expr::Paren(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// Keys that no CRD has are left out, as kube does.
fn without_unknown(value: Value) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let mut kept = Map::new();
    for (key, value) in members {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let properties = properties.into_iter();
                Value::Object(
                    properties
                        .map(|(name, schema)| (name, without_unknown(schema)))
                        .collect(),
                )
            }
            ("items" | "additionalProperties" | "not", schema) => without_unknown(schema),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.into_iter().map(without_unknown).collect()
            }
            (_, value) => value,
        };
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let known = serde_json::from_value::<Schema>(alone);
        let unknown = known.is_err_and(|error| error.to_string().starts_with("unknown field"));
        if !unknown && !value.is_null() {
            kept.insert(key, value);
        }
    }
    Value::Object(kept)
}
