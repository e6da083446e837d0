//! Module boundaries inside crates: top-level modules import only what `walls.txt` allows, and
//! there are no import cycles between modules or files. Type names are unique within a crate.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use source::{Crate, Edges, WORLD};

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

/// Modules whose imports differ from the allowed ones.
fn differences(krate: &str, allowed: &Edges, found: &Edges) -> Vec<String> {
    let line = |module: &String, edges: Option<&BTreeSet<String>>| {
        let edges = edges.into_iter().flatten().cloned();
        format!("{module}: {}", edges.collect::<Vec<_>>().join(" "))
    };
    let modules: BTreeSet<_> = found.keys().chain(allowed.keys()).collect();
    let different = modules.into_iter().filter_map(|module| {
        let (allowed, found) = (allowed.get(module), found.get(module));
        let lines = (line(module, allowed), line(module, found));
        (allowed != found).then(|| format!("{krate}\n  allowed {}\n  found   {}", lines.0, lines.1))
    });
    different.collect()
}

/// Parses `walls.txt`: the source folder of a crate, followed by its modules with their imports.
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
        Some((top, _)) if !WORLD.contains(&name.as_str()) => top.to_owned(),
        _ => name.clone(),
    };
    let mut edges = Edges::new();
    for (from, to) in files {
        let from = top(from);
        let to: Vec<_> = to.iter().map(top).filter(|to| *to != from).collect();
        edges.entry(from).or_default().extend(to);
    }
    edges
}
