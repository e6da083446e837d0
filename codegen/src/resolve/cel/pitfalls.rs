//! Warnings about comparisons with a field: strings that its `enum` does not list, and durations
//! and quantities that are compared as text.
//!
//! The API server accepts such rules. A comparison with an unlisted string has the same result for
//! every object, which usually means that the string is misspelt. As text, `'2h'` is greater than
//! `'10h'`, and `'1024Mi'` differs from `'1Gi'`.

use std::sync::LazyLock;

use genclient_cel::Type;
use genclient_cel::ast::{Comprehension, Expr, ExprKind, Literal};
use genclient_cel::declare::{Declared, Objects};
use genclient_schema::kubernetes::QUANTITY;
use genclient_syntax::{Help, closest};

use super::field_paths::Variables;
use super::finding::Finding;
use super::messages::{operator_symbol, outline, source_text};
use crate::known::duration_pattern;

/// Returns the warnings about the comparisons of an expression. `text` is its source, `self_`
/// declares the variable `self`.
pub(super) fn check_comparisons(
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
                    self.check_comparison(node, left, right);
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

    fn check_comparison(&mut self, node: &'c Expr, left: &'c Expr, right: &'c Expr) {
        let ExprKind::Call { function, .. } = &node.kind else {
            return;
        };
        match (function.as_str(), &right.kind) {
            ("_==_" | "_!=_", _) => {
                self.check_value(left, right);
                self.check_value(right, left);
            }
            ("@in", ExprKind::List(elements)) => {
                for element in elements {
                    self.check_value(left, &element.value);
                }
            }
            ("@in", _) => {
                let list = self.declared(right);
                let list = list.filter(|list| matches!(list.type_, Type::List(_)));
                if let Some(items) = list.and_then(|list| list.inner.as_deref()) {
                    self.check_text(items, &format!("an item of `{}`", outline(right)), left);
                }
            }
            _ => {}
        }
    }

    fn check_value(&mut self, field: &'c Expr, text: &Expr) {
        if let Some(declared) = self.declared(field) {
            self.check_text(declared, &format!("`{}`", outline(field)), text);
        }
    }

    /// Warns about a string literal that the `enum` of `declared` does not list. `name` is the
    /// field or variable as the message shows it.
    fn check_text(&mut self, declared: &Declared, name: &str, literal: &Expr) {
        let ExprKind::Literal(Literal::Text(text)) = &literal.kind else {
            return;
        };
        let values = &*declared.choices;
        // A comparison with the empty string tests whether a value is set.
        if values.is_empty() || text.is_empty() || values.contains(text) {
            return;
        }
        let finding = Finding::warning(
            format!("{name} is never '{text}'"),
            allowed_values_help(text, values),
        )
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
fn allowed_values_help(text: &str, values: &[String]) -> String {
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

/// Methods of quantities. Text and numbers have none of them.
const QUANTITY_METHODS: [&str; 8] = [
    "add",
    "asApproximateFloat",
    "asInteger",
    "compareTo",
    "isGreaterThan",
    "isInteger",
    "isLessThan",
    "sub",
];

/// What the text of a field means, according to its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Duration,
    /// A quantity, which may be a number instead of text if `or_number` is set.
    Quantity {
        or_number: bool,
    },
}

impl Unit {
    /// Returns the unit of the values of a type that the generator knows.
    fn from_declared(declared: &Declared) -> Option<Self> {
        static DURATION: LazyLock<String> = LazyLock::new(duration_pattern);
        let pattern = declared.pattern.as_deref()?;
        match declared.type_ {
            Type::Text if pattern == *DURATION => Some(Self::Duration),
            Type::Text | Type::Dyn if pattern == QUANTITY => Some(Self::Quantity {
                or_number: declared.type_ == Type::Dyn,
            }),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Quantity { .. } => "quantity",
        }
    }

    /// Returns the conversion of an operand. `quantity` takes only text, so `string` comes first
    /// for a field that may be a number.
    fn convert(self, operand: &Expr, text: &str) -> Option<String> {
        let written = source_text(operand, text)?;
        match (self, &operand.kind) {
            (Self::Duration, ExprKind::Literal(Literal::Text(_))) => {
                Some(format!("duration({written})"))
            }
            (Self::Quantity { .. }, ExprKind::Literal(Literal::Text(_))) => {
                Some(format!("quantity({written})"))
            }
            (Self::Quantity { .. }, ExprKind::Literal(Literal::Int(_) | Literal::Double(_))) => {
                Some(format!("quantity('{written}')"))
            }
            (_, ExprKind::Literal(_)) => None,
            (Self::Duration, _) => Some(format!("duration({written})")),
            (Self::Quantity { or_number: true }, _) => Some(format!("quantity(string({written}))")),
            (Self::Quantity { or_number: false }, _) => Some(format!("quantity({written})")),
        }
    }

    fn compare(self, operator: &str, left: &str, right: &str) -> String {
        match (self, operator) {
            (Self::Duration, _) | (_, "==") => format!("{left} {operator} {right}"),
            (_, "<") => format!("{left}.isLessThan({right})"),
            (_, ">") => format!("{left}.isGreaterThan({right})"),
            (..) => format!("{left}.compareTo({right}) {operator} 0"),
        }
    }
}

/// Checker of the comparisons in one expression.
struct Units<'t> {
    text: &'t str,
    /// Values whose type the expression tests with `type(…)`. It handles text and numbers itself.
    tested: Vec<&'t str>,
}

impl<'t> Units<'t> {
    fn new(expression: &Expr, text: &'t str) -> Self {
        let mut tested = Vec::new();
        expression.visit(&mut |node| {
            if let ExprKind::Call { function, args, .. } = &node.kind
                && let ("type", [value]) = (function.as_str(), args.as_slice())
            {
                tested.extend(source_text(value, text));
            }
        });
        Self { text, tested }
    }

    /// Returns the warning about a call. `declared` returns the declaration of a field.
    fn check(
        &self,
        node: &'t Expr,
        declared: impl Fn(&'t Expr) -> Option<&'t Declared>,
    ) -> Option<Finding> {
        let ExprKind::Call {
            function,
            target,
            args,
            ..
        } = &node.kind
        else {
            return None;
        };
        let unit = |operand| {
            let unit = Unit::from_declared(declared(operand)?)?;
            let written = source_text(operand, self.text)?;
            (!self.tested.contains(&written)).then_some((unit, written))
        };
        match (function.as_str(), target.as_deref(), args.as_slice()) {
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_", None, [left, right]) => {
                self.comparison(node, [left, right], unit)
            }
            ("quantity" | "isQuantity", None, [value]) => {
                let (Unit::Quantity { or_number: true }, written) = unit(value)? else {
                    return None;
                };
                let message = format!("`{function}` fails if `{written}` is a number");
                let help = Help::write_key(format!("{function}(string({written}))"));
                Some(Finding::warning(message, help).at(node.span.clone()))
            }
            (method, Some(target), args) if QUANTITY_METHODS.contains(&method) => {
                let (unit, written) = unit(target)?;
                let made = unit.convert(target, self.text)?;
                let args: Vec<_> = args
                    .iter()
                    .map(|arg| source_text(arg, self.text).unwrap_or("…"))
                    .collect();
                let message = format!("`{written}` is not a quantity, but text or a number");
                let help = Help::write_key(format!("{made}.{method}({})", args.join(", ")));
                Some(Finding::warning(message, help).at(node.span.clone()))
            }
            _ => None,
        }
    }

    /// Returns the warning about a comparison of a field that has a unit with a literal, or for
    /// order also with another field. Fields may be compared for equality, as `immutable` does.
    fn comparison(
        &self,
        node: &Expr,
        sides: [&'t Expr; 2],
        unit: impl Fn(&'t Expr) -> Option<(Unit, &'t str)>,
    ) -> Option<Finding> {
        let ExprKind::Call { function, .. } = &node.kind else {
            return None;
        };
        let operator = operator_symbol(function)?;
        let [left, right] = sides;
        let ((of, written), other) = unit(left)
            .map(|unit| (unit, right))
            .or_else(|| Some((unit(right)?, left)))?;
        let is_order = !matches!(operator, "==" | "!=");
        let is_number = match &other.kind {
            // A comparison with the empty string tests whether a value is set.
            ExprKind::Literal(Literal::Text(text)) if text.is_empty() => return None,
            ExprKind::Literal(literal) => !matches!(literal, Literal::Text(_)),
            ExprKind::Ident(_) | ExprKind::Select(_) if is_order => false,
            _ => return None,
        };
        let convert = |side: &'t Expr| {
            let own = unit(side).map_or(of, |(own, _)| own);
            own.convert(side, self.text)
        };
        let meant = of.compare(operator, &convert(left)?, &convert(right)?);
        let name = of.name();
        let message = if is_number {
            format!("`{operator}` does not compare `{written}` as a {name} if it is text")
        } else {
            format!("`{operator}` compares `{written}` as text, not as a {name}")
        };
        Some(Finding::warning(message, Help::write_key(meant)).at(node.span.clone()))
    }
}
