//! Cargo.toml: the tables that the generator reads.

mod places;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dependencies::{Dependencies, Dependency};
use super::deploy::DeployTable;
use super::files::Files;
use super::kind_table::KindTable;
use super::refused::refused;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceText};
use crate::model::Schema;
use crate::paths::normalize;
pub use places::may_have_kind;
pub(crate) use places::{CUSTOM_RESOURCE, RESOURCE, derives_kind};

/// A parsed `Cargo.toml`.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    files: Rc<dyn Files>,
    dir: PathBuf,
    source: Arc<SourceText>,
    content: CargoToml,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CargoToml {
    package: Option<PackageTable>,
    workspace: Option<Workspace>,
    lib: Option<CrateTable>,
    #[serde(default)]
    bin: Vec<CrateTable>,
    #[serde(default)]
    features: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    dependencies: Dependencies,
    #[serde(default)]
    dev_dependencies: Dependencies,
    #[serde(default)]
    target: BTreeMap<String, TargetTable>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct TargetTable {
    #[serde(default)]
    dependencies: Dependencies,
}

#[derive(Clone, Debug, Deserialize)]
struct PackageTable {
    name: String,
    #[serde(default)]
    edition: Edition,
    #[serde(default)]
    metadata: PackageMetadata,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct PackageMetadata {
    genclient: Option<Settings>,
}

/// Edition of a package, which may be inherited: `{ workspace = true }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Edition {
    Stated(String),
    Inherited(IgnoredAny),
}

impl Default for Edition {
    fn default() -> Self {
        Self::Stated("2015".to_owned())
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
struct WorkspacePackage {
    edition: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Workspace {
    #[serde(default)]
    package: WorkspacePackage,

    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    dependencies: Dependencies,
}

/// `[lib]` or a `[[bin]]`.
#[derive(Clone, Debug, Default, Deserialize)]
struct CrateTable {
    name: Option<String>,
    path: Option<String>,
}

/// `[package.metadata.genclient]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct Settings {
    pub(super) apis: Option<String>,
    pub(super) client: Option<String>,
    config: Option<String>,
    pub(super) domain: Option<String>,
    webhooks: Option<String>,
    controllers: Option<String>,
    pub(super) types: Option<String>,
    pub(super) boilerplate: Option<String>,
    pub(super) crd_annotations: BTreeMap<String, String>,
    pub(super) group_aliases: BTreeMap<String, String>,
    pub(super) max_desc_len: Option<usize>,
    pub(super) server_side_apply: bool,
    pub(super) diff_allow: Vec<AllowanceTable>,
    pub(super) schemas: BTreeMap<String, Schema>,
    pub(super) nullable: Option<Nullable>,
    pub(super) skip: BTreeSet<String>,
    pub(super) kinds: Vec<KindTable>,
    pub(super) storage: BTreeMap<String, String>,
    pub(super) deploy: Option<DeployTable>,
}

/// An entry of `diff-allow`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowanceTable {
    pub(super) crd: String,
    pub(super) version: Option<String>,
    pub(super) path: Option<String>,
    pub(super) change: toml::Spanned<String>,
    pub(super) reason: String,
}

/// Tool whose rules decide where a schema has `nullable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nullable {
    /// kube's derive: every `Option` is nullable, even if serde skips `None`.
    Kube,
}

impl Manifest {
    /// Reads the manifest at `path`, a file or the folder that holds it.
    pub(super) fn read(files: &Rc<dyn Files>, path: &Path) -> Result<Self, Diagnostics> {
        let file = if files.is_dir(path) {
            path.join("Cargo.toml")
        } else {
            path.to_owned()
        };
        let place = files.shown(&file);
        let text = files
            .read(&file)
            .map_err(|error| Diagnostic::error(format!("cannot read {place}: {error}")))?;
        let source = Arc::new(SourceText { path: place, text });
        let content = toml::from_str(&source.text).map_err(|error| refused(&source, &error))?;
        Ok(Self {
            files: Rc::clone(files),
            dir: normalize(file.parent().unwrap_or(Path::new(""))),
            source,
            content,
        })
    }

    /// Reads the nearest manifest, from `start` upwards.
    pub(super) fn nearest(
        files: &Rc<dyn Files>,
        start: &Path,
    ) -> Result<Option<Self>, Diagnostics> {
        let mut manifests = start.ancestors().map(|dir| dir.join("Cargo.toml"));
        let nearest = manifests.find(|manifest| files.is_file(manifest));
        nearest
            .map(|manifest| Self::read(files, &manifest))
            .transpose()
    }

    /// Returns the tree of files that contains the manifest.
    pub(super) fn files(&self) -> &Rc<dyn Files> {
        &self.files
    }

    pub(super) fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.content.package.as_ref().map(|p| p.name.as_str())
    }

    /// Returns the crate name of the library.
    pub(super) fn crate_name(&self) -> String {
        let lib = self
            .content
            .lib
            .as_ref()
            .and_then(|lib| lib.name.as_deref());
        lib.or(self.name()).unwrap_or_default().replace('-', "_")
    }

    /// Returns the dependencies by their keys, including platform-specific ones. Entries with
    /// `workspace = true` are completed from the workspace, and paths are absolute.
    pub(super) fn dependencies(&self) -> Vec<(String, Dependency)> {
        let targets = self.content.target.values();
        let tables = targets.map(|target| &target.dependencies);
        self.stated(tables.chain([&self.content.dependencies]))
    }

    /// Returns the dependencies of tests, as [`Self::dependencies`] does, but without
    /// platform-specific dependencies.
    pub(super) fn dev_dependencies(&self) -> Vec<(String, Dependency)> {
        self.stated([&self.content.dev_dependencies])
    }

    fn stated<'a>(
        &'a self,
        tables: impl IntoIterator<Item = &'a Dependencies>,
    ) -> Vec<(String, Dependency)> {
        let mut workspace = None;
        let all = tables.into_iter().flat_map(|table| &table.0);
        all.map(|(name, dependency)| {
            let mut dependency = dependency.clone();
            let mut dir = &self.dir;
            if dependency.workspace {
                let above: &Self = workspace.get_or_insert_with(|| self.above());
                let stated = above.content.workspace.as_ref();
                if let Some(stated) = stated.and_then(|all| all.dependencies.0.get(name)) {
                    dependency = dependency.inherit(stated);
                    dir = &above.dir;
                }
            }
            let path = dependency.path.as_ref();
            let path = path.map(|path| dir.join(path).to_string_lossy().into_owned());
            dependency.path = path;
            (name.clone(), dependency)
        })
        .collect()
    }

    /// Returns the manifest of the workspace, or this manifest if no workspace can be read.
    pub(super) fn above(&self) -> Self {
        let workspace = self.clone().workspace();
        workspace.unwrap_or_else(|_| self.clone())
    }

    /// Returns the names of the dependencies, including dev-dependencies, but without
    /// platform-specific dependencies.
    pub(super) fn all_dependencies(&self) -> BTreeSet<String> {
        let (all, tests) = (&self.content.dependencies, &self.content.dev_dependencies);
        all.names().chain(tests.names()).cloned().collect()
    }

    /// Returns the path dependencies and path dev-dependencies. Cargo reads the manifests of both
    /// in every build.
    pub(super) fn path_dependencies(&self) -> Vec<(String, PathBuf)> {
        let all = self
            .dependencies()
            .into_iter()
            .chain(self.dev_dependencies());
        let found = all.filter_map(|(name, dependency)| {
            let path = dependency.path?;
            Some((name, normalize(Path::new(&path))))
        });
        found.collect()
    }

    /// Returns the folder of the crate `genclient`, if it is a path dependency, or else the folder
    /// above another crate of the runtime.
    pub(super) fn genclient_dir(&self) -> Option<PathBuf> {
        let all = self.path_dependencies();
        let folder = |wanted: &str| {
            all.iter()
                .find_map(|(name, folder)| (name == wanted).then_some(folder.as_path()))
        };
        folder("genclient")
            .or_else(|| folder("genclient-controller")?.parent())
            .or_else(|| folder("genclient-apiserver")?.parent())
            .map(Path::to_owned)
    }

    /// Returns the default features, with the features that they enable.
    pub(super) fn default_features(&self) -> BTreeSet<String> {
        self.features(["default".to_owned()])
    }

    /// Returns all features, with everything that they enable.
    pub(super) fn all_features(&self) -> BTreeSet<String> {
        self.features(self.content.features.keys().cloned())
    }

    /// Returns the features `some`, with the features that they enable.
    pub(super) fn features(&self, some: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        let mut on = BTreeSet::new();
        let mut next: Vec<_> = some.into_iter().collect();
        while let Some(feature) = next.pop() {
            if on.insert(feature.clone()) {
                let enabled = self.content.features.get(&feature);
                next.extend(enabled.into_iter().flatten().cloned());
            }
        }
        on
    }

    pub(super) fn edition(&self) -> Result<String, Diagnostics> {
        let package = self.content.package.as_ref();
        match package
            .map(|package| package.edition.clone())
            .unwrap_or_default()
        {
            Edition::Stated(edition) => Ok(edition),
            Edition::Inherited(_) => {
                let workspace = self.clone().workspace()?.content.workspace;
                let edition = workspace.and_then(|workspace| workspace.package.edition);
                Ok(edition.unwrap_or_else(|| "2015".to_owned()))
            }
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        static DEFAULT: LazyLock<Settings> = LazyLock::new(Settings::default);
        let package = self.content.package.as_ref();
        package
            .and_then(|p| p.metadata.genclient.as_ref())
            .unwrap_or(&DEFAULT)
    }
}
