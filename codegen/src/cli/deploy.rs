//! Commands that change a cluster: `install`, `uninstall`, `deploy` and `undeploy`. Nothing is
//! written to the disk.

use std::path::PathBuf;

use super::deployment::Deployment;
use super::outcome::Outcome;
use super::selection::Packages;
use super::talk::{Talk, print};
use crate::cluster::Cluster;
use crate::render::Documents;
use crate::{Diagnostic, Diagnostics};

/// Which cluster a run is about.
#[derive(Debug, clap::Args)]
pub(super) struct ClusterArguments {
    #[command(flatten)]
    pub(super) packages: Packages,

    /// The context of the kubeconfig [default: the current one]
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Print the objects, and leave the cluster alone
    #[arg(long)]
    dry_run: bool,
}

impl ClusterArguments {
    fn cluster(&self) -> Cluster {
        Cluster {
            context: self.context.clone(),
            kubeconfig: self.kubeconfig.clone(),
        }
    }

    fn apply(&self, documents: &Documents) -> Result<(), Diagnostics> {
        match self.dry_run {
            true => print(&documents.text()),
            false => self.cluster().apply(&documents.text()),
        }
    }

    fn delete(&self, documents: Documents) -> Result<(), Diagnostics> {
        let documents = documents.reversed();
        match self.dry_run {
            true => print(&documents.text()),
            false => self.cluster().delete(&documents.text()),
        }
    }

    /// Says what to type next, with the flags of this run.
    fn next(&self, command: &str, talk: &Talk) {
        if !self.dry_run {
            talk.say(&format!("next: {command}{}", self.packages.flags()));
        }
    }
}

/// Installs the definitions of kinds.
pub(super) fn install(target: &ClusterArguments, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let of = Deployment::of(&target.packages, talk)?;
    target.apply(&definitions(&of)?)?;
    target.next("genclient run", talk);
    Ok(Outcome::Fine)
}

/// Removes the definitions of kinds, and with them every object of the kinds.
pub(super) fn uninstall(target: &ClusterArguments, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let of = Deployment::of(&target.packages, talk)?;
    let definitions = definitions(&of)?;
    let kinds: Vec<_> = of
        .model
        .crds
        .iter()
        .map(|crd| crd.plural.as_str())
        .collect();
    let finding = format!("every object of {} is deleted, too", kinds.join(", "));
    talk.say_findings(&Diagnostic::warning(finding).into());
    target.delete(definitions)?;
    target.next("genclient install", talk);
    Ok(Outcome::Fine)
}

fn definitions(of: &Deployment) -> Result<Documents, Diagnostics> {
    let definitions = Documents::definitions(&of.model, &of.deploy);
    if definitions.is_empty() {
        let finding = Diagnostic::error(format!("`{}` defines no kinds", of.project.name));
        let help = "install its program by `genclient deploy`";
        return Err(finding.help(help).into());
    }
    Ok(definitions)
}

/// Installs everything.
pub(super) fn deploy(
    target: &ClusterArguments,
    image: &str,
    talk: &Talk,
) -> Result<Outcome, Diagnostics> {
    let of = Deployment::of(&target.packages, talk)?;
    target.apply(&Documents::all(&of.model, &of.deploy, image))?;
    if !target.dry_run {
        let (namespace, name) = (&of.deploy.namespace, of.deploy.named("controller-manager"));
        talk.say(&format!(
            "next: kubectl rollout status deployment/{name} --namespace {namespace}"
        ));
    }
    Ok(Outcome::Fine)
}

/// Removes everything but the definitions of kinds.
pub(super) fn undeploy(target: &ClusterArguments, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let of = Deployment::of(&target.packages, talk)?;
    target.delete(Documents::without_definitions(&of.model, &of.deploy))?;
    target.next("genclient uninstall", talk);
    Ok(Outcome::Fine)
}
