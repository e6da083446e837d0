//! Build context of an image: the folder that a container engine is given to build a package.

use std::path::{Path, PathBuf};

use super::files::disk;
use super::manifest::Manifest;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::folder;

/// The folder that a container engine is given.
#[derive(Debug)]
pub(crate) struct BuildContext {
    /// The folder of the workspace, which has Cargo.lock and the other members; else that of the
    /// package.
    pub(crate) folder: PathBuf,
    /// The dependencies of the package that are not below it, with their folders.
    outside: Vec<(String, PathBuf)>,
}

impl BuildContext {
    /// The context of the package in a folder.
    ///
    /// # Errors
    ///
    /// A manifest that cannot be read.
    pub(crate) fn of(package: &Path) -> Result<Self, Diagnostics> {
        let manifest = Manifest::read(&disk(folder::working_dir()), package)?;
        let dependencies = manifest.path_dependencies();
        let workspace = manifest.workspace()?;
        let above = workspace.dir().to_owned();
        let is_member = workspace.members()?.iter().any(|it| it.dir() == package);
        let folder = match is_member {
            true => above,
            false => package.to_owned(),
        };
        let outside = dependencies.into_iter();
        let outside = outside.filter(|(_, path)| !path.starts_with(&folder));
        Ok(Self {
            outside: outside.collect(),
            folder,
        })
    }

    /// A warning of the dependencies that the container engine does not see.
    pub(crate) fn warnings(&self) -> Diagnostics {
        if self.outside.is_empty() {
            return Diagnostics::default();
        }
        let outside = self.outside.iter();
        let outside = outside.map(|(name, path)| format!("`{name}` ({})", folder::shown(path)));
        let outside: Vec<_> = outside.collect();
        let warning = Diagnostic::warning(format!(
            "the image is built of {}, and dependencies are outside of it: {}",
            self.folder.display(),
            outside.join(", ")
        ));
        let help = "write released versions of them in Cargo.toml, or copy them below that folder";
        warning.help(help).into()
    }
}
