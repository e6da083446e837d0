//! Messages and help about names that are not variables, fields that do not exist, values without
//! fields, and `oldSelf` where there may be no old value.

use std::collections::BTreeSet;

use genclient_cel::ast::{Expr, ExprKind, Literal, Span};
use genclient_cel::declare::{Field, Object};
use genclient_cel::error::TypeErrorKind;
use genclient_cel::{Environment, Type, escape};
use genclient_schema::Origin;
use genclient_schema::rules::field_path::{self, FieldPathError};
use genclient_syntax::{Help, closest, suggest};

use crate::model::Schema;
use crate::resolve::cel::{FieldOrigin, SchemaDialect};
use crate::resolve::explanation::Explanation;

/// Writer of the texts about errors in an expression, which was checked in `environment`.
pub(in crate::resolve::cel) struct MessageWriter<'w> {
    pub(in crate::resolve::cel) root: &'w Expr,
    /// The text of the expression.
    pub(in crate::resolve::cel) text: &'w str,
    /// Types, by node id.
    pub(in crate::resolve::cel) types: &'w [Type],
    pub(in crate::resolve::cel) environment: &'w Environment<'w>,
    /// The declaration of `self`.
    pub(in crate::resolve::cel) origin: FieldOrigin,
    /// True for a rule, false for a message expression.
    pub(in crate::resolve::cel) is_rule: bool,
}

impl MessageWriter<'_> {
    pub(super) fn node(&self, id: usize) -> &Expr {
        self.root.find(id).unwrap_or(self.root)
    }

    pub(super) fn outline_of(&self, id: usize) -> String {
        outline(self.node(id))
    }
}

/// Returns the part of `text` that an expression was parsed from. Returns `None` if it has
/// unbalanced brackets, since a node's span lacks the brackets around its first operand.
pub(in crate::resolve::cel) fn source_text<'t>(
    expression: &Expr,
    text: &'t str,
) -> Option<&'t str> {
    let source = text.get(expression.span.clone())?;
    let count = |brackets: [char; 2]| brackets.map(|bracket| source.matches(bracket).count());
    let is_balanced = |brackets| {
        let [open, closed] = count(brackets);
        open == closed
    };
    (is_balanced(['(', ')']) && is_balanced(['[', ']'])).then_some(source)
}

/// Returns the symbol of an operator by its name in CEL: `+` for `_+_`.
pub(in crate::resolve::cel) fn operator_symbol(function: &str) -> Option<&str> {
    match function {
        "@in" => Some("in"),
        "_[_]" | "_[?_]" => Some("[]"),
        "_?_:_" => Some("?:"),
        "!_" => Some("!"),
        "-_" => Some("-"),
        _ => function.strip_prefix('_')?.strip_suffix('_'),
    }
}

/// Returns the short form of an expression: its dotted name, or an outline such as `self.a.map(…)`.
pub(in crate::resolve::cel) fn outline(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Call {
            target: Some(target),
            function,
            ..
        } => format!("{}.{function}(…)", outline(target)),
        ExprKind::Call { function, args, .. } if function == "_[_]" && args.len() == 2 => {
            format!("{}[…]", outline(&args[0]))
        }
        ExprKind::Call { function, .. } if function == "_?._" => {
            dotted_path(expression, ".?").unwrap_or_else(|| "(…)".to_owned())
        }
        ExprKind::Call { function, .. } if operator_symbol(function).is_none() => {
            format!("{function}(…)")
        }
        ExprKind::Select(select) => format!("{}.{}", outline(&select.operand), select.field),
        ExprKind::Ident(name) => name.clone(),
        ExprKind::List(_) => "[…]".to_owned(),
        ExprKind::Map(_) => "{…}".to_owned(),
        _ => "(…)".to_owned(),
    }
}

/// Returns a path such as `self.?a.b` as text, with `optional` in place of each `.?`.
pub(super) fn dotted_path(expression: &Expr, optional: &str) -> Option<String> {
    match &expression.kind {
        ExprKind::Ident(name) => Some(name.clone()),
        ExprKind::Select(select) if !select.test => Some(format!(
            "{}.{}",
            dotted_path(&select.operand, optional)?,
            select.field
        )),
        ExprKind::Call { function, args, .. } if function == "_?._" => {
            let [operand, name] = args.as_slice() else {
                return None;
            };
            let ExprKind::Literal(Literal::Text(field)) = &name.kind else {
                return None;
            };
            Some(format!(
                "{}{optional}{field}",
                dotted_path(operand, optional)?
            ))
        }
        _ => None,
    }
}

