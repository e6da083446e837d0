//! The parts of `Cargo.toml` that matter here.

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
use super::kube_text::derives_kind;
use super::refused::refused;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceText};
use crate::diff::Allowance;
use crate::model::Schema;
use crate::paths::normalize;

/// The attribute of kinds.
const RESOURCE: &str = "#[genclient";

/// A `Cargo.toml` that was read.
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

/// The edition of a package, which may be that of its workspace: `{ workspace = true }`.
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
    apis: Option<String>,
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
    pub(super) diff_allow: Vec<Allowance>,
    pub(super) schemas: BTreeMap<String, Schema>,
    pub(super) nullable: Option<Nullable>,
    pub(super) skip: BTreeSet<String>,
    pub(super) kinds: Vec<KindTable>,
    pub(super) storage: BTreeMap<String, String>,
    pub(super) deploy: Option<DeployTable>,
}

/// A tool that decides where a schema has `nullable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nullable {
    /// kube's derive: every `Option`, also where serde leaves out what is `None`.
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

    /// The manifest of the first folder from `start` upwards that has one.
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

    /// The tree of files that it is in.
    pub(super) fn files(&self) -> &Rc<dyn Files> {
        &self.files
    }

    /// Its text.
    pub(super) fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.content.package.as_ref().map(|p| p.name.as_str())
    }

    /// The name under which other crates know the library.
    pub(super) fn crate_name(&self) -> String {
        let lib = self
            .content
            .lib
            .as_ref()
            .and_then(|lib| lib.name.as_deref());
        lib.or(self.name()).unwrap_or_default().replace('-', "_")
    }

    /// The crates that it asks for, also for a platform alone, by its names for them. What the
    /// workspace states of them is filled in, and paths are absolute.
    pub(super) fn dependencies(&self) -> Vec<(String, Dependency)> {
        let targets = self.content.target.values();
        let tables = targets.map(|target| &target.dependencies);
        self.stated(tables.chain([&self.content.dependencies]))
    }

    /// The same of crates for tests.
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

    /// The manifest of its workspace; itself if there is none that can be read.
    pub(super) fn above(&self) -> Self {
        let workspace = self.clone().workspace();
        workspace.unwrap_or_else(|_| self.clone())
    }

    /// The names of all crates that it asks for, also for tests alone.
    pub(super) fn all_dependencies(&self) -> BTreeSet<String> {
        let (all, tests) = (&self.content.dependencies, &self.content.dev_dependencies);
        all.names().chain(tests.names()).cloned().collect()
    }

    /// The crates that cargo reads from folders. It reads those of tests for every build.
    pub(super) fn path_dependencies(&self) -> Vec<(String, PathBuf)> {
        let CargoToml {
            dependencies,
            dev_dependencies,
            ..
        } = &self.content;
        let all = dependencies.0.iter().chain(&dev_dependencies.0);
        let found = all.filter_map(|(name, dependency)| {
            let path = dependency.path.as_ref()?;
            Some((name.clone(), normalize(&self.dir.join(path))))
        });
        found.collect()
    }

    /// The features that are on by default, with those that they turn on.
    pub(super) fn default_features(&self) -> BTreeSet<String> {
        self.features(["default".to_owned()])
    }

    /// All features, with what they turn on.
    pub(super) fn all_features(&self) -> BTreeSet<String> {
        self.features(self.content.features.keys().cloned())
    }

    /// Some features, with those that they turn on.
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

    /// The edition of the package.
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

    /// The root file of the crate with the API types: the library's, or a program's where there is
    /// no library. A program in a folder of its own has them if kube makes kinds of its types alone.
    pub(super) fn crate_root(&self) -> PathBuf {
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
            return match programs.is_empty() {
                true => self.dir.join("src/lib.rs"),
                false => main,
            };
        }
        let with_kinds = programs.iter().find(|program| self.has_kube_types(program));
        with_kinds.unwrap_or(&programs[0]).clone()
    }

    /// The root files of the package's other crates.
    pub(super) fn other_crates(&self) -> Vec<PathBuf> {
        let root = self.crate_root();
        let mut all: Vec<_> = self.library().into_iter().chain(self.programs()).collect();
        all.retain(|file| *file != root);
        all
    }

    /// The root file of the library.
    fn library(&self) -> Option<PathBuf> {
        let stated = self.content.lib.as_ref().and_then(|lib| lib.path.as_ref());
        match stated {
            Some(path) => Some(normalize(&self.dir.join(path))),
            None => Some(self.dir.join("src/lib.rs")).filter(|lib| self.files.is_file(lib)),
        }
    }

    /// The root files of the programs.
    fn programs(&self) -> Vec<PathBuf> {
        let stated = self.content.bin.iter().filter_map(|bin| bin.path.as_ref());
        let stated = stated.map(|path| normalize(&self.dir.join(path)));
        let main = self.dir.join("src/main.rs");
        let mut programs: Vec<_> = stated.chain([main]).collect();
        programs.retain(|program| self.files.is_file(program));
        programs.dedup();
        programs
    }

    /// The folder of the API types: as set, else `pkg/apis`, else `src/apis`, else the whole crate if kube or a macro makes kinds of its
    /// types, else a module in the crate's root file. A `src/apis` without kinds is something else.
    pub(super) fn apis(&self) -> PathBuf {
        if let Some(apis) = &self.settings().apis {
            return normalize(&self.dir.join(apis));
        }
        let pkg = self.dir.join("pkg/apis");
        let src = self.dir.join("src/apis");
        let root = self.crate_root();
        match (self.exists(&pkg), self.exists(&src)) {
            (false, true) if !self.is_something_else(&src) => src,
            (false, _) if self.has_kube_types(&root) || !self.settings().kinds.is_empty() => {
                self.source_dir()
            }
            (false, false) if self.files.is_file(&root) => root.with_file_name("apis"),
            _ => pkg,
        }
    }

    /// The folder of the crate's root file.
    pub(super) fn source_dir(&self) -> PathBuf {
        let root = self.crate_root();
        root.parent().unwrap_or(&self.dir).to_owned()
    }

    /// Whether kube makes kinds of types anywhere below the folder of a crate's root file. Searching
    /// the text is enough to pass over most crates without parsing them.
    fn has_kube_types(&self, root: &Path) -> bool {
        let folder = root.parent().unwrap_or(&self.dir);
        let states = |file: &PathBuf| self.files.read(file).is_ok_and(|text| derives_kind(&text));
        self.files.rust_files(folder).iter().any(states)
    }

    /// Whether a library has kinds outside of the folder of a program.
    fn has_kinds_outside(&self, library: &Path, program: &Path) -> bool {
        let folder = library.parent().unwrap_or(&self.dir);
        let inside = program.parent().unwrap_or(program);
        let mut files = self.files.rust_files(folder);
        files.retain(|file| !file.starts_with(inside));
        files.iter().any(|file| self.states_kind(file))
    }

    /// Whether the folder of API types has none for this program, and the rest of the crate has
    /// kinds of kube.
    fn is_something_else(&self, apis: &Path) -> bool {
        let root = self.crate_root();
        let folder = root.parent().unwrap_or(&self.dir);
        let (inside, outside): (Vec<_>, Vec<_>) = self
            .files
            .rust_files(folder)
            .into_iter()
            .partition(|file| file.starts_with(apis) || *file == apis.with_extension("rs"));
        let read = |file: &PathBuf| self.files.read(file).unwrap_or_default();
        !inside.iter().any(|file| read(file).contains(RESOURCE))
            && outside.iter().any(|file| derives_kind(&read(file)))
    }

    /// Whether a file has a kind, of genclient or of kube.
    fn states_kind(&self, file: &Path) -> bool {
        let states = |text: String| text.contains(RESOURCE) || derives_kind(&text);
        self.files.read(file).is_ok_and(states)
    }

    /// The folder of the admission webhooks: as set, else `webhook` beside the API types, if that
    /// is there.
    pub(super) fn webhooks(&self) -> Option<PathBuf> {
        if let Some(webhooks) = &self.settings().webhooks {
            return Some(normalize(&self.dir.join(webhooks)));
        }
        let beside = self.beside("webhook");
        self.exists(&beside).then_some(beside)
    }

    /// The folder of the controllers: as set, else `controller` beside the API types, if the program
    /// is deployed or a file there has rules of roles. Nobody else's code is read.
    pub(super) fn controllers(&self) -> Option<PathBuf> {
        if let Some(controllers) = &self.settings().controllers {
            return Some(normalize(&self.dir.join(controllers)));
        }
        let beside = self.beside("controller");
        let mut files = self.files.rust_files(&beside);
        files.push(beside.with_extension("rs"));
        let is_deployed = self.settings().deploy.is_some();
        let has_rules = |file: &PathBuf| {
            let text = self.files.read(file);
            text.is_ok_and(|text| is_deployed || text.contains("rbac("))
        };
        files.iter().any(has_rules).then_some(beside)
    }

    /// A module beside the API types.
    fn beside(&self, name: &str) -> PathBuf {
        match self.apis() {
            apis if apis == self.source_dir() => apis.join(name),
            apis => apis.with_file_name(name),
        }
    }

    /// The folder above `crd/`, `rbac/` and `webhook/`.
    pub(super) fn config(&self) -> PathBuf {
        let config = self.settings().config.as_deref().unwrap_or("config");
        normalize(&self.dir.join(config))
    }

    /// True if it says where its API types are, or has kinds where they usually are.
    pub(super) fn has_apis(&self) -> bool {
        self.is_set_up() || self.has_folder() && self.has_kinds()
    }

    /// True if it has settings.
    pub(super) fn is_set_up(&self) -> bool {
        let package = self.content.package.as_ref();
        package.is_some_and(|package| package.metadata.genclient.is_some())
    }

    /// True if there is a folder or file where API types usually are.
    pub(super) fn has_folder(&self) -> bool {
        self.content.package.is_some() && self.exists(&self.apis())
    }

    fn has_kinds(&self) -> bool {
        let apis = self.apis();
        let mut files = self.files.rust_files(&apis);
        files.push(apis.with_extension("rs"));
        files.iter().any(|file| self.states_kind(file))
    }

    fn exists(&self, apis: &Path) -> bool {
        self.files.is_dir(apis) || self.files.is_file(&apis.with_extension("rs"))
    }

    /// The manifest of the workspace that this one belongs to; itself if there is none.
    pub(super) fn workspace(self) -> Result<Self, Diagnostics> {
        if self.content.workspace.is_some() {
            return Ok(self);
        }
        for dir in self.dir.ancestors().skip(1) {
            let manifest = dir.join("Cargo.toml");
            if !self.files.is_file(&manifest) {
                continue;
            }
            let above = Self::read(&self.files, &manifest)?;
            if above.content.workspace.is_some() {
                return Ok(above);
            }
        }
        Ok(self)
    }

    /// Every package of the workspace, sorted by folder, itself included.
    pub(super) fn members(self) -> Result<Vec<Self>, Diagnostics> {
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
            members.push(Self::read(&self.files, &dir.join("Cargo.toml"))?);
        }
        if self.content.package.is_some() {
            members.insert(0, self);
        }
        Ok(members)
    }

    /// The folders that a `members` entry names.
    fn expand(&self, member: &str) -> Result<Vec<PathBuf>, Diagnostics> {
        if !member.contains(['*', '?', '[']) {
            return Ok(vec![normalize(&self.dir.join(member))]);
        }
        let root = glob::Pattern::escape(&self.dir.to_string_lossy());
        let pattern = Path::new(&root).join(member).join("Cargo.toml");
        let manifests = self.files.matching(&pattern.to_string_lossy());
        let mut manifests = manifests.map_err(|error| {
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
