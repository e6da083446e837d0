//! Commands about the program itself: `image build`, `image push` and `run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;

use super::deployment::Deployment;
use super::outcome::Outcome;
use super::selection::Packages;
use super::talk::Talk;
use crate::cluster::{self, ContainerTool};
use crate::{Diagnostics, manifests};

#[derive(Debug, Subcommand)]
pub(super) enum Image {
    /// Build the image of the Dockerfile beside Cargo.toml
    Build(ImageArguments),
    /// Push the image to its registry
    Push(ImageArguments),
}

#[derive(Debug, clap::Args)]
pub(super) struct ImageArguments {
    #[command(flatten)]
    packages: Packages,

    /// The image
    #[arg(long, value_name = "IMAGE", default_value = manifests::IMAGE)]
    image: String,

    /// The program that builds images [default: docker or podman]
    #[arg(long, value_name = "PROGRAM")]
    container_tool: Option<OsString>,
}

impl Image {
    pub(super) fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        let (Self::Build(arguments) | Self::Push(arguments)) = self;
        let image = &arguments.image;
        let tool = ContainerTool::new(arguments.container_tool.as_deref());
        let next = match self {
            Self::Build(_) => {
                let of = Deployment::of(&arguments.packages, talk)?;
                tool.build(image, &of.project.dir)?;
                "image push"
            }
            Self::Push(_) => {
                tool.push(image)?;
                "deploy"
            }
        };
        let flags = arguments.packages.flags();
        talk.say(&format!("next: genclient {next} --image {image}{flags}"));
        Ok(Outcome::Fine)
    }
}

/// A run of the program on this machine.
#[derive(Debug, clap::Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    packages: Packages,

    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// More flags of the program
    #[arg(last = true)]
    flags: Vec<OsString>,
}

impl RunArguments {
    pub(super) fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        let of = Deployment::of(&self.packages, talk)?;
        let mut flags: Vec<OsString> = vec!["--health-probe-bind-address=:8081".into()];
        if let Some(kubeconfig) = &self.kubeconfig {
            flags.extend(["--kubeconfig".into(), kubeconfig.into()]);
        }
        if of.deploy.namespaced {
            flags.push(format!("--namespace={}", of.deploy.namespace).into());
        }
        // The API server of a cluster reaches no Service that is not in it.
        let is_set = |flag: &str| {
            let mut flags = self.flags.iter();
            flags.any(|it| it.to_string_lossy().starts_with(flag))
        };
        if manifests::serves_webhooks(&of.model, &of.deploy) && !is_set("--webhook-") {
            flags.push("--webhook-bind-address=0".into());
        }
        flags.extend(self.flags.iter().cloned());
        let manifest = of.project.dir.join("Cargo.toml");
        cluster::run(&of.project.name, &manifest, &flags)?;
        Ok(Outcome::Fine)
    }
}
