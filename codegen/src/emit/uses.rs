//! Imports of a generated file, the names that they provide, and rustfmt's order of imports and
//! modules.
//!
//! Style edition 2021 sorts `snake_case` names first, then `CamelCase`, then `UPPER_CASE`. Edition
//! 2024 compares numbers by value and puts `_` first. rustfmt does not sort across blank lines, so
//! a blank line separates neighbours that the editions sort differently.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::wrap::WIDTH;

/// Collects the imports of a file while its items are generated.
///
/// If the file defines an item `Result`, or imports a kind `Result`, every other `Result` is
/// written with its full path. So a kind may be called `Result`.
#[derive(Default)]
pub struct Uses {
    /// Names that the file defines, and names of imported kinds.
    taken: BTreeSet<String>,
    /// Names by module and condition.
    imports: BTreeMap<(String, Vec<String>), BTreeSet<String>>,
}

impl Uses {
    /// The imports of a file that defines the names `taken`.
    pub fn new(taken: impl IntoIterator<Item = String>) -> Self {
        Self {
            taken: taken.into_iter().collect(),
            imports: BTreeMap::new(),
        }
    }

    /// Imports `name` from `module`. Returns the name, or the full path if the file defines the
    /// name or imports a kind of that name.
    pub fn name(&mut self, module: &str, name: &str) -> String {
        self.name_if(module, name, &[])
    }

    /// Imports `name` from `module` under the conditions `cfg`, as [`Self::name`] does.
    pub(super) fn name_if(&mut self, module: &str, name: &str, cfg: &[String]) -> String {
        if self.taken.contains(name) {
            return format!("{}::{name}", global_path(module));
        }
        self.import(module, cfg, name)
    }

    fn import(&mut self, module: &str, cfg: &[String], name: &str) -> String {
        self.imports
            .entry((module.to_owned(), cfg.to_vec()))
            .or_default()
            .insert(name.to_owned());
        name.to_owned()
    }

    /// Imports the kind at `type_path` under the conditions `cfg`. Returns the name, or the full
    /// path if the file defines the name or imports a kind of that name already. Later calls for
    /// items of the same name return full paths.
    pub(super) fn import_kind(&mut self, type_path: &str, cfg: &[String]) -> String {
        let Some((module, name)) = type_path.rsplit_once("::") else {
            return type_path.to_owned();
        };
        if self.taken.contains(name) {
            return format!("{}::{name}", global_path(module));
        }
        self.taken.insert(name.to_owned());
        self.import(module, cfg, name)
    }

    /// A name of the standard prelude, or its full path if the file defines or imports a kind of
    /// that name.
    pub(super) fn prelude(&self, module: &str, name: &str) -> String {
        if self.taken.contains(name) {
            format!("{module}::{name}")
        } else {
            name.to_owned()
        }
    }

    /// The `use` lines in sections: standard library, other crates, this crate, this module.
    pub fn sections(&self) -> Vec<String> {
        let mut sections: [Vec<Line>; 4] = Default::default();
        for ((module, cfg), names) in &self.imports {
            let section = match module.split("::").next() {
                Some("std") => 0,
                Some("crate") => 2,
                Some("self") => 3,
                _ => 1,
            };
            let names = names.iter().map(String::as_str).collect();
            // rustfmt's style editions 2021 and 2024 may disagree on the order of two names. Such
            // names get separate `use` items.
            for names in split_into_runs(names, |name| vec![*name]) {
                sections[section].push(Line { module, cfg, names });
            }
        }
        let runs = sections
            .into_iter()
            .flat_map(|section| split_into_runs(section, Line::path));
        runs.map(|run| run.iter().map(Line::text).collect())
            .collect()
    }
}

/// A path that no import can hide.
pub(super) fn global_path(module: &str) -> String {
    if module.starts_with("crate") || module.starts_with("self") {
        module.to_owned()
    } else {
        format!("::{module}")
    }
}

