//! `kinds.rs`: the imports of the types that users write. All other modules of a client import them
//! from there.
//!
//! rustc reports an import that fails, but no use of its name. So a client that is out of date has
//! an error for each `use` item of this file, instead of errors in every file. The lines that the
//! error quotes say what to run.

use std::collections::{BTreeMap, BTreeSet};

use super::kind_paths::{self, ImportedType, KindPaths, TypeOrigin};
use super::names::{cfg, snake_case_lint};
use super::package::{PackageFiles, RustFile};
use super::uses::global_path;
use super::wrap::{WIDTH, wrap};
use crate::template::{join_with_blank_lines, rust};

pub(super) fn emit(package: &mut PackageFiles<'_>) {
    let mut tree = ModuleTree::default();
    for (type_path, imported) in &package.kinds.types {
        tree.insert(type_path, imported);
    }
    let source = RustFile {
        docs: vec![
            "Types of the kinds. If one is not found, the client is out of date: run \
             `genclient update`."
                .to_owned(),
        ],
        modules: allow_attribute(package.kinds),
        // The comments have to stay on the lines of the imports.
        verbatim: tree.render(0),
        ..RustFile::default()
    };
    package.rust(kind_paths::FILE, &source);
}

/// The `allow` attribute for what rustc may report. It is no `expect`: types that Cargo.toml states
/// may be deprecated, and `--only` leaves modules out that use types.
fn allow_attribute(kinds: &KindPaths<'_>) -> String {
    let mut names = kinds.types.values().flat_map(|imported| {
        let modules = imported.path.rsplit_once("::");
        modules
            .into_iter()
            .flat_map(|(modules, _)| modules.split("::"))
    });
    let mut lints = vec!["deprecated"];
    lints.extend(names.find_map(snake_case_lint));
    lints.push("unused_imports");
    // `allow`: whether rustc reports these depends on the types of the API, and `expect` would then
    // be reported itself.
    wrap(&format!(
        "#![allow({}, reason = \"depends on the types and modules\")]",
        lints.join(", ")
    ))
}

impl TypeOrigin {
    /// The comment on an import, which rustc quotes if the import fails.
    fn comment(self) -> &'static str {
        match self {
            Self::Sources => "// not found: run `genclient update`",
            Self::Manifest => "// not found: fix `type` in Cargo.toml, then run `genclient update`",
        }
    }
}

/// A module with imports.
#[derive(Default)]
struct ModuleTree<'a> {
    /// The names of each `use` item.
    imports: BTreeMap<ImportHead<'a>, BTreeSet<&'a str>>,
    /// The modules in it, by name.
    modules: BTreeMap<&'a str, Self>,
}

/// What all names of a `use` item have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ImportHead<'a> {
    /// The module that the types are in.
    from: &'a str,
    cfg: &'a [String],
    origin: TypeOrigin,
}

impl<'a> ModuleTree<'a> {
    fn insert(&mut self, type_path: &'a str, imported: &'a ImportedType<'_>) {
        let Some((from, name)) = type_path.rsplit_once("::") else {
            return;
        };
        let mut module = self;
        if let Some((above, _)) = imported.path.rsplit_once("::") {
            for segment in above.split("::") {
                module = module.modules.entry(segment).or_default();
            }
        }
        let head = ImportHead {
            from,
            cfg: &imported.cfg,
            origin: imported.origin,
        };
        module.imports.entry(head).or_default().insert(name);
    }

    /// The items of the module, at `depth` levels below the file.
    fn render(&self, depth: usize) -> String {
        let imports = self.imports.iter();
        let imports =
            imports.map(|(head, names)| head.render(names, WIDTH.saturating_sub(4 * depth)));
        let modules = self.modules.iter().map(|(name, module)| {
            let items = module.render(depth + 1);
            rust!(name, items => "
                pub(crate) mod $name {
                    $items
                }
            ")
        });
        join_with_blank_lines(imports.chain(modules))
    }
}

impl ImportHead<'_> {
    /// The `use` item. rustc reports all names that one item does not find as one error.
    ///
    /// rustfmt moves a comment that ends beyond `width`.
    fn render(&self, names: &BTreeSet<&str>, width: usize) -> String {
        let (conditions, from) = (cfg(self.cfg), global_path(self.from));
        let comment = self.origin.comment();
        if let (Some(name), 1) = (names.first(), names.len()) {
            let line = format!("pub(crate) use {from}::{name}; {comment}");
            if line.len() <= width {
                return conditions + &line + "\n";
            }
        }
        let lines: String = names
            .iter()
            .map(|name| format!("{name}, {comment}\n"))
            .collect();
        rust!(conditions, from, comment, lines => "
            $conditions
            #[rustfmt::skip]
            pub(crate) use $from::{ $comment
                $lines
            };
        ")
    }
}
