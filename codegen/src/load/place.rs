//! Folders that contain the files of child modules.

use std::path::{Path, PathBuf};

#[derive(Clone)]
pub(super) struct ModuleDir {
    /// The folder of the module's file. `#[path]` is relative to it, except in an inline module.
    pub(super) file_dir: PathBuf,
    /// The folder with the files of child modules.
    pub(super) children: PathBuf,
    /// True for an inline module, where `#[path]` is relative to `children`.
    pub(super) inline: bool,
}

impl ModuleDir {
    /// Returns the folders of the module in `file`. With `beside`, child modules lie beside the
    /// file, whatever its name.
    pub(super) fn of_file(file: &Path, beside: bool) -> Self {
        let file_dir = file.parent().unwrap_or(Path::new("")).to_owned();
        let is_root = ["mod.rs", "lib.rs", "main.rs"]
            .iter()
            .any(|name| file.ends_with(name));
        let children = if is_root || beside {
            file_dir.clone()
        } else {
            file.with_extension("")
        };
        Self {
            file_dir,
            children,
            inline: false,
        }
    }

    /// Resolves `#[path = "…"]` of a child module.
    pub(super) fn of_path(&self, path: &str) -> PathBuf {
        if self.inline {
            self.children.join(path)
        } else {
            self.file_dir.join(path)
        }
    }

    pub(super) fn inside(&self, name: &str) -> Self {
        Self {
            file_dir: self.file_dir.clone(),
            children: self.children.join(name),
            inline: true,
        }
    }
}
