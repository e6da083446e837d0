//! Selection of the packages of a run, and of the same packages in git revisions.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::Project;
use super::files::{Files, disk_files};
use super::manifest::{AllowanceTable, CargoManifest};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location};
use crate::file_system;
use crate::paths::absolute;

/// Finds the packages to generate for.
///
/// `packages` are names of workspace members. Without names, the result is the package of
/// `manifest_path` if it has API types, or else every package of its workspace that has API types.
/// The default of `manifest_path` is the nearest `Cargo.toml`, from the current directory upwards.
///
/// # Errors
///
/// There is no manifest, a manifest or a setting is invalid, a package does not exist or has no API
/// types, or two packages write to the same folder.
pub fn discover(
    manifest_path: Option<&Path>,
    packages: &[String],
) -> Result<Vec<Project>, Diagnostics> {
    choose_packages(manifest_path, packages)?.projects()
}

/// Selects the packages of [`discover`].
///
/// # Errors
///
/// There is no manifest, a manifest is invalid, or a package does not exist or has no API types.
pub fn choose_packages(
    manifest_path: Option<&Path>,
    packages: &[String],
) -> Result<SelectedPackages, Diagnostics> {
    find_packages(manifest_path, packages).map_err(|errors| errors.with_code(Code::Settings))
}

fn find_packages(
    manifest_path: Option<&Path>,
    packages: &[String],
) -> Result<SelectedPackages, Diagnostics> {
    let working_dir = file_system::working_dir();
    let files = disk_files(working_dir.clone());
    let start = match manifest_path {
        Some(path) => CargoManifest::load(&files, &absolute(path, &working_dir))?,
        None => CargoManifest::nearest(&files, &working_dir)?
            .ok_or_else(|| no_manifest_error(&working_dir))?,
    };
    if packages.is_empty() && start.has_apis() {
        return Ok(SelectedPackages {
            root: start.dir().to_owned(),
            all: false,
            manifests: vec![start],
            working_dir,
        });
    }
    let workspace = start.workspace()?;
    let root = workspace.dir().to_owned();
    let all = packages.is_empty();
    let mut manifests = workspace.members()?;
    if !all {
        manifests = select_members(manifests, packages)?;
    } else if manifests.iter().any(CargoManifest::has_apis) {
        manifests.retain(CargoManifest::has_apis);
    } else {
        manifests.retain(CargoManifest::has_folder);
    }
    if manifests.is_empty() {
        return Err(no_types_error().into());
    }
    Ok(SelectedPackages {
        manifests,
        root,
        all,
        working_dir,
    })
}

/// Returns the package of `manifest_path`, or the one package that `packages` names, if this
/// package has neither settings nor API types yet.
///
/// # Errors
///
/// - A manifest is invalid.
/// - `packages` is empty, and the manifest has no package of its own, but a workspace with members.
///   The error then asks the user to choose a member.
pub fn find_untyped_package(
    manifest_path: Option<&Path>,
    packages: &[String],
) -> Result<Option<Project>, Diagnostics> {
    let working_dir = file_system::working_dir();
    let files = disk_files(working_dir.clone());
    let start = match manifest_path {
        Some(path) => Some(CargoManifest::load(&files, &absolute(path, &working_dir))?),
        None => CargoManifest::nearest(&files, &working_dir)?,
    };
    let found = match (start, packages) {
        (Some(start), []) if start.name().is_none() => return ask_for_member(start),
        (start, []) => start,
        (Some(start), [name]) => {
            let mut members = start.workspace()?.members()?.into_iter();
            members.find(|member| member.name() == Some(name))
        }
        _ => None,
    };
    let found = found.filter(|manifest| !manifest.is_set_up() && !manifest.has_folder());
    found
        .map(|manifest| Project::from_manifest(&manifest, false, &working_dir))
        .transpose()
}

