//! Lists and maps that are written out with values of several types, which the API server takes only for `format`.

use super::ast::{Expr, ExprKind};
use super::lex::Mistake;
use super::types::Type;

/// Finds the values that differ in type from the first one; `types` has the type of each node.
pub(super) fn check(expression: &Expr, types: &[Type]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    visit(expression, types, &mut mistakes);
    mistakes
}

fn visit(node: &Expr, types: &[Type], mistakes: &mut Vec<Mistake>) {
    match &node.kind {
        ExprKind::Call { function, .. } if function == "format" => return,
        ExprKind::List(elements) => {
            let values = elements
                .iter()
                .map(|element| (&element.value, element.optional));
            mistakes.extend(first_other("a list", values, types));
        }
        ExprKind::Map(entries) => {
            let keys = entries.iter().map(|entry| (&entry.key, false));
            mistakes.extend(first_other("the keys of a map", keys, types));
            let values = entries.iter().map(|entry| (&entry.value, entry.optional));
            mistakes.extend(first_other("the values of a map", values, types));
        }
        _ => {}
    }
    for child in node.children() {
        visit(child, types, mistakes);
    }
}

fn first_other<'e>(
    what: &str,
    mut values: impl Iterator<Item = (&'e Expr, bool)>,
    types: &[Type],
) -> Option<Mistake> {
    let type_of = |(value, optional): (&'e Expr, bool)| {
        let type_ = types[value.id].clone();
        if optional { type_.unwrapped().0 } else { type_ }
    };
    let first = type_of(values.next()?);
    let (value, type_) = values
        .map(|value| (value.0, type_of(value)))
        .find(|(_, type_)| *type_ != first)?;
    Some(Mistake::new(
        value.span.clone(),
        format!("{what} mixes {first} with {type_}"),
        "convert them to one type: `string(…)`, `int(…)`, or `dyn(…)` for each",
    ))
}
