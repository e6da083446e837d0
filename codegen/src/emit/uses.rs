//! Imports of a generated file, and the names that they provide.

use std::collections::{BTreeMap, BTreeSet};

use super::order;
use super::wrap::WIDTH;
use crate::model::Resource;

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
            return format!("{}::{name}", global(module));
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
    pub(super) fn kind(&mut self, type_path: &str, cfg: &[String]) -> String {
        let Some((module, name)) = type_path.rsplit_once("::") else {
            return type_path.to_owned();
        };
        if self.taken.contains(name) {
            return format!("{}::{name}", global(module));
        }
        self.taken.insert(name.to_owned());
        self.import(module, cfg, name)
    }

    /// Imports each kind as [`Self::kind`] does, before other names so that these give way to it.
    pub(super) fn kinds<'m>(&mut self, resources: &'m [Resource]) -> Vec<(&'m Resource, String)> {
        resources
            .iter()
            .map(|resource| (resource, self.kind(&resource.type_path, &resource.cfg)))
            .collect()
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
            for names in order::runs(names, |name| vec![*name]) {
                sections[section].push(Line { module, cfg, names });
            }
        }
        let runs = sections
            .into_iter()
            .flat_map(|section| order::runs(section, Line::path));
        runs.map(|run| run.iter().map(Line::text).collect())
            .collect()
    }
}

/// A path that no import can hide.
fn global(module: &str) -> String {
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
        text + &list(&head, &self.names) + "\n"
    }
}

/// An import of several names as rustfmt formats it: on one line, or on filled lines.
fn list(head: &str, names: &[&str]) -> String {
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
