//! Files of an import: the path of each module, and the declarations in its parent modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use genclient_codegen::file_system::{self, display_path};
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_syntax::names as syntax_names;

use crate::insert;

/// The maximum number of kinds in one file. If a version has more, each kind gets its own file.
const MAX_KINDS_PER_FILE: usize = 4;

/// Files to write, by path.
pub(super) struct NewFiles {
    pub(super) texts: BTreeMap<PathBuf, String>,
    /// Existing files that get an additional line.
    pub(super) changed: Vec<PathBuf>,
    errors: Diagnostics,
}

/// The file layout of a version's kinds.
pub(super) enum Layout {
    /// One file for all kinds.
    File,
    /// A folder with a file for each kind.
    Folder,
}

/// The layout of a version's module below the group's folder: `Folder` if the version's folder
/// exists already, or if the version has more than [`MAX_KINDS_PER_FILE`] kinds.
pub(super) fn choose_layout(group: &Path, version: &str, kinds: usize) -> Layout {
    let has_folder = group.join(module_name(version)).is_dir();
    if has_folder || kinds > MAX_KINDS_PER_FILE {
        Layout::Folder
    } else {
        Layout::File
    }
}

pub(super) fn module_name(version: &str) -> String {
    syntax_names::module(&syntax_names::version_module(version))
}

impl NewFiles {
    pub(super) fn new() -> Self {
        Self {
            texts: BTreeMap::new(),
            changed: Vec::new(),
            errors: Diagnostics::default(),
        }
    }

    /// Adds the file of a new module. If the module has a file already, `finish` returns an error.
    pub(super) fn add(&mut self, path: PathBuf, text: String) {
        let without = path.with_extension("");
        let in_the_way = [&path, &without.join("mod.rs")]
            .into_iter()
            .find(|path| path.exists())
            .cloned();
        if let Some(found) = in_the_way {
            let error = Diagnostic::error(format!("{} already exists", display_path(&found)))
                .help("move it away, or import into another folder: `--apis DIR`");
            self.errors.extend(error.into());
        }
        self.texts.insert(path, text);
    }

    /// Declares the module `name` in the module file of a folder: the crate root `root` if it is in
    /// that folder, else `mod.rs` or `<folder>.rs`. `header` is the documentation of a new file.
    pub(super) fn declare(&mut self, folder: &Path, root: Option<&Path>, name: &str, header: &str) {
        let file = module_file(folder, root);
        let text = match self.texts.get(&file) {
            Some(text) => Ok(text.clone()),
            None if file.exists() => file_system::read_text_file(&file),
            None => Ok(format!("//! {header}\n")),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                let message = format!("cannot read {}: {error}", display_path(&file));
                let error = Diagnostic::error(message).help("make the file readable");
                return self.errors.extend(error.into());
            }
        };
        let line = format!("pub mod {name};");
        match insert::add_item(&text, &line) {
            Some(declared) if declared == text => {}
            Some(declared) => {
                if file.exists() && !self.changed.contains(&file) {
                    self.changed.push(file.clone());
                }
                self.texts.insert(file, declared);
            }
            None => {
                let message = format!("{} is not valid Rust", display_path(&file));
                let help = format!("fix the syntax error, or add the line `{line}` yourself");
                self.errors
                    .extend(Diagnostic::error(message).help(help).into());
            }
        }
    }

    pub(super) fn finish(self) -> Result<(BTreeMap<PathBuf, String>, Vec<PathBuf>), Diagnostics> {
        if self.errors.is_empty() {
            Ok((self.texts, self.changed))
        } else {
            Err(self.errors)
        }
    }
}

fn module_file(folder: &Path, root: Option<&Path>) -> PathBuf {
    if let Some(root) = root.filter(|root| root.parent() == Some(folder)) {
        return root.to_owned();
    }
    let (inside, beside) = (folder.join("mod.rs"), folder.with_extension("rs"));
    if !inside.exists() && beside.exists() {
        beside
    } else {
        inside
    }
}
