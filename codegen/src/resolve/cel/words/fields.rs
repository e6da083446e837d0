//! Wording of fields that do not exist.

use genclient_schema::cel::ast::ExprKind;
use genclient_schema::cel::declare::Object;
use genclient_schema::cel::field_path::FieldPathError;
use genclient_schema::cel::{Type, escape};

use super::Words;
use super::expression::shown;
use crate::resolve::cel::suggest::closest;

/// Why a `field_path` leads to no field.
pub(in crate::resolve::cel) fn field_path(
    path: &str,
    error: &FieldPathError<'_>,
) -> (String, String) {
    match error {
        FieldPathError::Syntax => (
            format!("`{path}` is not a path to a field"),
            "write it as `.spec.replicas`, and what has other characters as `['a-b']`".to_owned(),
        ),
        FieldPathError::NoField { name, schema } => {
            let help = match closest(name, schema.properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "the path starts at the value that the rule is for".to_owned(),
            };
            (
                format!("`{path}` leads to no field: there is no `{name}`"),
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
                format!("look at its items: `.all(item, item.{field} …)` or `.exists(…)`")
            }
            _ => "fields are what objects and maps have".to_owned(),
        };
        let of = match &self.node(node).kind {
            ExprKind::Select(select) => shown(&select.operand),
            _ => "the value".to_owned(),
        };
        (
            format!("`{of}` is of the type {type_}, which has no fields"),
            help,
        )
    }
}

pub(super) fn undefined_field(of: &str, field: &str, object: &Object) -> (String, String) {
    let message = format!("`{of}` has no field `{field}`");
    let names = || object.fields.keys().map(String::as_str);
    let dashed = names().find(|name| {
        name.strip_prefix(field)
            .is_some_and(|rest| rest.starts_with("__"))
    });
    let escaped = escape(field).filter(|escaped| object.fields.contains_key(escaped));
    let help = if let Some(meant) = escaped.as_deref().or(dashed) {
        format!("CEL writes the name as `{of}.{meant}`")
    } else if object.hidden.contains(field) {
        "the schema does not say what it holds, and so no rule can use it".to_owned()
    } else if let Some(meant) = closest(field, names()) {
        format!("did you mean `{meant}`?")
    } else if object.keeps_unknown {
        "only fields that the schema lists can be used; add it to the type".to_owned()
    } else if object.fields.is_empty() {
        "it has no fields that a rule can use".to_owned()
    } else {
        let names: Vec<_> = names().take(8).map(|name| format!("`{name}`")).collect();
        let more = if object.fields.len() > 8 { ", …" } else { "" };
        format!("it has {}{more}", names.join(", "))
    };
    (message, help)
}
