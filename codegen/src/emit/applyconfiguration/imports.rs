//! Imports of a module of apply configurations.
//!
//! Items of a module may have different `#[cfg(…)]` conditions. An import has the conditions of the
//! items that use it.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::kind_paths::KindPaths;
use crate::emit::names::any_of;
use crate::emit::uses::{Uses, global_path};
use crate::model::{TypeArgument, TypeName};

/// Names of the standard prelude. A type of such a name is written with its full path.
const PRELUDE: [&str; 34] = [
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Some",
    "String",
    "ToString",
    "Vec",
];

/// Imports of one module, while its items are written.
pub(super) struct Imports<'a> {
    /// The path of the module.
    module: String,
    /// The types that are imported from `kinds`.
    kinds: &'a KindPaths<'a>,
    /// Names that the module defines.
    defined: BTreeSet<String>,
    /// The imported names.
    used: BTreeMap<String, ImportedItem>,
}

struct ImportedItem {
    /// The module of the item.
    module: String,
    /// The conditions of each item that uses it.
    conditions: BTreeSet<Vec<String>>,
}

impl<'a> Imports<'a> {
    pub(super) fn new(
        module: String,
        kinds: &'a KindPaths<'a>,
        defined: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            module,
            kinds,
            defined: defined.into_iter().collect(),
            used: BTreeMap::new(),
        }
    }

    /// Imports the item at `path` for an item with the conditions `cfg`. Returns the name; or the
    /// full path if the name is in the prelude, or the module defines it or imports another item of
    /// that name.
    pub(super) fn name(&mut self, path: &str, cfg: &[String]) -> String {
        let imported = self.kinds.path(path);
        let Some((module, name)) = imported.rsplit_once("::") else {
            return imported.into_owned();
        };
        if module == self.module {
            return name.to_owned();
        }
        if self.defined.contains(name) || PRELUDE.contains(&name) {
            return format!("{}::{name}", global_path(module));
        }
        let import = self
            .used
            .entry(name.to_owned())
            .or_insert_with(|| ImportedItem {
                module: module.to_owned(),
                conditions: BTreeSet::new(),
            });
        if import.module != module {
            return format!("{}::{name}", global_path(module));
        }
        import.conditions.insert(cfg.to_vec());
        name.to_owned()
    }

    /// Imports a type and its generic arguments. Returns the type as it is written.
    pub(super) fn type_name(&mut self, type_: &TypeName, cfg: &[String]) -> String {
        let name = self.name(&type_.path, cfg);
        if type_.arguments.is_empty() {
            return name;
        }
        let arguments: Vec<_> = type_
            .arguments
            .iter()
            .map(|argument| self.argument(argument, cfg))
            .collect();
        format!("{name}<{}>", arguments.join(", "))
    }

    fn argument(&mut self, argument: &TypeArgument, cfg: &[String]) -> String {
        match argument {
            TypeArgument::Type(type_) => self.type_name(type_, cfg),
            TypeArgument::Array(item, length) => {
                format!("[{}; {length}]", self.argument(item, cfg))
            }
            TypeArgument::Other(text) => text.clone(),
        }
    }

    pub(super) fn into_uses(self) -> Uses {
        let mut uses = Uses::default();
        for (name, import) in self.used {
            uses.name_if(&import.module, &name, &any_of(&import.conditions));
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::Imports;
    use crate::emit::kind_paths::KindPaths;

    #[test]
    fn imports_have_the_conditions_of_their_users() {
        let uses: [(&[&str], &str); 5] = [
            (&[""], "use other::Type;\n"),
            (&["", "unix"], "use other::Type;\n"),
            (&["unix", "unix"], "#[cfg(unix)]\nuse other::Type;\n"),
            (
                &["unix", "windows"],
                "#[cfg(any(unix, windows))]\nuse other::Type;\n",
            ),
            (
                &["unix test", "test"],
                "#[cfg(any(test, all(unix, test)))]\nuse other::Type;\n",
            ),
        ];
        let kinds = KindPaths::default();
        for (users, expected) in uses {
            let mut imports = Imports::new("crate::m".to_owned(), &kinds, []);
            for conditions in users {
                let cfg: Vec<_> = conditions.split_whitespace().map(str::to_owned).collect();
                assert_eq!(imports.name("other::Type", &cfg), "Type");
            }
            assert_eq!(imports.into_uses().sections().concat(), expected);
        }
    }

    #[test]
    fn names_that_mean_something_else_are_written_as_paths() {
        let kinds = KindPaths::default();
        let mut imports = Imports::new("crate::m".to_owned(), &kinds, ["Own".to_owned()]);
        for (path, expected) in [
            ("i32", "i32"),
            ("crate::m::Own", "Own"),
            ("crate::other::Own", "crate::other::Own"),
            ("crate::other::Option", "crate::other::Option"),
            ("a::Type", "Type"),
            ("b::Type", "::b::Type"),
            ("a::Type", "Type"),
        ] {
            assert_eq!(imports.name(path, &[]), expected);
        }
    }
}
