//! Cargo.toml: the tables that the generator reads, the files of the package that they locate, and
//! the members of a workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::deploy::DeployTable;
use super::files::Files;
use super::kind_table::KindTable;
use super::toml_errors::toml_error;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceText};
use crate::model::Schema;
use crate::paths::normalize;

/// A parsed `Cargo.toml`.
#[derive(Clone, Debug)]
pub(super) struct CargoManifest {
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
    pub(super) apply_configurations: bool,
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

impl CargoManifest {
    /// Reads the manifest at `path`, a file or the folder that holds it.
    pub(super) fn load(files: &Rc<dyn Files>, path: &Path) -> Result<Self, Diagnostics> {
        let file = if files.is_dir(path) {
            path.join("Cargo.toml")
        } else {
            path.to_owned()
        };
        let place = files.shown(&file);
        let text = files
            .read_to_string(&file)
            .map_err(|error| Diagnostic::error(format!("cannot read {place}: {error}")))?;
        let source = Arc::new(SourceText {
            path: place,
            text,
            offset: 0,
        });
        let content = toml::from_str(&source.text).map_err(|error| toml_error(&source, &error))?;
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
            .map(|manifest| Self::load(files, &manifest))
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
                let above: &Self = workspace.get_or_insert_with(|| self.workspace_manifest());
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
    pub(super) fn workspace_manifest(&self) -> Self {
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

impl CargoManifest {
    /// Returns the root file of the crate with the API types: the library's, or a program's if
    /// there is no library.
    ///
    /// A program takes precedence over the library if it is the only one with kube's derive in a
    /// folder that does not contain the library, such as `src/bin/operator/main.rs`, and if the
    /// library's folder has no kinds elsewhere.
    pub(in crate::project) fn crate_root(&self) -> PathBuf {
        let library = self.library();
        let mut programs = self.programs();
        if let Some(library) = library {
            let is_apart = |program: &PathBuf| {
                let folder = program.parent().unwrap_or(&self.dir);
                !library.starts_with(folder) && self.has_kube_types(program)
            };
            programs.retain(is_apart);
            return match &programs[..] {
                [program] if !self.has_kinds_outside(&library, program) => program.clone(),
                _ => library,
            };
        }
        let main = self.dir.join("src/main.rs");
        if programs.is_empty() || programs.contains(&main) {
            return if programs.is_empty() {
                self.dir.join("src/lib.rs")
            } else {
                main
            };
        }
        // `has_kube_types` reads a whole folder, which several programs may share. A program with
        // kinds in its root file is therefore preferred.
        let mut all = programs.iter();
        let with_kinds = all
            .find(|program| self.file_derives_kind(program))
            .or_else(|| programs.iter().find(|it| self.has_kube_types(it)));
        with_kinds.unwrap_or(&programs[0]).clone()
    }

    /// Returns the root files of the package's other crates.
    pub(in crate::project) fn other_crates(&self) -> Vec<PathBuf> {
        let root = self.crate_root();
        let mut all: Vec<_> = self.library().into_iter().chain(self.programs()).collect();
        all.retain(|file| *file != root);
        all
    }

    /// Returns whether the manifest states a crate, or cargo finds one.
    pub(in crate::project) fn has_crate(&self) -> bool {
        self.library().is_some() || !self.programs().is_empty()
    }

    fn library(&self) -> Option<PathBuf> {
        let stated = self.content.lib.as_ref().and_then(|lib| lib.path.as_ref());
        match stated {
            Some(path) => Some(normalize(&self.dir.join(path))),
            None => Some(self.dir.join("src/lib.rs")).filter(|lib| self.files.is_file(lib)),
        }
    }

    /// Returns the root files of the programs: those in the manifest, and those that cargo finds.
    pub(in crate::project) fn programs(&self) -> Vec<PathBuf> {
        let stated = self.content.bin.iter().filter_map(|bin| bin.path.as_ref());
        let mut programs: Vec<_> = stated.map(|path| normalize(&self.dir.join(path))).collect();
        let folder = self.dir.join("src/bin");
        let mut found = self.files.rust_files(&folder);
        found.retain(|file| {
            let inside = file.parent();
            let is_main = file.ends_with("main.rs");
            inside == Some(&folder) || is_main && inside.and_then(Path::parent) == Some(&folder)
        });
        found.sort();
        for program in iter::once(self.dir.join("src/main.rs")).chain(found) {
            if !programs.contains(&program) {
                programs.push(program);
            }
        }
        programs.retain(|program| self.files.is_file(program));
        programs
    }

    /// Returns the folder of the API types.
    ///
    /// The setting `apis` decides. Without it, the folder is `pkg/apis` or else `src/apis`, if it
    /// exists. Without these folders, it is the folder of the crate's root file if the crate has
    /// kinds of kube's derive or stated kinds. Otherwise, it is `apis` beside that file, whether it
    /// exists or not: the file may have an inline `mod apis`.
    ///
    /// `src/apis` does not count if it lacks `#[genclient]`, while the rest of the crate has kinds
    /// of kube's derive.
    pub(in crate::project) fn apis(&self) -> PathBuf {
        if let Some(apis) = &self.settings().apis {
            return normalize(&self.dir.join(apis));
        }
        let pkg = self.dir.join("pkg/apis");
        let src = self.dir.join("src/apis");
        let root = self.crate_root();
        match (self.exists(&pkg), self.exists(&src)) {
            (false, true) if !self.kinds_are_elsewhere(&src) => src,
            (false, _) if self.has_kube_types(&root) || !self.settings().kinds.is_empty() => {
                self.source_dir()
            }
            (false, false) if self.library().is_some() || self.files.is_file(&root) => {
                root.with_file_name("apis")
            }
            _ => pkg,
        }
    }

    /// Returns the folder of the crate's root file.
    pub(in crate::project) fn source_dir(&self) -> PathBuf {
        let root = self.crate_root();
        root.parent().unwrap_or(&self.dir).to_owned()
    }

    /// Returns whether kube's derive may be used below the folder of a crate's root file. The check
    /// searches the text, so that most crates need no parsing.
    fn has_kube_types(&self, root: &Path) -> bool {
        let folder = root.parent().unwrap_or(&self.dir);
        let files = self.files.rust_files(folder);
        files.iter().any(|file| self.file_derives_kind(file))
    }

    fn file_derives_kind(&self, file: &Path) -> bool {
        self.files
            .read_to_string(file)
            .is_ok_and(|text| derives_kind(&text))
    }

    /// Returns whether a library has kinds outside of a program's folder.
    fn has_kinds_outside(&self, library: &Path, program: &Path) -> bool {
        let folder = library.parent().unwrap_or(&self.dir);
        let inside = program.parent().unwrap_or(program);
        let mut files = self.files.rust_files(folder);
        files.retain(|file| !file.starts_with(inside));
        files.iter().any(|file| self.file_may_have_kind(file))
    }

    /// Returns whether the module `apis` has no `#[genclient]`, while the rest of the crate has
    /// kinds of kube's derive.
    fn kinds_are_elsewhere(&self, apis: &Path) -> bool {
        let root = self.crate_root();
        let folder = root.parent().unwrap_or(&self.dir);
        let (inside, outside): (Vec<_>, Vec<_>) = self
            .files
            .rust_files(folder)
            .into_iter()
            .partition(|file| file.starts_with(apis) || *file == apis.with_extension("rs"));
        let read = |file: &PathBuf| self.files.read_to_string(file).unwrap_or_default();
        !inside.iter().any(|file| read(file).contains(RESOURCE))
            && outside.iter().any(|file| derives_kind(&read(file)))
    }

    fn file_may_have_kind(&self, file: &Path) -> bool {
        self.files
            .read_to_string(file)
            .is_ok_and(|text| may_have_kind(&text))
    }

    /// Returns the folder of the admission webhooks: the setting, or else `webhook` beside the API
    /// types if it exists.
    pub(in crate::project) fn webhooks(&self) -> Option<PathBuf> {
        if let Some(webhooks) = &self.settings().webhooks {
            return Some(normalize(&self.dir.join(webhooks)));
        }
        let beside = self.beside("webhook");
        self.exists(&beside).then_some(beside)
    }

    /// Returns the folder of the controllers: the setting, or else `controller` beside the API
    /// types. `controller` may be unrelated code, so it is read only if a file there has RBAC rules
    /// or the package has deployment settings.
    pub(in crate::project) fn controllers(&self) -> Option<PathBuf> {
        if let Some(controllers) = &self.settings().controllers {
            return Some(normalize(&self.dir.join(controllers)));
        }
        let beside = self.beside("controller");
        let mut files = self.files.rust_files(&beside);
        files.push(beside.with_extension("rs"));
        let is_deployed = self.settings().deploy.is_some();
        let has_rules = |file: &PathBuf| {
            let text = self.files.read_to_string(file);
            text.is_ok_and(|text| is_deployed || text.contains("rbac("))
        };
        files.iter().any(has_rules).then_some(beside)
    }

    /// Returns the path of a module beside the API types.
    fn beside(&self, name: &str) -> PathBuf {
        match self.apis() {
            apis if apis == self.source_dir() => apis.join(name),
            apis => apis.with_file_name(name),
        }
    }

    /// Returns the folder of the manifests, with `crd/`, `rbac/` and `webhook/`.
    pub(in crate::project) fn config(&self) -> PathBuf {
        let config = self.settings().config.as_deref().unwrap_or("config");
        normalize(&self.dir.join(config))
    }

    /// Returns whether the package has settings, or has kinds in the folder of the API types.
    pub(in crate::project) fn has_apis(&self) -> bool {
        self.is_set_up() || self.has_folder() && self.has_kinds()
    }

    pub(in crate::project) fn is_set_up(&self) -> bool {
        let package = self.content.package.as_ref();
        package.is_some_and(|package| package.metadata.genclient.is_some())
    }

    /// Returns whether the folder or file of the API types exists.
    pub(in crate::project) fn has_folder(&self) -> bool {
        self.content.package.is_some() && self.exists(&self.apis())
    }

    fn has_kinds(&self) -> bool {
        let apis = self.apis();
        let mut files = self.files.rust_files(&apis);
        files.push(apis.with_extension("rs"));
        files.iter().any(|file| self.file_may_have_kind(file))
    }

    fn exists(&self, apis: &Path) -> bool {
        self.files.is_dir(apis) || self.files.is_file(&apis.with_extension("rs"))
    }
}

/// Start of the attribute `#[genclient]`, which marks a kind.
pub(crate) const RESOURCE: &str = "#[genclient";

/// Name of kube's derive, which makes a type a kind.
pub(crate) const CUSTOM_RESOURCE: &str = "CustomResource";

/// Returns whether a file may have a kind, by genclient's attribute or kube's derive.
pub fn may_have_kind(text: &str) -> bool {
    text.contains(RESOURCE) || derives_kind(text)
}

/// Returns whether a type in a file may derive `CustomResource`. A file that only mentions the name
/// may match, too.
pub(crate) fn derives_kind(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.contains("derive(")
        && text.match_indices(CUSTOM_RESOURCE).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + CUSTOM_RESOURCE.len()..].chars().next();
            // `CustomResourceExt`, and the name in quotes, do not match.
            !after.is_some_and(is_name) && !before.is_some_and(|c| is_name(c) || "\"`".contains(c))
        })
}

impl CargoManifest {
    /// Returns the nearest manifest with a workspace, from this one upwards, or this manifest if
    /// there is none. This package need not be a member of that workspace.
    pub(in crate::project) fn workspace(self) -> Result<Self, Diagnostics> {
        if self.content.workspace.is_some() {
            return Ok(self);
        }
        for dir in self.dir.ancestors().skip(1) {
            let manifest = dir.join("Cargo.toml");
            if !self.files.is_file(&manifest) {
                continue;
            }
            let above = Self::load(&self.files, &manifest)?;
            if above.content.workspace.is_some() {
                return Ok(above);
            }
        }
        Ok(self)
    }

