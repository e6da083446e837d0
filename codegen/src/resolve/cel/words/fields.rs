//! Messages and help for fields that do not exist, and for values without fields.

use genclient_cel::ast::{Expr, ExprKind};
use genclient_cel::declare::{Field, Object};
use genclient_cel::{Environment, Type, escape};
use genclient_schema::Origin;
use genclient_schema::rules::field_path::{self, FieldPathError};
use genclient_syntax::suggest::{self, closest};

use super::expression::{Words, shown, source};
use crate::model::Schema;
use crate::resolve::cel::{FieldOrigin, SchemaDialect};

/// Message and help for a `field_path` that is invalid or names no field.
pub(in crate::resolve::cel) fn field_path(
    path: &str,
    error: &FieldPathError<'_>,
    schema: &Schema,
) -> (String, String) {
    match error {
        FieldPathError::Syntax => {
            let dotted = format!(".{path}");
            let help = if field_path::check(&dotted, schema).is_ok() {
                format!("write `{dotted}`")
            } else {
                "write a dot before each identifier, as in `.a.b`, and put any other name in \
                 brackets: `['a-b']`"
                    .to_owned()
            };
            (format!("invalid field path `{path}`"), help)
        }
        FieldPathError::NoField { name, schema } => {
            let help = match closest(name, schema.properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "the path must start at the value that the rule validates".to_owned(),
            };
            (
                format!("field path `{path}` does not exist: no such field `{name}`"),
                help,
            )
        }
    }
}

impl Words<'_> {
    pub(super) fn not_selectable(
        &self,
        node: usize,
        type_: &Type,
        field: &str,
    ) -> (String, String) {
        let node = self.node(node);
        let (of, written) = match &node.kind {
            ExprKind::Select(select) => {
                let written = source(&select.operand, self.text).unwrap_or("…");
                (shown(&select.operand), written)
            }
            _ => ("the value".to_owned(), "…"),
        };
        let item = match type_ {
            Type::List(items) => Some(&**items),
            _ => None,
        };
        let is_of_items = item
            .is_some_and(|item| fields_of(item, self.environment).any(|(name, _)| name == field));
        let call = self.call_of(field, type_).filter(|_| !is_of_items);
        let help = if let Some(call) = call {
            format!("write `{written}.{call}`")
        } else if let Some(Type::Object(_)) = item {
            format!("check its items: `.all(item, item.{field} …)` or `.exists(…)`")
        } else if item.is_some() {
            "a list has no fields: check its items: `.all(item, …)` or `.exists(…)`".to_owned()
        } else {
            "only objects and maps have fields".to_owned()
        };
        (
            format!("`{of}` has type {type_}, which does not support field selection"),
            help,
        )
    }

    pub(super) fn undefined_field(
        &self,
        operand: usize,
        field: &str,
        object: &Object,
    ) -> (String, String) {
        let of = self.shown(operand);
        let message = format!("no such field `{field}` in `{of}`");
        let names = || object.fields.keys().map(String::as_str);
        let dashed = names().find(|name| {
            name.strip_prefix(field)
                .is_some_and(|rest| rest.starts_with("__"))
        });
        let escaped = escape(field).filter(|escaped| object.fields.contains_key(escaped));
        let help = if let Some(meant) = escaped.as_deref().or(dashed) {
            format!("CEL escapes the name: `{of}.{meant}`")
        } else if let Some(origin) = object.hidden.get(field) {
            let origin = FieldOrigin::of(Origin(*origin)).unwrap_or(self.origin);
            format!(
                "the schema does not declare its type: {}",
                origin.missing_type()
            )
        } else if let Some(help) = self.field_of_kind(operand, field) {
            help
        } else if let Some(meant) = closest(field, names()) {
            format!("did you mean `{meant}`?")
        } else if object.keeps_unknown
            && object.fields.is_empty()
            && self.origin.dialect == SchemaDialect::Crd
        {
            format!(
                "a rule can use only fields that the schema declares; write `{}` instead of `type` and `preserve_unknown_fields`",
                schema_with_field(field)
            )
        } else if object.keeps_unknown {
            "a rule can use only fields that the schema declares; add it to the type".to_owned()
        } else if object.fields.is_empty() {
            "it has no fields that a rule can use".to_owned()
        } else {
            suggest::available(&names().collect::<Vec<_>>())
        };
        (message, help)
    }
}

impl Words<'_> {
    /// Help for a field of the kind, such as `metadata`, in a rule of another value.
    fn field_of_kind(&self, operand: usize, field: &str) -> Option<String> {
        if !matches!(&self.node(operand).kind, ExprKind::Ident(name) if name == "self") {
            return None;
        }
        let mut inner = None;
        self.root.visit(&mut |node| {
            if let ExprKind::Select(outer) = &node.kind
                && let ExprKind::Select(select) = &outer.operand.kind
                && select.operand.id == operand
            {
                inner = Some(&outer.field);
            }
        });
        let mut fields = fields_of(self.environment.self_, self.environment);
        match (field, inner) {
            ("spec" | "status", Some(inner)) if fields.any(|(name, _)| name == inner) => {
                Some(format!("write `self.{inner}`"))
            }
            ("metadata" | "kind" | "apiVersion" | "spec" | "status", _) => Some(format!(
                "write the rule on the kind: only there `self` has the field `{field}`"
            )),
            _ => None,
        }
    }

    /// Returns the path of a map if `node` selects its key `size`, which often stands for `size()`.
    pub(super) fn counted(&self, node: &Expr) -> Option<&str> {
        let ExprKind::Select(select) = &node.kind else {
            return None;
        };
        let is_map = matches!(self.types[select.operand.id], Type::Map(..));
        let map = source(&select.operand, self.text)?;
        (is_map && select.field == "size").then_some(map)
    }
}

/// Returns the `#[crd]` key `schema = { … }`, whose schema declares `field` and preserves unknown
/// fields.
fn schema_with_field(field: &str) -> String {
    format!(
        "schema = {{ \"type\": \"object\", \"properties\": {{ \"{field}\": {{ \"type\": \"..\" }} }}, \
         \"x-kubernetes-preserve-unknown-fields\": true }}"
    )
}

/// Returns the fields of an object type, by the names that rules use. Other types have no fields.
pub(super) fn fields_of<'e>(
    type_: &Type,
    environment: &Environment<'e>,
) -> impl Iterator<Item = (&'e String, &'e Field)> + use<'e> {
    let object = match type_ {
        Type::Object(place) => environment.objects.get(*place),
        _ => None,
    };
    object.into_iter().flat_map(|object| &object.fields)
}

/// If the type is an object, returns its first field that is a list or a map.
pub(super) fn iterable_field<'e>(
    type_: &Type,
    environment: &Environment<'e>,
) -> Option<&'e String> {
    fields_of(type_, environment)
        .find(|(_, field)| is_iterable(&field.declared.type_))
        .map(|(name, _)| name)
}

pub(super) fn is_iterable(type_: &Type) -> bool {
    matches!(type_, Type::List(_) | Type::Map(..))
}
