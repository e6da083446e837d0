//! Build context of an image: the folder that a container engine reads to build a package.

use std::path::{Path, PathBuf};

use super::files::disk_files;
use super::manifest::CargoManifest;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file_system;

/// Build context of a package's image.
#[derive(Debug)]
pub struct BuildContext {
    /// The folder of the workspace, which has Cargo.lock and the other members. If the package is
    /// not a member of a workspace, its own folder.
    pub folder: PathBuf,
    /// Path dependencies outside of `folder`, with their folders.
    outside: Vec<(String, PathBuf)>,
}

impl BuildContext {
    /// Returns the build context of a package.
    ///
    /// # Errors
    ///
    /// A manifest cannot be read.
    pub fn discover(package: &Path) -> Result<Self, Diagnostics> {
        let manifest = CargoManifest::load(&disk_files(file_system::working_dir()), package)?;
        let dependencies = manifest.path_dependencies();
        let workspace = manifest.workspace()?;
        let above = workspace.dir().to_owned();
        let is_member = workspace.members()?.iter().any(|it| it.dir() == package);
        let folder = if is_member { above } else { package.to_owned() };
        let outside = dependencies
            .into_iter()
            .filter(|(_, path)| !path.starts_with(&folder));
        Ok(Self {
            outside: outside.collect(),
            folder,
        })
    }

    /// Returns a warning about dependencies outside of the context.
    pub fn warnings(&self) -> Diagnostics {
        if self.outside.is_empty() {
            return Diagnostics::default();
        }
        let outside: Vec<_> = self
            .outside
            .iter()
            .map(|(name, path)| format!("`{name}` ({})", file_system::display_path(path)))
            .collect();
        let warning = Diagnostic::warning(format!(
            "the build context of the image is {}, but some dependencies are outside of it: {}",
            self.folder.display(),
            outside.join(", ")
        ));
        let help = "use released versions of them in Cargo.toml, or copy them into that folder";
        warning.help(help).into()
    }
}
