//! rustfmt's order of imports and modules.
//!
//! Style edition 2021 sorts `snake_case` names first, then `CamelCase`, then `UPPER_CASE`. Edition
//! 2024 compares numbers by value and puts `_` first. rustfmt does not sort across blank lines, so
//! a blank line separates neighbours that the editions sort differently.

use std::cmp::Ordering;

/// True if both style editions sort `above` before `below`, which are the paths of two imports or
/// of two `mod` lines.
fn in_order(above: &[&str], below: &[&str]) -> bool {
    [compare_2021, version_compare]
        .into_iter()
        .all(|compare| compare_paths(above, below, compare).is_le())
}

/// Sorts imports or `mod` lines by style edition 2021. A new run starts where edition 2024 would
/// sort differently.
pub(super) fn runs<T>(mut items: Vec<T>, path: impl Fn(&T) -> Vec<&str>) -> Vec<Vec<T>> {
    items.sort_by(|a, b| compare_paths(&path(a), &path(b), compare_2021));
    let mut runs: Vec<Vec<T>> = Vec::new();
    for item in items {
        match runs.last_mut() {
            Some(run)
                if run
                    .last()
                    .is_some_and(|last| in_order(&path(last), &path(&item))) =>
            {
                run.push(item);
            }
            _ => runs.push(vec![item]),
        }
    }
    runs
}

fn compare_paths(a: &[&str], b: &[&str], compare: fn(&str, &str) -> Ordering) -> Ordering {
    let segments = a.iter().zip(b);
    segments
        .map(|(a, b)| {
            // `self` comes first, then `crate`. A list in braces comes last.
            let rank = |segment: &str| match segment {
                "self" => 0,
                "crate" => 1,
                "{" => 3,
                _ => 2,
            };
            rank(a).cmp(&rank(b)).then_with(|| compare(a, b))
        })
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn compare_2021(a: &str, b: &str) -> Ordering {
    let class = |name: &str| {
        let upper = |c: char| c.is_uppercase() || c.is_numeric() || c == '_';
        if !name.starts_with(char::is_uppercase) {
            0
        } else if name.chars().all(upper) {
            2
        } else {
            1
        }
    };
    class(a).cmp(&class(b)).then_with(|| a.cmp(b))
}

fn version_compare(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (pieces(a), pieces(b));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => compare_pieces(a, b),
        };
        if order.is_ne() {
            return order;
        }
    }
}

fn compare_pieces(a: &str, b: &str) -> Ordering {
    match (a, b, a.parse::<u64>(), b.parse::<u64>()) {
        ("_", "_", ..) => Ordering::Equal,
        ("_", ..) => Ordering::Less,
        (_, "_", ..) => Ordering::Greater,
        // If the numbers are equal, the number with more leading zeros comes first.
        (_, _, Ok(x), Ok(y)) => x.cmp(&y).then_with(|| b.len().cmp(&a.len())),
        _ => a.cmp(b),
    }
}

/// Splits a name into single underscores, numbers, and the text between them.
fn pieces(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if first == '_' {
            Some(1)
        } else if first.is_ascii_digit() {
            rest.find(|c: char| !c.is_ascii_digit())
        } else {
            rest.find(|c: char| c == '_' || c.is_ascii_digit())
        };
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{compare_2021, runs, version_compare};

    #[test]
    fn names_sort_as_in_each_style_edition() {
        let mut names = ["VM", "Node2", "v1", "Node10", "v10", "v2", "a_b", "a1"];
        names.sort_by(|a, b| compare_2021(a, b));
        assert_eq!(
            names,
            ["a1", "a_b", "v1", "v10", "v2", "Node10", "Node2", "VM"]
        );
        names.sort_by(|a, b| version_compare(a, b));
        assert_eq!(
            names,
            ["Node2", "Node10", "VM", "a_b", "a1", "v1", "v2", "v10"]
        );
    }

    #[test]
    fn names_that_editions_sort_differently_are_split_into_runs() {
        let names = vec!["Ingress", "I", "Gateway", "Node2", "Node10"];
        let runs = runs(names, |name| vec!["crate", name]);
        assert_eq!(
            runs,
            [
                vec!["Gateway", "Ingress", "Node10"],
                vec!["Node2"],
                vec!["I"]
            ]
        );
        let runs = super::runs(vec!["v2", "v1beta1", "v10", "v1"], |name| vec![name]);
        assert_eq!(runs, [vec!["v1", "v10"], vec!["v1beta1", "v2"]]);
    }
}
