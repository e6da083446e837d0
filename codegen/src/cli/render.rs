//! `genclient render`: a deployment as one file, as a base of kustomize, or as a Helm chart.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Subcommand;

use super::deployment::{Deployment, PARTS};
use super::outcome::Outcome;
use super::selection::Packages;
use super::talk::{Talk, print};
use crate::paths::absolute;
use crate::{Diagnostics, Project, folder, render};

pub(super) const AFTER_HELP: &str = "Examples:
  genclient render plain --image registry.example.com/guestbook:v1 > install.yaml
  genclient render kustomize && kubectl kustomize config/default
  genclient render helm --output charts/guestbook";

#[derive(Debug, Subcommand)]
pub(super) enum Render {
    /// Print every object, in the order in which they are installed
    Plain {
        #[command(flatten)]
        packages: Packages,

        /// The image of the program
        #[arg(long, value_name = "IMAGE", default_value = crate::manifests::IMAGE)]
        image: String,
    },
    /// Write a base for kustomize
    Kustomize {
        #[command(flatten)]
        packages: Packages,

        /// The folder [default: the package's folder of configuration, which `update` writes, too]
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// Write a Helm chart, whose values are the settings of the package
    Helm {
        #[command(flatten)]
        packages: Packages,

        /// The folder of the chart
        #[arg(long, value_name = "FOLDER", default_value = "dist/chart")]
        output: PathBuf,
    },
}

impl Render {
    pub(super) fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        match self {
            Self::Plain { packages, image } => {
                let of = Deployment::of(packages, talk)?;
                print(&render::Documents::all(&of.model, &of.deploy, image).text())?;
            }
            Self::Kustomize { packages, output } => {
                let of = Deployment::of(packages, talk)?;
                let config = match output {
                    Some(output) => absolute(output, &folder::working_dir()),
                    None => of.project.config.clone(),
                };
                let project = Project {
                    config,
                    ..of.project
                };
                let files = crate::emit::emit(&of.model, &project, &BTreeSet::from(PARTS));
                talk.say(&files.write()?.to_string());
                let base = folder::shown(&project.config.join("default"));
                talk.say_next(&format!("kubectl apply --server-side -k {base}"), false);
            }
            Self::Helm { packages, output } => {
                let of = Deployment::of(packages, talk)?;
                let output = absolute(output, &folder::working_dir());
                let files = render::chart(&of.model, &of.deploy, &output);
                talk.say(&files.write()?.to_string());
                let (name, chart) = (&of.deploy.name, folder::shown(&output));
                let namespace = &of.deploy.namespace;
                talk.say_next(
                    &format!(
                        "helm install {name} {chart} --namespace {namespace} --create-namespace"
                    ),
                    false,
                );
            }
        }
        Ok(Outcome::Fine)
    }
}
