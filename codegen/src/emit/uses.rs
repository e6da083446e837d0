//! The imports of one generated file, and what its names are called there.

use std::collections::{BTreeMap, BTreeSet};

use super::order;
use super::wrap::WIDTH;

/// Collects what a file imports while its items are written.
///
/// A name that the file defines itself is not imported but written with its whole path, so a kind may be called
/// `Result` or `Option`.
#[derive(Default)]
pub(crate) struct Uses {
    own: BTreeSet<String>,
    /// Names by module and condition.
    imports: BTreeMap<(String, Vec<String>), BTreeSet<String>>,
}

impl Uses {
    /// The imports of a file that defines `own` names.
    pub(crate) fn new(own: impl IntoIterator<Item = String>) -> Self {
        Self {
            own: own.into_iter().collect(),
            imports: BTreeMap::new(),
        }
    }

    /// `name` of `module`, imported if it can be.
    pub(crate) fn name(&mut self, module: &str, name: &str) -> String {
        self.name_if(module, name, &[])
    }

    /// `name` of `module`, which the file needs only under `cfg`.
    pub(super) fn name_if(&mut self, module: &str, name: &str, cfg: &[String]) -> String {
        if self.own.contains(name) {
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

    /// A type that the file is about, by its whole path; its name goes before every other. The import is made under `cfg`, for a
    /// file that is there without the type.
    pub(super) fn kind(&mut self, type_path: &str, cfg: &[String]) -> String {
        let Some((module, name)) = type_path.rsplit_once("::") else {
            return type_path.to_owned();
        };
        if self.own.contains(name) {
            return format!("{}::{name}", global(module));
        }
        self.own.insert(name.to_owned());
        self.import(module, cfg, name)
    }

    /// A name of the standard prelude, which needs no import unless something of the file hides it.
    pub(super) fn prelude(&self, module: &str, name: &str) -> String {
        if self.own.contains(name) {
            format!("{module}::{name}")
        } else {
            name.to_owned()
        }
    }

    /// The `use` lines, a section each: the standard library's, other crates', this crate's, this module's.
    pub(crate) fn sections(&self) -> Vec<String> {
        let mut sections: [Vec<Line>; 4] = Default::default();
        for ((module, cfg), names) in &self.imports {
            let section = match module.split("::").next() {
                Some("std") => 0,
                Some("crate") => 2,
                Some("self") => 3,
                _ => 1,
            };
            let names = names.iter().map(String::as_str).collect();
            // One list holds only names on whose order all agree.
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

    /// As rustfmt writes it: names fill lines up to the width.
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

/// An import of several names as rustfmt writes it: on one line, or on lines filled up to the width.
pub(super) fn list(head: &str, names: &[impl AsRef<str>]) -> String {
    let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
    let one = format!("{head}{{{}}};", names.join(", "));
    // rustfmt leaves room for two characters more here, and for one more below.
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
