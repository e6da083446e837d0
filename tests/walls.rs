//! Boundaries inside crates: the modules that `walls.txt` names import only what it allows, and the
//! others do no I/O. Imports of modules and files form no cycle. Type names are unique in a crate.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use source::{Crate, Edges, IO};

mod source;

#[test]
fn modules_import_only_what_the_walls_allow() {
    let allowed = allowed(include_str!("walls.txt"));
    assert!(!allowed.is_empty());
    let mut wrong = Vec::new();
    for (krate, allowed) in allowed {
        let files = Crate::read(&Path::new("..").join(&krate)).edges();
        assert!(!files.is_empty(), "{krate} has no modules");
        let found = top_level(&files);
        wrong.extend(differences(&krate, &allowed, &found));
        let is_cycle = |cycle| format!("{krate}: import cycle: {cycle}");
        wrong.extend(cycle(&found).map(is_cycle));
        wrong.extend(cycle(&files).map(is_cycle));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn type_names_are_unique_within_a_crate() {
    let mut count = 0;
    for krate in allowed(include_str!("walls.txt")).keys() {
        let mut places = Crate::read(&Path::new("..").join(krate)).types();
        count += places.len();
        places.retain(|_, modules| modules.len() > 1);
        assert!(places.is_empty(), "{krate}: {places:#?}");
    }
    assert_ne!(count, 0);
}

/// Rules of a crate that differ from its imports.
fn differences(krate: &str, rules: &Edges, found: &Edges) -> Vec<String> {
    let with_io = found
        .iter()
        .filter(|(_, imports)| imports.contains(IO))
        .map(|(module, _)| module.clone())
        .collect();
    let without_io = |imports: &BTreeSet<String>| {
        let modules = imports.iter().filter(|module| *module != IO);
        modules.cloned().collect::<BTreeSet<_>>()
    };
    let line = |modules: &BTreeSet<String>| {
        let modules: Vec<_> = modules.iter().map(String::as_str).collect();
        modules.join(" ")
    };
    rules
        .iter()
        .filter_map(|(name, allowed)| {
            let found = if name == IO {
                Some(BTreeSet::clone(&with_io))
            } else {
                found.get(name).map(without_io)
            };
            let is_kept = found.as_ref() == Some(allowed);
            let found = found.map_or("no such module".to_owned(), |found| line(&found));
            let allowed = line(allowed);
            (!is_kept).then(|| format!("{krate}, {name}:\n  allowed {allowed}\n  found   {found}"))
        })
        .collect()
}

/// Parses `walls.txt`: the source folder of a crate, followed by its rules.
fn allowed(text: &str) -> BTreeMap<String, Edges> {
    let mut crates: BTreeMap<String, Edges> = BTreeMap::new();
    let mut current = None;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some((module, edges)) = line.split_once(':') {
            let edges = edges.split_whitespace().map(str::to_owned).collect();
            let krate: &String = current.as_ref().unwrap();
            crates
                .get_mut(krate)
                .unwrap()
                .insert(module.to_owned(), edges);
        } else {
            crates.insert(line.to_owned(), Edges::new());
            current = Some(line.to_owned());
        }
    }
    crates
}

/// Finds a cycle of modules.
fn cycle(edges: &Edges) -> Option<String> {
    edges.keys().find_map(|start| {
        let mut open = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            for next in edges.get(last).into_iter().flatten() {
                let longer = [path.as_slice(), &[next]].concat();
                if next == start {
                    let names: Vec<_> = longer.iter().map(|name| name.as_str()).collect();
                    return Some(names.join(" → "));
                }
                if seen.insert(next) {
                    open.push(longer);
                }
            }
        }
        None
    })
}

/// The same edges, reduced to top-level modules.
fn top_level(files: &Edges) -> Edges {
    let top = |name: &String| match name.split_once("::") {
        Some((top, _)) => top.to_owned(),
        None => name.clone(),
    };
    let mut edges = Edges::new();
    for (from, to) in files {
        let from = top(from);
        let to: Vec<_> = to.iter().map(top).filter(|to| *to != from).collect();
        edges.entry(from).or_default().extend(to);
    }
    edges
}
