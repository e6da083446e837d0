//! Messages and help for names that are not variables.

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind, Span};
use genclient_syntax::closest;

use super::expression::Words;

impl Words<'_> {
    pub(super) fn undeclared_reference(
        &self,
        name: &str,
        variables: &[String],
        span: &Span,
    ) -> (String, String) {
        let message = format!("undeclared reference to `{name}`");
        let objects = self.environment.objects;
        let is_field = matches!(self.environment.self_, Type::Object(place) if objects[*place].fields.contains_key(name));
        if is_field {
            return (message, format!("write `self.{name}`"));
        }
        let variables = variables.iter().map(String::as_str);
        let written = variables.filter(|name| !name.starts_with(['@', '#']));
        let help = if let Some(meant) = closest(name, written.chain(["self", "oldSelf"])) {
            format!("did you mean `{meant}`?")
        } else if let Some(text) = self.unquoted(name, span) {
            format!("write `'{text}'` for the string")
        } else {
            "a rule can use `self`, `oldSelf` and the variables of its loops".to_owned()
        };
        (message, help)
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