/// Returns the error that the user must choose a package of the workspace, or `None` if the
/// workspace has no packages.
fn ask_for_member(workspace: CargoManifest) -> Result<Option<Project>, Diagnostics> {
    let members = workspace.workspace()?.members()?;
    let names: Vec<_> = members
        .iter()
        .filter_map(CargoManifest::name)
        .map(|name| format!("`-p {name}`"))
        .collect();
    if names.is_empty() {
        return Ok(None);
    }
    let finding = Diagnostic::error("the workspace has no package with API types yet");
    let help = format!("choose the package to write to: {}", names.join(", "));
    Err(finding.help(help).into())
}

/// Packages that were selected for a run, as they are on disk.
#[derive(Debug)]
pub struct SelectedPackages {
    manifests: Vec<CargoManifest>,
    /// The folder of the workspace. If the run is for the package of `manifest_path` alone, the
    /// folder of that package.
    root: PathBuf,
    /// True if these are all packages of the workspace that have API types.
    all: bool,
    working_dir: PathBuf,
}

/// An entry of the setting `diff-allow`, which allows a breaking change.
#[derive(Clone, Debug)]
pub struct StatedAllowance {
    /// The definition: `gputasks.falldio.com`.
    pub crd: String,
    /// The version; `None` for every version.
    pub version: Option<String>,
    /// The field; `None` for a change that concerns no field.
    pub path: Option<String>,
    /// The name of the change as written, which may be unknown.
    pub change: String,
    /// Why the change is allowed.
    pub reason: String,
    /// The location of `change` in Cargo.toml.
    pub place: Location,
}

impl StatedAllowance {
    fn from_table(table: &AllowanceTable, manifest: &CargoManifest) -> Self {
        Self {
            crd: table.crd.clone(),
            version: table.version.clone(),
            path: table.path.clone(),
            change: table.change.get_ref().clone(),
            reason: table.reason.clone(),
            place: Location {
                source: Arc::clone(manifest.source()),
                span: table.change.span(),
            },
        }
    }
}

/// Folder of a package's CRDs.
pub struct CrdFolder {
    /// The package.
    pub package: String,
    /// The folder, which may not exist.
    pub path: PathBuf,
}

impl CrdFolder {
    fn from_manifest(manifest: &CargoManifest) -> Self {
        Self {
            package: manifest.name().unwrap_or_default().to_owned(),
            path: manifest.config().join("crd"),
        }
    }
}

impl SelectedPackages {
    /// Returns the settings of each package.
    ///
    /// # Errors
    ///
    /// A setting is invalid, or two packages write to the same folder.
    pub fn projects(&self) -> Result<Vec<Project>, Diagnostics> {
        let projects: Vec<_> = self
            .manifests
            .iter()
            .map(|manifest| {
                Project::from_manifest(manifest, self.all && manifest.has_apis(), &self.working_dir)
            })
            .collect::<Result<_, _>>()
            .map_err(|errors: Diagnostics| errors.with_code(Code::Settings))?;
        check_output_folders(&projects)?;
        Ok(projects)
    }

    /// Returns the breaking changes that the packages allow.
    pub fn allowances(&self) -> Vec<StatedAllowance> {
        self.manifests
            .iter()
            .flat_map(|manifest| {
                let tables = manifest.settings().diff_allow.iter();
                tables.map(|table| StatedAllowance::from_table(table, manifest))
            })
            .collect()
    }

