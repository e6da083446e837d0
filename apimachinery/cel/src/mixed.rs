//! Check for list and map literals with elements of several types. The API server accepts such
//! literals only in calls of `format`.

use super::ast::{Expr, ExprKind};
use super::error::{Aggregate, TypeError, TypeErrorKind};
use super::types::Type;

/// Reports, for each list literal, the first element whose type differs from that of element 0. In
/// a map literal, keys and values are checked separately. `types` has the type of each node.
pub fn check_literal_types(expression: &Expr, types: &[Type]) -> Vec<TypeError> {
    let mut errors = Vec::new();
    collect_mixed_types(expression, types, &mut errors);
    errors
}

/// Checks the literals in a node and below.
fn collect_mixed_types(node: &Expr, types: &[Type], errors: &mut Vec<TypeError>) {
    match &node.kind {
        ExprKind::Call { function, .. } if function == "format" => return,
        ExprKind::List(elements) => {
            let values = elements
                .iter()
                .map(|element| (&element.value, element.optional));
            errors.extend(find_mixed_type(Aggregate::List, values, types));
        }
        ExprKind::Map(entries) => {
            let keys = entries.iter().map(|entry| (&entry.key, false));
            errors.extend(find_mixed_type(Aggregate::Keys, keys, types));
            let values = entries.iter().map(|entry| (&entry.value, entry.optional));
            errors.extend(find_mixed_type(Aggregate::Values, values, types));
        }
        _ => {}
    }
    for child in node.children() {
        collect_mixed_types(child, types, errors);
    }
}

/// Returns the error about the first value whose type is not that of the first value.
fn find_mixed_type<'e>(
    place: Aggregate,
    mut values: impl Iterator<Item = (&'e Expr, bool)>,
    types: &[Type],
) -> Option<TypeError> {
    let type_of = |(value, optional): (&'e Expr, bool)| {
        let type_ = types[value.id].clone();
        if optional { type_.unwrapped().0 } else { type_ }
    };
    let first = type_of(values.next()?);
    let (value, other) = values
        .map(|value| (value.0, type_of(value)))
        .find(|(_, type_)| *type_ != first)?;
    Some(TypeError::new(
        value.span.clone(),
        TypeErrorKind::MixedTypes {
            place,
            first,
            other,
        },
    ))
}
