//! Arguments that select packages and artefacts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use genclient_codegen::project::{SelectedPackages, StatedAllowance};
use genclient_codegen::{Artefact, Code, Diagnostic, Diagnostics, Project, file_system, project};
use genclient_diff::{Allowance, ChangeKind};

use crate::shell::quote;
use crate::tools::find_manifest;

/// The packages that a run is about.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Packages {
    /// Path to the Cargo.toml of the package or workspace [default: the nearest one]
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Package of the workspace to process; may be repeated [default: this package, or all with API
    /// types]
    #[arg(short, long, value_name = "NAME")]
    package: Vec<String>,
}

/// The packages and artefacts that a run is about.
#[derive(Debug, clap::Args)]
pub(super) struct PackageSelection {
    #[command(flatten)]
    pub(super) packages: Packages,

    /// Artefacts to generate; may be repeated [default: all]
    #[arg(long, value_name = "ARTEFACT", value_delimiter = ',')]
    only: Vec<OnlyArtefact>,
}

impl Packages {
    /// Selects the package of a manifest.
    pub(super) fn at(manifest: PathBuf) -> Self {
        Self {
            manifest_path: Some(manifest),
            package: Vec::new(),
        }
    }

    /// Returns the one package that a command acts on.
    ///
    /// # Errors
    ///
    /// The errors of [`project::discover`], or several packages are selected.
    pub(super) fn only_package(&self) -> Result<Project, Diagnostics> {
        expect_one(self.projects()?)
    }

    /// Returns the one package that a command adds files to. It may have no API types yet.
    ///
    /// # Errors
    ///
    /// The errors of [`to_extend`](Self::to_extend), or several packages are selected.
    pub(super) fn only_package_to_extend(&self) -> Result<Project, Diagnostics> {
        expect_one(self.to_extend()?)
    }

    /// Returns the packages that a command may add files to: those of [`project::discover`]. If
    /// none can be selected, returns the package of the manifest, or the one that a single `-p`
    /// names, provided that this package has neither settings nor API types yet.
    ///
    /// # Errors
    ///
    /// The errors of [`project::discover`], if there is no such package either. Or no package of a
    /// workspace has API types yet, and no `-p` says which one the command is for.
    pub(super) fn to_extend(&self) -> Result<Vec<Project>, Diagnostics> {
        let manifest_path = self.manifest_path.as_deref();
        match project::choose_packages(manifest_path, &self.package) {
            Ok(chosen) => check_allowances(chosen)?.projects(),
            Err(errors) => {
                let untyped = project::find_untyped_package(manifest_path, &self.package)?;
                Ok(vec![untyped.ok_or(errors)?])
            }
        }
    }

    pub(super) fn projects(&self) -> Result<Vec<Project>, Diagnostics> {
        self.choose()?.projects()
    }

    /// Selects the packages. Of their settings, only the allowances are checked.
    pub(super) fn choose(&self) -> Result<SelectedPackages, Diagnostics> {
        let chosen = project::choose_packages(self.manifest_path.as_deref(), &self.package)?;
        check_allowances(chosen)
    }

    /// Returns the flags that select the same packages, for a command that a message suggests.
    pub(super) fn flags(&self) -> String {
        let mut flags = String::new();
        if let Some(path) = &self.manifest_path {
            flags.push_str(&format!(
                " --manifest-path {}",
                quote(&path.display().to_string())
            ));
        }
        for package in &self.package {
            flags.push_str(&format!(" -p {package}"));
        }
        flags
    }

    /// Returns the flags of cargo that select the same packages.
    pub(super) fn cargo_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        if let Some(path) = &self.manifest_path {
            flags.extend(["--manifest-path".into(), path.into()]);
        }
        for package in &self.package {
            flags.extend(["--package".into(), package.into()]);
        }
        flags
    }

    /// Returns whether the user has named packages.
    pub(super) fn names_packages(&self) -> bool {
        !self.package.is_empty()
    }

    /// Returns the manifest of the run, where errors about no package are shown.
    pub(super) fn manifest(&self) -> PathBuf {
        let manifest = self.manifest_path.clone();
        manifest.unwrap_or_else(|| find_manifest(&file_system::working_dir()))
    }

    /// Returns whether the user has set a flag for the manifest or the packages.
    pub(super) fn are_named(&self) -> bool {
        self.manifest_path.is_some() || !self.package.is_empty()
    }
}

/// Every command reports an unknown change in `diff-allow`, as it does any other wrong setting.
fn check_allowances(chosen: SelectedPackages) -> Result<SelectedPackages, Diagnostics> {
    read_allowances(&chosen)?;
    Ok(chosen)
}