/// Message and help for a `field_path` that is invalid or names no field.
pub(in crate::resolve::cel) fn explain_field_path(
    path: &str,
    error: &FieldPathError<'_>,
    schema: &Schema,
) -> Explanation {
    match error {
        FieldPathError::Syntax => {
            let dotted = format!(".{path}");
            let help = if field_path::check(&dotted, schema).is_ok() {
                Help::write(path, dotted)
            } else {
                "write a dot before each identifier, as in `.a.b`, and put any other name in \
                 brackets: `['a-b']`"
                    .into()
            };
            Explanation::new(format!("invalid field path `{path}`"), help)
        }
        FieldPathError::NoField { name, schema } => {
            let help = match closest(name, schema.properties.keys().map(String::as_str)) {
                Some(meant) if path.matches(&**name).count() == 1 => {
                    Help::did_you_mean(path, path.replace(&**name, meant))
                }
                Some(meant) => Help::did_you_mean(name, meant),
                None => "the path must start at the value that the rule validates".into(),
            };
            Explanation::new(
                format!("field path `{path}` does not exist: no such field `{name}`"),
                help,
            )
        }
    }
}

impl MessageWriter<'_> {
    pub(super) fn explain_not_selectable(
        &self,
        node: usize,
        type_: &Type,
        field: &str,
    ) -> Explanation {
        let node = self.node(node);
        let (operand, written) = match &node.kind {
            ExprKind::Select(select) => {
                let written = source_text(&select.operand, self.text).unwrap_or("…");
                (outline(&select.operand), written)
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
        Explanation::new(
            format!("`{operand}` has type {type_}, which does not support field selection"),
            help,
        )
    }

    pub(super) fn explain_undefined_field(
        &self,
        operand: usize,
        field: &str,
        object: &Object,
    ) -> Explanation {
        let operand_outline = self.outline_of(operand);
        let message = format!("no such field `{field}` in `{operand_outline}`");
        let names = || object.fields.keys().map(String::as_str);
        let dashed = names().find(|name| {
            name.strip_prefix(field)
                .is_some_and(|rest| rest.starts_with("__"))
        });
        let escaped = escape(field).filter(|escaped| object.fields.contains_key(escaped));
        let help = if let Some(meant) = escaped.as_deref().or(dashed) {
            format!("CEL escapes the name: `{operand_outline}.{meant}`").into()
        } else if let Some(origin) = object.hidden.get(field) {
            let origin = FieldOrigin::from_origin(Origin(*origin)).unwrap_or(self.origin);
            format!(
                "the schema does not declare its type: {}",
                origin.missing_type()
            )
            .into()
        } else if let Some(help) = self.field_of_kind(operand, field) {
            help.into()
        } else if let Some(meant) = closest(field, names()) {
            Help::did_you_mean(field, meant)
        } else if object.keeps_unknown
            && object.fields.is_empty()
            && self.origin.dialect == SchemaDialect::Crd
        {
            format!(
                "a rule can use only fields that the schema declares; write `{}` instead of `type` and `preserve_unknown_fields`",
                schema_with_field(field)
            )
            .into()
        } else if object.keeps_unknown {
            "a rule can use only fields that the schema declares; add it to the type".into()
        } else if object.fields.is_empty() {
            "it has no fields that a rule can use".into()
        } else {
            suggest::available(&names().collect::<Vec<_>>()).into()
        };
        Explanation { message, help }
    }
}

impl MessageWriter<'_> {
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
    pub(super) fn counted_map(&self, node: &Expr) -> Option<&str> {
        let ExprKind::Select(select) = &node.kind else {
            return None;
        };
        let is_map = matches!(self.types[select.operand.id], Type::Map(..));
        let map = source_text(&select.operand, self.text)?;
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
        Type::Object(index) => environment.objects.get(*index),
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

/// Methods of an optional. A call on `oldSelf` itself needs no change.
const OPTIONAL_METHODS: [&str; 4] = ["hasValue", "value", "or", "orValue"];

/// Returns whether the error may be caused by an optional in place of its value.
pub(super) fn takes_optional(error: &TypeErrorKind) -> bool {
    let is_optional = |type_: &Type| matches!(type_, Type::Optional(_));
    match error {
        TypeErrorKind::NoMatchingOverload { types, .. } => types.iter().any(is_optional),
        TypeErrorKind::NotBoolean { type_, .. } | TypeErrorKind::NotIterable { type_, .. } => {
            is_optional(type_)
        }
        _ => false,
    }
}

impl MessageWriter<'_> {
    /// Help for an error at `span` in a condition that uses the optional `oldSelf` as a value: the
    /// condition with `oldSelf.value()`, and a guard that accepts objects without an old value.
    /// Help that suggests `orValue` would lead to a rule that refuses every new object.
    ///
    /// Returns `None` for a message expression, or if the condition does not use `oldSelf` so.
    pub(super) fn guarded_old_self(&self, span: &Span) -> Option<String> {
        if !self.is_rule || !matches!(self.environment.old_self, Type::Optional(_)) {
            return None;
        }
        let condition = condition_at(self.root, span);
        let mut uses = BTreeSet::new();
        let mut is_guarded = false;
        self.root
            .visit(&mut |node| is_guarded |= tests_presence(node));
        collect_bare_uses(condition, &mut uses);
        let mut written = source_text(condition, self.text)?.to_owned();
        for end in uses.iter().rev() {
            written.insert_str(end - condition.span.start, ".value()");
        }
        if uses.is_empty() {
            return None;
        }
        Some(if is_guarded {
            format!("write `{written}`")
        } else if condition.id == self.root.id {
            format!("write `!oldSelf.hasValue() || {written}`")
        } else {
            format!("write `(!oldSelf.hasValue() || {written})`")
        })
    }
}

/// Returns the operand at `span` of the `&&`, `||` and `?:` that combine the conditions of a rule.
fn condition_at<'e>(node: &'e Expr, span: &Span) -> &'e Expr {
    let parts = match &node.kind {
        ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
            ("_&&_" | "_||_", args) => args,
            ("_?_:_", [_, branches @ ..]) => branches,
            _ => &[],
        },
        _ => &[],
    };
    let inside = |part: &&Expr| part.span.start <= span.start && span.end <= part.span.end;
    match parts.iter().find(inside) {
        Some(part) => condition_at(part, span),
        None => node,
    }
}

