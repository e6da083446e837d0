//! The parts of `Cargo.toml` that matter here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::refused::refused;
use super::{absolute, kube_types, normalize, shown};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::diff::Allowance;
use crate::known::is_known_crate;
use crate::model::Schema;

/// A `Cargo.toml` that was read.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    dir: PathBuf,
    content: Content,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Content {
    package: Option<Package>,
    workspace: Option<Workspace>,
    lib: Option<Lib>,
    #[serde(default)]
    dependencies: Dependencies,
    #[serde(default)]
    target: BTreeMap<String, Target>,
}

/// What stands under `dependencies`, of which the names matter.
type Dependencies = BTreeMap<String, IgnoredAny>;

#[derive(Clone, Debug, Default, Deserialize)]
struct Target {
    #[serde(default)]
    dependencies: Dependencies,
}

#[derive(Clone, Debug, Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Metadata {
    genclient: Option<Settings>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Workspace {
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Lib {
    name: Option<String>,
    path: Option<String>,
}

/// `[package.metadata.genclient]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct Settings {
    apis: Option<String>,
    pub(super) client: Option<String>,
    pub(super) config: Option<String>,
    pub(super) types: Option<String>,
    pub(super) boilerplate: Option<String>,
    pub(super) crd_annotations: BTreeMap<String, String>,
    pub(super) group_aliases: BTreeMap<String, String>,
    pub(super) max_desc_len: Option<usize>,
    pub(super) server_side_apply: bool,
    pub(super) diff_allow: Vec<Allowance>,
    pub(super) schemas: BTreeMap<String, Schema>,
}

impl Manifest {
    /// Reads the manifest at `path`, a file or the folder that holds it.
    pub(super) fn read(path: &Path) -> Result<Self, Diagnostics> {
        let file = if path.is_dir() {
            path.join("Cargo.toml")
        } else {
            path.to_owned()
        };
        let text = fs::read_to_string(&file)
            .map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", shown(&file))))?;
        let content = toml::from_str(&text).map_err(|error| refused(&file, &text, &error))?;
        let dir = absolute(file.parent().unwrap_or(Path::new("")));
        Ok(Self { dir, content })
    }

    /// The manifest of the first folder from `start` upwards that has one.
    pub(super) fn nearest(start: &Path) -> Result<Self, Diagnostics> {
        let start = absolute(start);
        for dir in start.ancestors() {
            let manifest = dir.join("Cargo.toml");
            if manifest.is_file() {
                return Self::read(&manifest);
            }
        }
        Err(
            Diagnostic::error(format!("no Cargo.toml in {} or above", start.display()))
                .help("run this inside a package, or name one: --manifest-path path/to/Cargo.toml")
                .into(),
        )
    }

    /// True if `dir` or a folder above it has a manifest.
    pub(super) fn is_above(dir: &Path) -> bool {
        dir.ancestors().any(|dir| dir.join("Cargo.toml").is_file())
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

    /// The crates that it asks for, without those whose types are known.
    pub(super) fn dependencies(&self) -> BTreeSet<String> {
        let targets = self.content.target.values();
        let all = targets.map(|target| &target.dependencies);
        all.chain([&self.content.dependencies])
            .flat_map(BTreeMap::keys)
            .map(|name| name.replace('-', "_"))
            .filter(|name| !is_known_crate(name))
            .collect()
    }

    pub(super) fn settings(&self) -> &Settings {
        static DEFAULT: Settings = Settings {
            apis: None,
            client: None,
            config: None,
            types: None,
            boilerplate: None,
            crd_annotations: BTreeMap::new(),
            group_aliases: BTreeMap::new(),
            max_desc_len: None,
            server_side_apply: false,
            diff_allow: Vec::new(),
            schemas: BTreeMap::new(),
        };
        let package = self.content.package.as_ref();
        package
            .and_then(|p| p.metadata.genclient.as_ref())
            .unwrap_or(&DEFAULT)
    }

    /// The crate's root file: the library's, or the program's where there is no library.
    pub(super) fn crate_root(&self) -> PathBuf {
        if let Some(path) = self.content.lib.as_ref().and_then(|lib| lib.path.as_ref()) {
            return normalize(&self.dir.join(path));
        }
        let lib = self.dir.join("src/lib.rs");
        let main = self.dir.join("src/main.rs");
        if main.is_file() && !lib.is_file() {
            main
        } else {
            lib
        }
    }

    /// The folder of the API types: as set, else `pkg/apis`, else `src/apis`, else the whole crate if kube makes kinds of its types, else
    /// a module in the crate's root file.
    pub(super) fn apis(&self) -> PathBuf {
        if let Some(apis) = &self.settings().apis {
            return normalize(&self.dir.join(apis));
        }
        let pkg = self.dir.join("pkg/apis");
        let src = self.dir.join("src/apis");
        let root = self.crate_root();
        match (exists(&pkg), exists(&src)) {
            (false, true) => src,
            (false, false) if self.has_kube_types() => self.source_dir(),
            (false, false) if root.is_file() => root.with_file_name("apis"),
            _ => pkg,
        }
    }

    /// The folder of the crate's root file.
    pub(super) fn source_dir(&self) -> PathBuf {
        let root = self.crate_root();
        root.parent().unwrap_or(&self.dir).to_owned()
    }

    /// Whether the crate uses kube, and has a `#[kube(…)]` anywhere in its sources.
    fn has_kube_types(&self) -> bool {
        let mut names = self.content.dependencies.keys();
        names.any(|name| name.starts_with("kube")) && kube_types::are_below(&self.source_dir())
    }

    /// True if it says where its API types are, or has them where they usually are.
    pub(super) fn has_apis(&self) -> bool {
        let Some(package) = &self.content.package else {
            return false;
        };
        package.metadata.genclient.is_some() || exists(&self.apis())
    }

    /// The manifest of the workspace that this one belongs to; itself if there is none.
    pub(super) fn workspace(self) -> Result<Self, Diagnostics> {
        if self.content.workspace.is_some() {
            return Ok(self);
        }
        for dir in self.dir.ancestors().skip(1) {
            let manifest = dir.join("Cargo.toml");
            if !manifest.is_file() {
                continue;
            }
            let above = Self::read(&manifest)?;
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
            dirs.extend(expand(&self.dir, member)?);
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
            members.push(Self::read(&dir.join("Cargo.toml"))?);
        }
        if self.content.package.is_some() {
            members.insert(0, self);
        }
        Ok(members)
    }
}

/// The folders that a `members` entry names.
fn expand(root: &Path, member: &str) -> Result<Vec<PathBuf>, Diagnostics> {
    if !member.contains(['*', '?', '[']) {
        return Ok(vec![normalize(&root.join(member))]);
    }
    let root = glob::Pattern::escape(&root.to_string_lossy());
    let pattern = Path::new(&root).join(member);
    let bad = |error: &dyn std::fmt::Display| {
        Diagnostics::from(Diagnostic::error(format!(
            "cannot expand the workspace member `{member}`: {error}"
        )))
    };
    let mut dirs = Vec::new();
    for dir in glob::glob(&pattern.to_string_lossy()).map_err(|error| bad(&error))? {
        let dir = dir.map_err(|error| bad(&error))?;
        if dir.join("Cargo.toml").is_file() {
            dirs.push(normalize(&dir));
        }
    }
    Ok(dirs)
}

fn exists(apis: &Path) -> bool {
    apis.is_dir() || apis.with_extension("rs").is_file()
}