/// Returns the breaking changes that the packages allow.
///
/// # Errors
///
/// The name of a change is unknown.
pub(super) fn read_allowances(chosen: &SelectedPackages) -> Result<Vec<Allowance>, Diagnostics> {
    let setting = chosen.allowances().into_iter();
    setting
        .map(|setting| parse_allowance(setting).map_err(Diagnostics::from))
        .collect()
}

fn parse_allowance(setting: StatedAllowance) -> Result<Allowance, Diagnostic> {
    let Some(change) = ChangeKind::named(&setting.change) else {
        let finding = Diagnostic::error(format!("unknown change `{}`", setting.change));
        return Err(finding
            .with_code(Code::Settings)
            .help(known_change(&setting.change))
            .at(setting.place));
    };
    Ok(Allowance {
        crd: setting.crd,
        version: setting.version,
        path: setting.path,
        change,
        reason: setting.reason,
    })
}

/// Returns the help for an unknown change.
fn known_change(wrong: &str) -> String {
    match genclient_syntax::closest(wrong, ChangeKind::ALL.iter().map(|kind| kind.id)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "write a change as `genclient diff` prints it: docs/diff.md lists them".to_owned(),
    }
}

fn expect_one(mut projects: Vec<Project>) -> Result<Project, Diagnostics> {
    match (projects.len(), projects.pop()) {
        (1, Some(project)) => Ok(project),
        (_, last) => {
            let names: Vec<_> = projects
                .iter()
                .chain(&last)
                .map(|it| it.name.as_str())
                .collect();
            let first = names.first().copied().unwrap_or_default();
            let help = format!("choose one of {}: `-p {first}`", names.join(", "));
            let finding = Diagnostic::error("several packages have API types");
            Err(finding.help(help).into())
        }
    }
}

impl PackageSelection {
    pub(super) fn artefacts(&self) -> BTreeSet<Artefact> {
        if self.only.is_empty() {
            Artefact::ALL.into()
        } else {
            self.only.iter().map(|only| only.0).collect()
        }
    }

    /// Checks that the selected artefacts may have files in the packages.
    ///
    /// # Errors
    ///
    /// Only apply configurations are selected, and no package generates them.
    pub(super) fn check_artefacts(&self, projects: &[Project]) -> Result<(), Diagnostics> {
        let is_only = self.artefacts() == BTreeSet::from([Artefact::ApplyConfiguration]);
        if !is_only || projects.iter().any(|project| project.apply_configurations) {
            return Ok(());
        }
        Err(Diagnostic::error(
            "`--only applyconfiguration`: no selected package generates apply configurations",
        )
        .help("write `apply-configurations = true` in `[package.metadata.genclient]`")
        .into())
    }

    /// Returns the flags that select the same packages and artefacts, for a command that a message
    /// suggests.
    pub(super) fn flags(&self) -> String {
        let mut flags = self.packages.flags();
        for artefact in &self.only {
            flags.push_str(&format!(" --only {}", artefact.0.as_str()));
        }
        flags
    }
}

/// An artefact as the value of `--only`.
#[derive(Clone, Copy, Debug)]
struct OnlyArtefact(Artefact);

static ONLY_ARTEFACTS: LazyLock<[OnlyArtefact; 11]> =
    LazyLock::new(|| Artefact::ALL.map(OnlyArtefact));

impl ValueEnum for OnlyArtefact {
    fn value_variants<'a>() -> &'a [Self] {
        &*ONLY_ARTEFACTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Artefact::Clientset => "Typed clients",
            Artefact::ApplyConfiguration => {
                "Apply configurations, if the setting `apply-configurations` is on"
            }
            Artefact::Listers => "Typed reads of an informer's cache",
            Artefact::Informers => "Caches that a watch keeps up to date",
            Artefact::Scheme => "A list and an enum of all kinds",
            Artefact::Crds => "CRDs as Rust values",
            Artefact::Conversion => "Conversion between the versions of each kind, for its webhook",
            Artefact::Crd => "CRDs as YAML",
            Artefact::Rbac => "Roles of controllers as YAML",
            Artefact::Webhook => "Configurations of admission webhooks as YAML",
            Artefact::Deploy => "Manifests that deploy the program, with all other YAML",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::known_change;

    #[test]
    fn unknown_changes_come_with_help() {
        for (wrong, help) in [
            ("field-remove", "did you mean `field-removed`?"),
            (
                "gone",
                "write a change as `genclient diff` prints it: docs/diff.md lists them",
            ),
        ] {
            assert_eq!(known_change(wrong), help, "{wrong}");
        }
    }
}
