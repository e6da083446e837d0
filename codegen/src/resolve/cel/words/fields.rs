//! Messages and help for fields that do not exist, and for values without fields.

use genclient_schema::cel::ast::ExprKind;
use genclient_schema::cel::declare::{Field, Object};
use genclient_schema::cel::field_path::{self, FieldPathError};
use genclient_schema::cel::{Environment, Type, escape};
use genclient_syntax::suggest::{self, closest};

use super::expression::{Words, shown};
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
        let help = match type_ {
            Type::List(_) => {
                format!("check its items: `.all(item, item.{field} …)` or `.exists(…)`")
            }
            _ => "only objects and maps have fields".to_owned(),
        };
        let of = match &self.node(node).kind {
            ExprKind::Select(select) => shown(&select.operand),
            _ => "the value".to_owned(),
        };
        (
            format!("`{of}` has type {type_}, which does not support field selection"),
            help,
        )
    }

    pub(super) fn undefined_field(
        &self,
        of: &str,
        field: &str,
        object: &Object,
    ) -> (String, String) {
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
            let origin = FieldOrigin::of(*origin).unwrap_or(self.origin);
            format!(
                "the schema does not declare its type: {}",
                origin.missing_type()
            )
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

/// A field of `self` as an example, preferably an optional one.
pub(super) fn any_field<'e>(environment: &Environment<'e>) -> Option<&'e String> {
    let fields = fields_of(environment.self_, environment);
    let first_absent = fields.min_by_key(|(_, field)| field.present);
    first_absent.map(|(name, _)| name)
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
