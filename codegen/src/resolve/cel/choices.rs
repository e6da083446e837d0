//! Warnings about comparisons with a field: strings that its `enum` does not list, and durations
//! and quantities that are compared as text.
//!
//! The API server accepts such rules. A comparison with an unlisted string has the same result for
//! every object, which usually means that the string is misspelt.

use genclient_cel::Type;
use genclient_cel::ast::{Comprehension, Expr, ExprKind, Literal};
use genclient_cel::declare::{Declared, Objects};
use genclient_syntax::closest;

use super::finding::Finding;
use super::places::Variables;
use super::units::Units;
use super::words::shown;

/// Returns the warnings about the comparisons of an expression. `text` is its source, `self_`
/// declares the variable `self`.
pub(super) fn check(
    expression: &Expr,
    text: &str,
    self_: &Declared,
    objects: &Objects,
) -> Vec<Finding> {
    let mut choices = Choices {
        units: Units::new(expression, text),
        self_,
        objects,
        variables: Variables::default(),
        findings: Vec::new(),
    };
    choices.visit(expression);
    choices.findings
}

struct Choices<'c> {
    units: Units<'c>,
    self_: &'c Declared,
    objects: &'c Objects,
    /// Declarations of the loop variables.
    variables: Variables<'c, &'c Declared>,
    findings: Vec<Finding>,
}

impl<'c> Choices<'c> {
    fn visit(&mut self, node: &'c Expr) {
        match &node.kind {
            ExprKind::Comprehension(fold) => return self.comprehension(fold),
            ExprKind::Call { args, .. } => {
                if let [left, right] = args.as_slice() {
                    self.compared(node, left, right);
                }
                let finding = self.units.check(node, |operand| self.declared(operand));
                finding.into_iter().for_each(|finding| self.add(finding));
            }
            _ => {}
        }
        for child in node.children() {
            self.visit(child);
        }
    }

    fn comprehension(&mut self, fold: &'c Comprehension) {
        self.visit(&fold.range);
        self.visit(&fold.start);
        let range = self.declared(&fold.range);
        let inner = range.and_then(|range| range.inner.as_deref());
        let is_list = range.is_some_and(|range| matches!(range.type_, Type::List(_)));
        // The single variable of a loop over a map holds the keys, which have no declaration.
        let items = inner.filter(|_| is_list);
        let entered = self.variables.enter(fold, items, inner);
        self.visit(&fold.condition);
        self.visit(&fold.step);
        self.variables.enter_result(&entered);
        self.visit(&fold.result);
        self.variables.leave(entered);
    }

    fn compared(&mut self, node: &'c Expr, left: &'c Expr, right: &'c Expr) {
        let ExprKind::Call { function, .. } = &node.kind else {
            return;
        };
        match (function.as_str(), &right.kind) {
            ("_==_" | "_!=_", _) => {
                self.value(left, right);
                self.value(right, left);
            }
            ("@in", ExprKind::List(elements)) => {
                for element in elements {
                    self.value(left, &element.value);
                }
            }
            ("@in", _) => {
                let list = self.declared(right);
                let list = list.filter(|list| matches!(list.type_, Type::List(_)));
                if let Some(items) = list.and_then(|list| list.inner.as_deref()) {
                    self.text(items, &format!("an item of `{}`", shown(right)), left);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, field: &'c Expr, text: &Expr) {
        if let Some(declared) = self.declared(field) {
            self.text(declared, &format!("`{}`", shown(field)), text);
        }
    }

    /// Warns about a string literal that the `enum` of `declared` does not list. `name` is the
    /// field or variable as the message shows it.
    fn text(&mut self, declared: &Declared, name: &str, literal: &Expr) {
        let ExprKind::Literal(Literal::Text(text)) = &literal.kind else {
            return;
        };
        let values = &*declared.choices;
        // A comparison with the empty string tests whether a value is set.
        if values.is_empty() || text.is_empty() || values.contains(text) {
            return;
        }
        let finding = Finding::warning(format!("{name} is never '{text}'"), help(text, values))
            .at(literal.span.clone());
        self.add(finding);
    }

    /// Adds a warning. The expansion of a macro may contain an expression twice, but one warning is
    /// enough.
    fn add(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Returns the declaration of an expression, if it is `self`, a loop variable, or a field or
    /// element of these. Returns `None` for `oldSelf`, because an earlier version of the CRD may
    /// have allowed other values.
    fn declared(&self, node: &Expr) -> Option<&'c Declared> {
        match &node.kind {
            ExprKind::Ident(name) => {
                let itself = || (name == "self").then_some(self.self_);
                self.variables.find(name, itself)
            }
            ExprKind::Select(select) if !select.test => {
                let operand = self.declared(&select.operand)?;
                match operand.type_ {
                    Type::Object(place) => self.objects[place]
                        .field(&select.field)
                        .map(|field| &field.declared),
                    Type::Map(..) => operand.inner.as_deref(),
                    _ => None,
                }
            }
            ExprKind::Call { function, args, .. } if function == "_[_]" => {
                self.declared(args.first()?)?.inner.as_deref()
            }
            _ => None,
        }
    }
}

/// Returns the help: the most similar value, if any, and the first eight allowed values.
fn help(text: &str, values: &[String]) -> String {
    let quoted: Vec<_> = values
        .iter()
        .take(8)
        .map(|value| format!("'{value}'"))
        .collect();
    let more = if values.len() > 8 { ", …" } else { "" };
    let all = format!("allowed values are {}{more}", quoted.join(", "));
    match closest(text, values.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean '{meant}'? {all}"),
        None => all,
    }
}
