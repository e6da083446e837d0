//! `genclient import`: API types from CRDs.

use std::path::{Path, PathBuf};

use super::outcome::Outcome;
use super::selection::Packages;
use super::talk::{Talk, print};
use crate::folder::{self, shown};
use crate::import::{self, Imported, Request};
use crate::paths::absolute;
use crate::{Diagnostic, Diagnostics, Project, output};

/// What is imported.
#[derive(Debug, clap::Args)]
pub(super) struct ImportArguments {
    /// CRDs in YAML: files, or folders with all below them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    packages: Packages,

    /// The folder of the API types [default: as in Cargo.toml, or pkg/apis]
    #[arg(long, value_name = "DIR")]
    apis: Option<PathBuf>,

    /// Make types and clients for kinds that another project owns: no CRD is written for them
    #[arg(long)]
    client_only: bool,

    /// Print the files that would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  genclient import crd.yaml                  types for every version of a CRD
  genclient import config/crd                all CRDs of a folder
  genclient import --client-only gateway.yaml   kinds that another project owns
  genclient import crd.yaml --dry-run        see them first

The types are yours from then on: `genclient update` gives the CRD back. What it does not give back is a warning.
Modules go to APIS/GROUP/VERSION.rs, or to APIS/GROUP/VERSION/KIND.rs if there are many kinds or the folder VERSION is there.
A file that is there already is never overwritten; modules that are there only get a `pub mod` line.";

impl ImportArguments {
    pub(super) fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        let imported = import::import(&self.request(talk)?)?;
        talk.say_findings(&imported.warnings);
        if self.dry_run {
            return show(&imported);
        }
        output::write_all(&imported.files)?;
        for file in imported.files.keys() {
            talk.say(&format!("write {}", shown(file)));
        }
        talk.say(&format!(
            "{} kinds with {} fields; next:",
            imported.kinds, imported.fields
        ));
        talk.say(&format!("genclient update{}", self.packages.flags()));
        Ok(Outcome::Fine)
    }

    fn request(&self, talk: &Talk) -> Result<Request, Diagnostics> {
        let project = self.project();
        let apis = match (&self.apis, &project) {
            (Some(apis), _) => absolute(apis, &folder::working_dir()),
            (None, Ok(project)) => project.apis.clone(),
            (None, Err(_)) => return Err(project.err().unwrap_or_default()),
        };
        let project = project.ok();
        let in_crate = |root: &Path| root.exists();
        Ok(Request {
            paths: self.files.clone(),
            apis,
            crate_root: project
                .as_ref()
                .map(|project| project.crate_root.clone())
                .filter(|root| in_crate(root)),
            aliases: project
                .as_ref()
                .map(|project| project.group_aliases.clone())
                .unwrap_or_default(),
            has_serde_json: project
                .as_ref()
                .is_some_and(|project| project.dependencies.contains("serde_json")),
            client_only: self.client_only,
            all_places: talk.verbose,
        })
    }

    /// The package that gets the types.
    fn project(&self) -> Result<Project, Diagnostics> {
        let mut projects = self.packages.projects()?;
        match (projects.len(), projects.pop()) {
            (1, Some(project)) => Ok(project),
            (_, last) => {
                let name = last.map(|project| project.name).unwrap_or_default();
                Err(Diagnostic::error("several packages have API types")
                    .help(format!("name one of them: `-p {name}`"))
                    .into())
            }
        }
    }
}

fn show(imported: &Imported) -> Result<Outcome, Diagnostics> {
    for (path, text) in &imported.files {
        let what = if imported.changed.contains(path) {
            "change"
        } else {
            "write"
        };
        print(&format!("// {what} {}\n{text}\n", shown(path)))?;
    }
    Ok(Outcome::Fine)
}