fn is_old_self(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Ident(name) if name == "oldSelf")
}

fn tests_presence(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Call { function, target: Some(target), .. }
        if function == "hasValue" && is_old_self(target))
}

/// Collects the ends of every `oldSelf` that is not the receiver of an optional's method and not
/// the operand of `.?`.
fn collect_bare_uses(node: &Expr, ends: &mut BTreeSet<usize>) {
    if is_old_self(node) {
        ends.insert(node.span.end);
    }
    let receiver = match &node.kind {
        ExprKind::Call {
            function,
            target: Some(target),
            ..
        } if OPTIONAL_METHODS.contains(&function.as_str()) => Some(&**target),
        ExprKind::Call { function, args, .. } if matches!(function.as_str(), "_?._" | "_[?_]") => {
            args.first()
        }
        _ => None,
    };
    for child in node.children() {
        let is_receiver = receiver.is_some_and(|receiver| receiver.id == child.id);
        if !(is_receiver && is_old_self(child)) {
            collect_bare_uses(child, ends);
        }
    }
}

impl MessageWriter<'_> {
    pub(super) fn explain_undeclared_reference(
        &self,
        name: &str,
        variables: &[String],
        span: &Span,
    ) -> Explanation {
        let message = format!("undeclared reference to `{name}`");
        let objects = self.environment.objects;
        let is_field = matches!(self.environment.self_, Type::Object(index) if objects[*index].fields.contains_key(name));
        if is_field {
            return Explanation::new(message, Help::write(name, format!("self.{name}")));
        }
        let variables = variables.iter().map(String::as_str);
        let written = variables.filter(|name| !name.starts_with(['@', '#']));
        let help = if let Some(meant) = closest(name, written.chain(["self", "oldSelf"])) {
            Help::did_you_mean(name, meant)
        } else if let Some(text) = self.unquoted(name, span) {
            format!("write `'{text}'` for the string").into()
        } else {
            "a rule can use `self`, `oldSelf` and the variables of its loops".into()
        };
        Explanation { message, help }
    }

    /// Returns the string that a name stands for if the rule compares it with a string. This is a
    /// value of the other side's `enum` if one differs from the name at most in case.
    fn unquoted(&self, name: &str, span: &Span) -> Option<String> {
        let other = compared_with(self.root, span)?;
        let choices = self.choices(other);
        if choices.is_empty() && self.types[other.id] == Type::Text {
            return Some(name.to_owned());
        }
        let mut choices = choices.iter();
        choices
            .find(|text| text.eq_ignore_ascii_case(name))
            .cloned()
    }

    /// Returns the strings that the `enum` of a field lists.
    fn choices(&self, node: &Expr) -> &[String] {
        let ExprKind::Select(select) = &node.kind else {
            return &[];
        };
        let Type::Object(object) = self.types[select.operand.id] else {
            return &[];
        };
        let field = self.environment.objects[object].field(&select.field);
        field.map_or(&[], |field| &*field.declared.choices)
    }
}

/// Returns the value with which a comparison, or `in` with a list literal, compares the name at
/// `span`.
fn compared_with<'e>(root: &'e Expr, span: &Span) -> Option<&'e Expr> {
    let is_name = |node: &Expr| node.span == *span && matches!(node.kind, ExprKind::Ident(_));
    let mut other = None;
    root.visit(&mut |node| {
        let ExprKind::Call { function, args, .. } = &node.kind else {
            return;
        };
        let [left, right] = args.as_slice() else {
            return;
        };
        match (function.as_str(), &right.kind) {
            ("_==_" | "_!=_", _) if is_name(right) => other = Some(left),
            ("_==_" | "_!=_", _) if is_name(left) => other = Some(right),
            ("@in", ExprKind::List(elements))
                if elements.iter().any(|element| is_name(&element.value)) =>
            {
                other = Some(left);
            }
            _ => {}
        }
    });
    other
}
