//! `genclient render`: a deployment as one file, as a base of kustomize, or as a Helm chart. The
//! commands that deploy or run a program use [`Deployment`], too.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Subcommand;
use genclient_codegen::paths::absolute;
use genclient_codegen::{Artefact, Deploy, Diagnostic, Diagnostics, Model, Project, file_system};

use super::console::{CommandOutcome, Console, print_data};
use super::selection::Packages;
use crate::render;

/// Artefacts that a deployment consists of.
pub(super) const DEPLOYMENT_ARTEFACTS: [Artefact; 4] = [
    Artefact::Crd,
    Artefact::Rbac,
    Artefact::Webhook,
    Artefact::Deploy,
];

/// A package with its deployment settings and its model.
pub(super) struct Deployment {
    pub(super) project: Project,
    pub(super) deploy: Deploy,
    pub(super) model: Model,
}

impl Deployment {
    /// Reads the only deployment of the selected packages, and prints the warnings about its types.
    pub(super) fn resolve(packages: &Packages, console: &Console) -> Result<Self, Diagnostics> {
        let projects = packages.projects()?.into_iter();
        let mut found: Vec<_> = projects
            .filter_map(|project| Some((project.deploy.clone()?, project)))
            .collect();
        if found.len() > 1 {
            let names: Vec<_> = found
                .iter()
                .map(|(_, it)| format!("`-p {}`", it.name))
                .collect();
            let finding = Diagnostic::error("several packages have a deployment");
            return Err(finding
                .help(format!("choose one: {}", names.join(", ")))
                .into());
        }
        let (deploy, project) = found.pop().ok_or_else(no_deployment)?;
        let (model, warnings) =
            genclient_codegen::understand(&project, &BTreeSet::from(DEPLOYMENT_ARTEFACTS))?;
        console.print_findings(&warnings);
        Ok(Self {
            project,
            deploy,
            model,
        })
    }
}

fn no_deployment() -> Diagnostic {
    Diagnostic::error("no package has settings for its deployment")
        .help("add the line `[package.metadata.genclient.deploy]` to Cargo.toml")
}

pub(super) const AFTER_HELP: &str = "Examples:
  genclient render plain --image registry.example.com/guestbook:v1 > install.yaml
  genclient render kustomize && kubectl kustomize config/default
  genclient render helm --output charts/guestbook";

#[derive(Debug, Subcommand)]
pub(super) enum Render {
    /// Print all objects in installation order
    Plain {
        #[command(flatten)]
        packages: Packages,

        /// The image of the program
        #[arg(long, value_name = "IMAGE", default_value = genclient_codegen::manifests::DEFAULT_IMAGE)]
        image: String,
    },
    /// Write a kustomize base
    Kustomize {
        #[command(flatten)]
        packages: Packages,

        /// The folder of the base [default: `config` of the package, which `update` also writes]
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// Write a Helm chart with the settings of the package as values
    Helm {
        #[command(flatten)]
        packages: Packages,

        /// The folder of the chart
        #[arg(long, value_name = "FOLDER", default_value = "dist/chart")]
        output: PathBuf,
    },
}

impl Render {
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        match self {
            Self::Plain { packages, image } => {
                let deployment = Deployment::resolve(packages, console)?;
                print_data(
                    &render::Documents::from_deployment(
                        &deployment.model,
                        &deployment.deploy,
                        image,
                    )
                    .to_yaml(),
                )?;
            }
            Self::Kustomize { packages, output } => {
                let deployment = Deployment::resolve(packages, console)?;
                let config = match output {
                    Some(output) => absolute(output, &file_system::working_dir()),
                    None => deployment.project.config.clone(),
                };
                let project = Project {
                    config,
                    ..deployment.project
                };
                let files = genclient_codegen::emit(
                    &deployment.model,
                    &project,
                    &BTreeSet::from(DEPLOYMENT_ARTEFACTS),
                );
                console.say(&files.write()?.to_string());
                let base = file_system::display_path(&project.config.join("default"));
                console
                    .print_next_command(&format!("kubectl apply --server-side -k {base}"), false);
            }
            Self::Helm { packages, output } => {
                let deployment = Deployment::resolve(packages, console)?;
                let output = absolute(output, &file_system::working_dir());
                let files = render::build_chart(&deployment.model, &deployment.deploy, &output);
                console.say(&files.write()?.to_string());
                let (name, chart) = (&deployment.deploy.name, file_system::display_path(&output));
                let namespace = &deployment.deploy.namespace;
                console.print_next_command(
                    &format!(
                        "helm install {name} {chart} --namespace {namespace} --create-namespace"
                    ),
                    false,
                );
            }
        }
        Ok(CommandOutcome::Fine)
    }
}
