//! `genclient import`: Rust API types from CRDs.

use std::path::{Path, PathBuf};

use genclient_codegen::file_system::{self, display_path};
use genclient_codegen::paths::absolute;
use genclient_codegen::{Diagnostic, Diagnostics, Project, output};

use super::console::{CommandOutcome, Console, print_data};
use super::selection::Packages;
use crate::import::{ImportRequest, Imported, import_definitions};

/// Arguments of `genclient import`.
#[derive(Debug, clap::Args)]
pub(super) struct ImportArguments {
    /// CRDs in YAML: files, or folders, which are read recursively
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    packages: Packages,

    /// The folder of the API types, created if missing [default: `apis` of Cargo.toml, else the
    /// existing pkg/apis or src/apis, else `apis` beside the crate's root file]
    #[arg(long, value_name = "DIR")]
    apis: Option<PathBuf>,

    /// Generate types and clients, but no CRDs, for kinds that another project owns
    #[arg(long)]
    client_only: bool,

    /// Print the contents of the files that would be written, without writing them
    #[arg(long)]
    dry_run: bool,
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  genclient import crd.yaml                  types for every version of a CRD
  genclient import config/crd                all CRDs of a folder
  genclient import --client-only gateway.yaml   kinds that another project owns
  genclient import crd.yaml --dry-run        print the types first

The types are yours to edit: `genclient update` generates the CRD from them. A warning lists each
difference from the imported CRD. Modules go to APIS/GROUP/VERSION.rs, or to
APIS/GROUP/VERSION/KIND.rs if there are many kinds or the folder VERSION exists. An existing file is
never overwritten; an existing module only gets a `pub mod` line.";

impl ImportArguments {
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        let request = self.request(console)?;
        let imported = import_definitions(&request)?;
        console.print_findings(&imported.warnings);
        let next = format!("genclient update{}", self.packages.flags());
        if self.dry_run {
            print_files(&imported)?;
            console.print_next_command(&next, true);
            return Ok(CommandOutcome::Fine);
        }
        output::place_files(&imported.files)?.keep()?;
        for file in imported.files.keys() {
            console.say(&format!("write {}", display_path(file)));
        }
        let (kinds, fields) = (
            format_count(imported.kinds, "kind"),
            format_count(imported.fields, "field"),
        );
        console.say(&format!("{kinds} with {fields}"));
        for setting in settings_to_add(&request, &imported) {
            console.say(&format!("{setting}, in Cargo.toml"));
        }
        console.print_next_command(&next, false);
        Ok(CommandOutcome::Fine)
    }

    fn request(&self, console: &Console) -> Result<ImportRequest, Diagnostics> {
        let apis_flag = self
            .apis
            .as_deref()
            .map(|apis| absolute(apis, &file_system::working_dir()));
        let project = self.project(apis_flag.as_deref())?;
        let apis = apis_flag.unwrap_or_else(|| project.apis.clone());
        let files = [apis.join("mod.rs"), apis.with_extension("rs")];
        let is_there = apis == project.apis && files.iter().any(|file| file.is_file());
        let groups = if is_there {
            genclient_codegen::groups(&project)?
        } else {
            Vec::new()
        };
        Ok(ImportRequest {
            paths: self.files.clone(),
            apis,
            project,
            groups,
            client_only: self.client_only,
            list_all_paths: console.verbose,
        })
    }

    /// Returns the package that the types are written to. If several packages are selected, returns
    /// the one whose folder contains `apis`.
    fn project(&self, apis: Option<&Path>) -> Result<Project, Diagnostics> {
        let mut projects = self.packages.to_extend()?;
        let name = projects.last().map(|project| project.name.clone());
        if let Some(apis) = apis.filter(|_| projects.len() > 1) {
            projects.retain(|project| apis.starts_with(&project.dir));
        }
        match (projects.len(), projects.pop()) {
            (1, Some(project)) => Ok(project),
            _ => Err(Diagnostic::error("several packages have API types")
                .help(format!(
                    "choose one of them: `-p {}`",
                    name.unwrap_or_default()
                ))
                .into()),
        }
    }
}

/// Returns messages about settings to add to Cargo.toml: the types' folder and aliases of groups.
fn settings_to_add(request: &ImportRequest, imported: &Imported) -> Vec<String> {
    let (apis, project) = (&request.apis, &request.project);
    let mut settings = Vec::new();
    if *apis != project.apis {
        let below = apis.strip_prefix(&project.dir).unwrap_or(apis);
        settings.push(format!(
            "add `apis = \"{}\"` to `[package.metadata.genclient]`",
            below.display()
        ));
    }
    let aliases = imported.aliases.iter();
    settings.extend(aliases.map(|(group, module)| {
        format!("add `\"{group}\" = \"{module}\"` to `[package.metadata.genclient.group-aliases]`")
    }));
    settings
}

fn format_count(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn print_files(imported: &Imported) -> Result<(), Diagnostics> {
    for (path, text) in &imported.files {
        let verb = if imported.changed.contains(path) {
            "change"
        } else {
            "write"
        };
        print_data(&format!("// {verb} {}\n{text}\n", display_path(path)))?;
    }
    Ok(())
}
