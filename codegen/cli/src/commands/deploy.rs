//! Commands that change a cluster: `install`, `uninstall`, `deploy` and `undeploy`. They write no
//! files.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use genclient_apimachinery::go;
use genclient_codegen::manifests::DEFAULT_IMAGE;
use genclient_codegen::{Diagnostic, Diagnostics};

use super::console::{CommandOutcome, Console, print_data};
use super::kinds::DefinedKinds;
use super::render::Deployment;
use super::selection::Packages;
use crate::render::Documents;
use crate::shell::quote;
use crate::tools::Kubectl;

pub(super) const AFTER_INSTALL: &str = "Examples:
  genclient install                       in the cluster of the current context
  genclient install --context staging     in another cluster
  genclient install --dry-run | less      print the CRDs first";

pub(super) const AFTER_UNINSTALL: &str = "Examples:
  kubectl get guestbooks --all-namespaces      list the objects that are deleted with their kind
  genclient uninstall && genclient undeploy    CRDs first, while the program runs and removes its finalizers";

pub(super) const AFTER_DEPLOY: &str = "Examples:
  genclient deploy --image registry.example.com/guestbook:v1
  genclient deploy --image registry.example.com/guestbook:v1 --dry-run | kubectl diff --server-side -f -
  kubectl logs --follow deployment/guestbook-controller-manager --namespace guestbook-system

Settings are in `[package.metadata.genclient.deploy]` of Cargo.toml:
`genclient explain package.metadata.genclient.deploy` lists them.";

pub(super) const AFTER_UNDEPLOY: &str = "Examples:
  genclient undeploy
  genclient undeploy --dry-run       print the objects that would be deleted
  genclient undeploy --timeout=15m   wait longer for finalizers
  genclient undeploy --wait=false    do not wait for them";

/// The packages and the cluster that a command is about.
#[derive(Debug, clap::Args)]
pub(super) struct ClusterSelection {
    #[command(flatten)]
    pub(super) packages: Packages,

    /// The context of the kubeconfig [default: the current one]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    context: Option<String>,

    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

impl ClusterSelection {
    /// Returns kubectl for the selected cluster. If kubectl fails, the help may suggest
    /// `genclient {command}` with an additional flag: `--force-conflicts` or `--dry-run`.
    pub(super) fn kubectl(&self, command: &str) -> Kubectl {
        let mut kubectl = Kubectl {
            context: self.context.clone(),
            kubeconfig: self.kubeconfig.clone(),
            ..Kubectl::default()
        };
        kubectl.user_command = format!(
            "genclient {command}{}{}",
            self.packages.flags(),
            kubectl.flags()
        );
        kubectl
    }

    /// Returns the command that runs the program against the same cluster, for a message.
    fn run(&self) -> String {
        let kubeconfig_flag = Kubectl {
            kubeconfig: self.kubeconfig.clone(),
            ..Kubectl::default()
        }
        .flags();
        let run = format!("genclient run{}{kubeconfig_flag}", self.packages.flags());
        match &self.context {
            // The program has no context flag, so kubectl must change the current context.
            Some(context) => {
                format!(
                    "kubectl{kubeconfig_flag} config use-context {} && {run}",
                    quote(context)
                )
            }
            None => run,
        }
    }
}

/// The cluster that a command changes.
#[derive(Debug, clap::Args)]
struct ClusterArguments {
    #[command(flatten)]
    selection: ClusterSelection,

    /// Print the objects, without changing the cluster
    #[arg(long)]
    dry_run: bool,
}

impl ClusterArguments {
    /// Returns kubectl for the selected cluster, after a check that it can be reached. A dry run
    /// needs no cluster.
    fn kubectl(&self, command: &str) -> Result<Kubectl, Diagnostics> {
        let kubectl = self.selection.kubectl(command);
        if !self.dry_run {
            kubectl.check()?;
        }
        Ok(kubectl)
    }

    /// Removes the Namespace from `documents` if the cluster has a namespace of that name that does
    /// not belong to this deployment. A dry run keeps the Namespace, without asking the cluster.
    fn without_foreign(
        &self,
        documents: Documents,
        deployment: &Deployment,
        kubectl: &Kubectl,
        console: &Console,
    ) -> Result<Documents, Diagnostics> {
        let (namespace, name) = (&deployment.deploy.namespace, &deployment.deploy.name);
        if self.dry_run || !kubectl.has_foreign_namespace(namespace, name)? {
            return Ok(documents);
        }
        console.say(&format!(
            "the namespace {namespace} is left unchanged: it does not belong to this deployment"
        ));
        Ok(documents.without("Namespace"))
    }
}

/// The arguments of the commands that apply objects to a cluster.
#[derive(Debug, clap::Args)]
pub(super) struct ApplyArguments {
    #[command(flatten)]
    target: ClusterArguments,

