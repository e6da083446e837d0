//! `genclient init`: a new project in the current folder. [`put`] writes and reports the files of
//! every command that scaffolds.

use std::path::PathBuf;

use clap::Arg;
use genclient_codegen::paths::absolute;
use genclient_codegen::{Artefact, Diagnostic, Diagnostics, file_system, output};

use super::console::{Console, print_data};
use super::selection::Packages;
use crate::scaffold::{CrateSource, Init, License, Scaffold};

/// A new project.
#[derive(Debug, clap::Args)]
#[command(mut_args(as_switch))]
pub(super) struct InitArguments {
    /// The domain suffix of the groups of the project's kinds
    #[arg(long, value_name = "DOMAIN", default_value = "my.domain")]
    domain: String,

    /// The name of the package and of its deployment [default: the name of the folder]
    #[arg(long, value_name = "NAME")]
    project_name: Option<String>,

    /// Restrict the manager to its own namespace, with a Role instead of a ClusterRole
    #[arg(long, value_name = "BOOL")]
    namespaced: Option<bool>,

    /// The license in Cargo.toml
    #[arg(long, value_name = "LICENSE", default_value = "apache2")]
    license: License,

    /// A checkout of genclient to depend on, instead of the released crates
    #[arg(long, value_name = "FOLDER")]
    genclient_path: Option<PathBuf>,

    /// Print the files that would be written, without writing them
    #[arg(long)]
    dry_run: bool,

    /// The module path of a Go project, which is ignored: a crate is found by its name
    #[arg(long, value_name = "PATH", hide = true)]
    repo: Option<String>,
}

/// Lets an option with the value `BOOL` be given without it: `--namespaced` is `--namespaced=true`.
pub(super) fn as_switch(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    if !names.iter().any(|name| name == "BOOL") {
        return argument;
    }
    argument
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
}

/// Returns the absolute path of a checkout of genclient.
fn resolve_checkout(path: &std::path::Path) -> Result<PathBuf, Diagnostics> {
    let path = absolute(path, &file_system::working_dir());
    if path.join("runtime/Cargo.toml").is_file() {
        Ok(path)
    } else {
        Err(
            Diagnostic::error(format!("{} is not a checkout of genclient", path.display()))
                .help("pass the folder that contains `runtime/Cargo.toml`")
                .into(),
        )
    }
}

impl InitArguments {
    pub(super) fn run(&self, console: &Console) -> Result<(), Diagnostics> {
        if self.repo.is_some() {
            console.say("--repo is ignored: a crate is found by its name");
        }
        let root = file_system::working_dir();
        let folder = root.file_name().unwrap_or_default().to_string_lossy();
        let dependencies = match &self.genclient_path {
            None => CrateSource::Released,
            Some(path) => CrateSource::Path(resolve_checkout(path)?),
        };
        let init = Init {
            name: self
                .project_name
                .clone()
                .unwrap_or_else(|| folder.into_owned()),
            domain: self.domain.clone(),
            namespaced: self.namespaced == Some(true),
            license: self.license,
            dependencies,
        };
        let packages = Packages::at(root.join("Cargo.toml"));
        let next = "genclient create api --group webapp --version v1 --kind Guestbook";
        write_scaffold(&init.plan(&root)?, &packages, self.dry_run, next, console)
    }
}

/// Writes the scaffolded files, runs the generator, and prints manual steps and the next command.
/// If generation fails, the previous state of all files is restored. A dry run writes no files, and
/// prints their names on stdout.
pub(super) fn write_scaffold(
    tree: &Scaffold,
    packages: &Packages,
    dry_run: bool,
    next: &str,
    console: &Console,
) -> Result<(), Diagnostics> {
    if let Some(reading) = tree.interpretation() {
        console.say(reading);
    }
    if dry_run {
        for line in tree.describe() {
            print_data(&format!("{line}\n"))?;
        }
    } else {
        let written = output::place_files(&tree.files())?;
        let mut project = packages.only_package()?;
        project.versions.forget_missing();
        let generated = genclient_codegen::generate(&project, &Artefact::ALL.into())?;
        let summary = generated.files.write_beside(written)?;
        for line in tree.describe() {
            console.say(&line);
        }
        console.print_findings(&generated.warnings);
        console.say(&format!("generate {summary}"));
    }
    for line in tree.manual_steps() {
        console.print_to_stderr(line);
    }
    console.print_next_command(next, dry_run);
    Ok(())
}