    /// Returns every package of the workspace: first this manifest's own package, then the members,
    /// ordered by folder.
    pub(in crate::project) fn members(self) -> Result<Vec<Self>, Diagnostics> {
        let workspace = self.content.workspace.clone().unwrap_or_default();
        let mut dirs = Vec::new();
        for member in &workspace.members {
            dirs.extend(self.expand(member)?);
        }
        let excluded = |dir: &PathBuf| {
            let outside = |pattern: &String| dir.starts_with(normalize(&self.dir.join(pattern)));
            workspace.exclude.iter().any(outside)
        };
        dirs.retain(|dir| !excluded(dir) && *dir != self.dir);
        dirs.sort();
        dirs.dedup();
        let mut members = Vec::new();
        for dir in dirs {
            members.push(Self::load(&self.files, &dir.join("Cargo.toml"))?);
        }
        if self.content.package.is_some() {
            members.insert(0, self);
        }
        Ok(members)
    }

    /// Returns the folders that a `members` entry names.
    fn expand(&self, member: &str) -> Result<Vec<PathBuf>, Diagnostics> {
        if !member.contains(['*', '?', '[']) {
            return Ok(vec![normalize(&self.dir.join(member))]);
        }
        let root = glob::Pattern::escape(&self.dir.to_string_lossy());
        let pattern = Path::new(&root).join(member).join("Cargo.toml");
        let mut manifests = self
            .files
            .matching(&pattern.to_string_lossy())
            .map_err(|error| {
                Diagnostic::error(format!(
                    "cannot expand the workspace member `{member}`: {error}"
                ))
            })?;
        manifests.retain(|manifest| self.files.is_file(manifest));
        Ok(manifests
            .iter()
            .filter_map(|manifest| manifest.parent().map(normalize))
            .collect())
    }
}

/// The dependencies of a manifest, by their keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "BTreeMap<String, DependencyEntry>")]
pub(super) struct Dependencies(pub(super) BTreeMap<String, Dependency>);

/// One dependency. An entry that cargo would refuse is read as an empty one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Dependency {
    pub(super) version: Option<String>,
    pub(super) path: Option<String>,
    /// The name of the package, if the manifest renames it.
    pub(super) package: Option<String>,
    /// True for `workspace = true`: `[workspace.dependencies]` has the rest of the entry.
    pub(super) workspace: bool,
    pub(super) optional: bool,
    pub(super) features: Vec<String>,
    #[serde(alias = "default_features")]
    default_features: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DependencyEntry {
    Version(String),
    Table(Dependency),
    Other(IgnoredAny),
}

impl From<BTreeMap<String, DependencyEntry>> for Dependencies {
    fn from(entries: BTreeMap<String, DependencyEntry>) -> Self {
        let dependency = |entry| match entry {
            DependencyEntry::Version(version) => Dependency {
                version: Some(version),
                ..Dependency::default()
            },
            DependencyEntry::Table(dependency) => dependency,
            DependencyEntry::Other(_) => Dependency::default(),
        };
        let entries = entries.into_iter();
        Self(
            entries
                .map(|(name, entry)| (name, dependency(entry)))
                .collect(),
        )
    }
}

impl Dependencies {
    /// Returns the keys of the dependencies.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

impl Dependency {
    pub(super) fn has_default_features(&self) -> bool {
        self.default_features.unwrap_or(true)
    }

    /// Returns a member's entry with `workspace = true`, completed from the workspace's entry.
    fn inherit(mut self, from: &Self) -> Self {
        self.version.clone_from(&from.version);
        self.path.clone_from(&from.path);
        self.package.clone_from(&from.package);
        self.features.extend_from_slice(&from.features);
        // A member can turn default features on, but not off.
        self.default_features =
            Some(from.has_default_features() || self.default_features == Some(true));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::derives_kind;

    #[test]
    fn custom_resource_derives_are_recognized() {
        for (text, expected) in [
            ("#[derive(CustomResource)]", true),
            (
                "use kube::CustomResource;\n#[derive(Clone, CustomResource)]",
                true,
            ),
            ("#[derive(Clone, kube::CustomResource)]", true),
            (
                "#[cfg_attr(feature = \"crd\", derive(kube::CustomResource))]",
                true,
            ),
            ("use kube::CustomResourceExt;\n#[derive(Clone)]", false),
            ("//! `CustomResource`\n#[derive(Clone)]", false),
            ("use kube::CustomResource;", false),
        ] {
            assert_eq!(derives_kind(text), expected, "{text}");
        }
    }
}