    /// Returns the folder of the workspace, or of the package that is selected without one.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the CRD folders of the selected packages in another tree of files, such as a git
    /// revision. The packages may have other names and folders in that tree, so its manifests are
    /// read. If all packages of a workspace are selected, returns the folders of all packages with
    /// API types that the workspace has in that tree.
    ///
    /// # Errors
    ///
    /// A manifest of that tree cannot be read.
    pub fn crd_folders(&self, files: &Rc<dyn Files>) -> Result<Vec<CrdFolder>, Diagnostics> {
        let root = canonicalize(&self.root);
        let Some(start) = CargoManifest::nearest(files, &root)? else {
            return Ok(Vec::new());
        };
        let same_root = start.dir() == root;
        let mut found = start.clone().workspace()?.members()?;
        // A package may be below a workspace without being a member.
        if found.iter().all(|member| member.dir() != start.dir()) {
            found.push(start);
        }
        found.retain(CargoManifest::has_apis);
        if !(self.all && same_root) {
            found = self.counterparts(found);
        }
        Ok(found.iter().map(CrdFolder::from_manifest).collect())
    }

    /// Returns each selected package in another tree: the package of the same name there, or else
    /// the package in the same folder.
    fn counterparts(&self, mut found: Vec<CargoManifest>) -> Vec<CargoManifest> {
        let same_name = |one: &CargoManifest, other: &CargoManifest| one.name() == other.name();
        let same_folder =
            |one: &CargoManifest, other: &CargoManifest| canonicalize(one.dir()) == other.dir();
        let mut kept = Vec::new();
        for chosen in &self.manifests {
            let by_name = found.iter().position(|other| same_name(chosen, other));
            let at = by_name.or_else(|| found.iter().position(|other| same_folder(chosen, other)));
            kept.extend(at.map(|at| found.remove(at)));
        }
        kept
    }
}

/// Returns the path that git uses for a folder, without symbolic links.
fn canonicalize(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn no_manifest_error(dir: &Path) -> Diagnostic {
    Diagnostic::error(format!("no Cargo.toml in {} or any parent folder", dir.display()))
        .help("run this inside a package, or pass `--manifest-path path/to/Cargo.toml`; `genclient init` initializes a project")
}

/// Returns the error that no package has API types.
pub fn no_types_error() -> Diagnostic {
    Diagnostic::error("no package with API types")
        .with_code(Code::Settings)
        .help(NO_TYPES_HELP)
}

const NO_TYPES_HELP: &str = "put them under `pkg/apis` or `src/apis`, or set their folder or inline module: \
     `apis = \"src/apis\"` in `[package.metadata.genclient]`; \
     `genclient init` initializes a project in an empty folder";

/// Reports packages that share an output folder, because each would remove the other's files.
fn check_output_folders(projects: &[Project]) -> Result<(), Diagnostics> {
    for (at, second) in projects.iter().enumerate() {
        for first in &projects[..at] {
            let (setting, place) = if first.client.dir == second.client.dir {
                ("client", &first.client.dir)
            } else if first.config == second.config {
                ("config", &first.config)
            } else {
                continue;
            };
            return Err(Diagnostic::error(format!(
                "the packages `{}` and `{}` both write to {}",
                first.name,
                second.name,
                first.shown(place)
            ))
            .with_code(Code::Settings)
            .help(format!(
                "give one of them another `{setting}` in `[package.metadata.genclient]`"
            ))
            .into());
        }
    }
    Ok(())
}

fn select_members(
    members: Vec<CargoManifest>,
    names: &[String],
) -> Result<Vec<CargoManifest>, Diagnostics> {
    for name in names {
        let member = members.iter().find(|m| m.name() == Some(name));
        if member.is_some_and(|member| !member.is_set_up() && !member.has_folder()) {
            return Err(
                Diagnostic::error(format!("the package `{name}` has no API types"))
                    .help(NO_TYPES_HELP)
                    .into(),
            );
        }
        if member.is_none() {
            let known: Vec<_> = members.iter().filter_map(CargoManifest::name).collect();
            return Err(
                Diagnostic::error(format!("no package `{name}` in the workspace"))
                    .help(format!("the packages are: {}", known.join(", ")))
                    .into(),
            );
        }
    }
    let chosen = |m: &CargoManifest| m.name().is_some_and(|name| names.iter().any(|n| n == name));
    Ok(members.into_iter().filter(chosen).collect())
}