/// One `use` item.
struct Line<'a> {
    module: &'a str,
    cfg: &'a [String],
    names: Vec<&'a str>,
}

impl Line<'_> {
    fn path(&self) -> Vec<&str> {
        let last = match self.names[..] {
            [name] => name,
            _ => "{",
        };
        self.module.split("::").chain([last]).collect()
    }

    /// The item as rustfmt formats it, with lines filled up to the maximum width.
    fn text(&self) -> String {
        let conditions = self
            .cfg
            .iter()
            .map(|condition| format!("#[cfg({condition})]\n"));
        let text: String = conditions.collect();
        if let [name] = self.names[..] {
            return format!("{text}use {}::{name};\n", self.module);
        }
        let head = format!("use {}::", self.module);
        text + &format_list(&head, &self.names) + "\n"
    }
}

/// An import of several names as rustfmt formats it: on one line, or on filled lines.
fn format_list(head: &str, names: &[&str]) -> String {
    let one = format!("{head}{{{}}};", names.join(", "));
    // rustfmt leaves two columns of a single line free, and one column of each filled line.
    if one.len() <= WIDTH - 2 {
        return one;
    }
    let mut text = format!("{head}{{\n   ");
    let mut width = 3;
    for name in names {
        if width + name.len() + 2 >= WIDTH {
            text.push_str("\n   ");
            width = 3;
        }
        text.push_str(&format!(" {name},"));
        width += name.len() + 2;
    }
    text + "\n};"
}

/// True if both style editions sort `above` before `below`, which are the paths of two imports or
/// of two `mod` lines.
fn is_in_both_orders(above: &[&str], below: &[&str]) -> bool {
    [compare_2021, compare_2024]
        .into_iter()
        .all(|compare| compare_paths(above, below, compare).is_le())
}

/// Sorts imports or `mod` lines by style edition 2021. A new run starts where edition 2024 would
/// sort differently.
pub(super) fn split_into_runs<T>(mut items: Vec<T>, path: impl Fn(&T) -> Vec<&str>) -> Vec<Vec<T>> {
    items.sort_by(|a, b| compare_paths(&path(a), &path(b), compare_2021));
    let mut runs: Vec<Vec<T>> = Vec::new();
    for item in items {
        match runs.last_mut() {
            Some(run)
                if run
                    .last()
                    .is_some_and(|last| is_in_both_orders(&path(last), &path(&item))) =>
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

fn compare_2024(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (split_name(a), split_name(b));
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
fn split_name(name: &str) -> impl Iterator<Item = &str> {
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
    use super::{compare_2021, compare_2024, split_into_runs};

    #[test]
    fn names_sort_as_in_each_style_edition() {
        let mut names = ["VM", "Node2", "v1", "Node10", "v10", "v2", "a_b", "a1"];
        names.sort_by(|a, b| compare_2021(a, b));
        assert_eq!(
            names,
            ["a1", "a_b", "v1", "v10", "v2", "Node10", "Node2", "VM"]
        );
        names.sort_by(|a, b| compare_2024(a, b));
        assert_eq!(
            names,
            ["Node2", "Node10", "VM", "a_b", "a1", "v1", "v2", "v10"]
        );
    }

    #[test]
    fn names_that_editions_sort_differently_are_split_into_runs() {
        let names = vec!["Ingress", "I", "Gateway", "Node2", "Node10"];
        let runs = split_into_runs(names, |name| vec!["crate", name]);
        assert_eq!(
            runs,
            [
                vec!["Gateway", "Ingress", "Node10"],
                vec!["Node2"],
                vec!["I"]
            ]
        );
        let runs = super::split_into_runs(vec!["v2", "v1beta1", "v10", "v1"], |name| vec![name]);
        assert_eq!(runs, [vec!["v1", "v10"], vec!["v1beta1", "v2"]]);
    }
}