    /// Take over fields that another field manager owns
    #[arg(long)]
    force_conflicts: bool,
}

impl ApplyArguments {
    fn apply(
        &self,
        documents: &Documents,
        kubectl: &Kubectl,
        console: &Console,
    ) -> Result<(), Diagnostics> {
        let kubectl = Kubectl {
            force_conflicts: self.force_conflicts,
            quiet: console.quiet,
            ..kubectl.clone()
        };
        if self.target.dry_run {
            print_data(&documents.to_yaml())
        } else {
            kubectl.apply(&documents.to_yaml())
        }
    }
}

/// The arguments of the commands that delete objects from a cluster.
#[derive(Debug, clap::Args)]
pub(super) struct DeleteArguments {
    #[command(flatten)]
    target: ClusterArguments,

    /// Whether to wait until the objects are gone
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value = "true",
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    wait: bool,

    /// How long to wait, as `30s` or `15m`; `0` waits without a limit
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = parse_duration)]
    timeout: Duration,
}

/// Parses a duration of Go, as kubectl does.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let nanoseconds = u64::try_from(go::duration(text)?).map_err(|_| "must not be negative")?;
    Ok(Duration::from_nanos(nanoseconds))
}

impl DeleteArguments {
    /// Deletes the objects. Calls `report` with kubectl's lines about the deleted ones.
    fn delete(
        &self,
        documents: Documents,
        kubectl: &Kubectl,
        console: &Console,
        report: impl FnOnce(&str),
    ) -> Result<(), Diagnostics> {
        let text = documents.reversed().to_yaml();
        if self.target.dry_run {
            print_data(&text)?;
            console.print_end_of_dry_run();
            return Ok(());
        }
        let mut is_any = false;
        kubectl.delete(&text, |deleted| {
            is_any = !deleted.is_empty();
            if !console.quiet {
                print_data(deleted)?;
            }
            report(deleted);
            Ok(())
        })?;
        if !is_any {
            console.say("nothing to remove: the cluster has none of these objects");
        } else if self.wait {
            kubectl.wait_until_gone(&text, self.timeout, |line| console.say(line))?;
        }
        Ok(())
    }
}

/// Installs the CRDs.
pub(super) fn install(
    arguments: &ApplyArguments,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let target = &arguments.target;
    let crds = DefinedKinds::resolve(&target.selection.packages, console)?;
    arguments.apply(&crds.documents, &target.kubectl("install")?, console)?;
    match (target.dry_run, crds.has_program) {
        (true, _) => console.print_end_of_dry_run(),
        (false, true) => console.print_next_command(&target.selection.run(), false),
        (false, false) => {}
    }
    Ok(CommandOutcome::Fine)
}

/// Removes the CRDs, and with them every object of their kinds.
pub(super) fn uninstall(
    arguments: &DeleteArguments,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let target = &arguments.target;
    let crds = DefinedKinds::resolve(&target.selection.packages, console)?;
    let kubectl = target.kubectl("uninstall")?;
    arguments.delete(crds.documents, &kubectl, console, |deleted| {
        let names = crds.kinds.iter().map(|kind| kind.crd.as_str());
        let is_deleted = |name: &&str| deleted.contains(&format!("\"{name}\""));
        let kinds: Vec<_> = names.filter(is_deleted).collect();
        if !kinds.is_empty() {
            let finding = format!("every object of {} is deleted as well", kinds.join(", "));
            console.print_findings(&Diagnostic::warning(finding).into());
        }
    })?;
    Ok(CommandOutcome::Fine)
}

/// Applies all objects of a deployment. A namespace that `deploy` did not create is left unchanged,
/// since the deployment's Pod security label may exclude other Pods there.
pub(super) fn deploy(
    arguments: &ApplyArguments,
    image: Option<&str>,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let target = &arguments.target;
    let deployment = Deployment::resolve(&target.selection.packages, console)?;
    let image = image.unwrap_or_else(|| {
        console.say(&format!(
            "using the image {DEFAULT_IMAGE}: pass `--image IMAGE` for another one"
        ));
        DEFAULT_IMAGE
    });
    let kubectl = target.kubectl(&format!("deploy --image {}", quote(image)))?;
    let documents = Documents::from_deployment(&deployment.model, &deployment.deploy, image);
    let documents = target.without_foreign(documents, &deployment, &kubectl, console)?;
    arguments.apply(&documents, &kubectl, console)?;
    let (namespace, name) = (
        &deployment.deploy.namespace,
        deployment.deploy.named("controller-manager"),
    );
    let flags = kubectl.flags();
    let next = format!("kubectl{flags} rollout status deployment/{name} --namespace {namespace}");
    console.print_next_command(&next, target.dry_run);
    Ok(CommandOutcome::Fine)
}

/// Removes all objects of a deployment except the CRDs, and except a namespace that `deploy` did
/// not create.
pub(super) fn undeploy(
    arguments: &DeleteArguments,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let target = &arguments.target;
    let deployment = Deployment::resolve(&target.selection.packages, console)?;
    let kubectl = target.kubectl("undeploy")?;
    let documents =
        Documents::from_deployment(&deployment.model, &deployment.deploy, DEFAULT_IMAGE)
            .without("CustomResourceDefinition");
    let documents = target.without_foreign(documents, &deployment, &kubectl, console)?;
    arguments.delete(documents, &kubectl, console, |_| ())?;
    Ok(CommandOutcome::Fine)
}
