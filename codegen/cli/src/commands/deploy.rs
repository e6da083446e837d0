//! Commands that change a cluster: `install`, `uninstall`, `deploy` and `undeploy`. They write no
//! files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use genclient_apimachinery::go;
use genclient_codegen::manifests::IMAGE;
use genclient_codegen::{Diagnostic, Diagnostics, Project};

use super::console::{Console, print};
use super::outcome::Outcome;
use super::render::{Deployment, PARTS};
use super::selection::Packages;
use crate::cluster::Cluster;
use crate::render::Documents;
use crate::shell::typed;

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

/// The cluster that a command acts on.
#[derive(Debug, clap::Args)]
pub(super) struct ClusterArguments {
    #[command(flatten)]
    pub(super) packages: Packages,

    /// The context of the kubeconfig [default: the current one]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    context: Option<String>,

    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Print the objects, without changing the cluster
    #[arg(long)]
    dry_run: bool,
}

impl ClusterArguments {
    /// Returns the selected cluster, after a check that it can be reached. A dry run does not need
    /// it. If kubectl fails, the help may suggest `genclient {command}` with an additional flag:
    /// `--force-conflicts` or `--dry-run`.
    fn cluster(&self, command: &str) -> Result<Cluster, Diagnostics> {
        let mut cluster = Cluster {
            context: self.context.clone(),
            kubeconfig: self.kubeconfig.clone(),
            ..Cluster::default()
        };
        cluster.typed = format!(
            "genclient {command}{}{}",
            self.packages.flags(),
            cluster.flags()
        );
        if !self.dry_run {
            cluster.check()?;
        }
        Ok(cluster)
    }

    /// Returns the command that runs the program against the same cluster, for a message.
    fn run(&self) -> String {
        let kubeconfig = Cluster {
            kubeconfig: self.kubeconfig.clone(),
            ..Cluster::default()
        };
        let run = format!(
            "genclient run{}{}",
            self.packages.flags(),
            kubeconfig.flags()
        );
        match &self.context {
            // The program has no context flag, so kubectl must change the current context.
            Some(context) => {
                let kubectl = format!("kubectl{}", kubeconfig.flags());
                format!("{kubectl} config use-context {} && {run}", typed(context))
            }
            None => run,
        }
    }

    /// Removes the Namespace from `documents` if the cluster has a namespace of that name that does
    /// not belong to this deployment. A dry run keeps the Namespace, without asking the cluster.
    fn without_foreign(
        &self,
        documents: Documents,
        of: &Deployment,
        cluster: &Cluster,
        console: &Console,
    ) -> Result<Documents, Diagnostics> {
        let (namespace, name) = (&of.deploy.namespace, &of.deploy.name);
        if self.dry_run || !cluster.has_foreign_namespace(namespace, name)? {
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
    fn apply(&self, documents: &Documents, cluster: &Cluster) -> Result<(), Diagnostics> {
        let cluster = Cluster {
            force_conflicts: self.force_conflicts,
            ..cluster.clone()
        };
        if self.target.dry_run {
            print(&documents.text())
        } else {
            cluster.apply(&documents.text())
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
        cluster: &Cluster,
        console: &Console,
        report: impl FnOnce(&str),
    ) -> Result<(), Diagnostics> {
        let text = documents.reversed().text();
        if self.target.dry_run {
            print(&text)?;
            console.print_end_of_dry_run();
            return Ok(());
        }
        let mut is_any = false;
        cluster.delete(&text, |deleted| {
            is_any = !deleted.is_empty();
            print(deleted)?;
            report(deleted);
            Ok(())
        })?;
        if !is_any {
            console.say("nothing to remove: the cluster has none of these objects");
        } else if self.wait {
            cluster.wait_until_gone(&text, self.timeout, |line| console.say(line))?;
        }
        Ok(())
    }
}

/// Installs the CRDs.
pub(super) fn install(
    arguments: &ApplyArguments,
    console: &Console,
) -> Result<Outcome, Diagnostics> {
    let target = &arguments.target;
    let crds = DefinedKinds::of(&target.packages, console)?;
    arguments.apply(&crds.documents, &target.cluster("install")?)?;
    match (target.dry_run, crds.has_program) {
        (true, _) => console.print_end_of_dry_run(),
        (false, true) => console.print_next_command(&target.run(), false),
        (false, false) => {}
    }
    Ok(Outcome::Fine)
}

/// Removes the CRDs, and with them every object of their kinds.
pub(super) fn uninstall(
    arguments: &DeleteArguments,
    console: &Console,
) -> Result<Outcome, Diagnostics> {
    let target = &arguments.target;
    let crds = DefinedKinds::of(&target.packages, console)?;
    let cluster = target.cluster("uninstall")?;
    arguments.delete(crds.documents, &cluster, console, |deleted| {
        let is_deleted = |name: &&String| deleted.contains(&format!("\"{name}\""));
        let kinds: Vec<_> = crds.names.iter().filter(is_deleted).cloned().collect();
        if !kinds.is_empty() {
            let finding = format!("every object of {} is deleted as well", kinds.join(", "));
            console.print_findings(&Diagnostic::warning(finding).into());
        }
    })?;
    Ok(Outcome::Fine)
}

/// The CRDs of the selected packages. The packages need no settings for a deployment.
struct DefinedKinds {
    documents: Documents,
    /// The names of the CRDs.
    names: Vec<String>,
    /// True if `genclient run` finds exactly one deployment, and its package has a program.
    has_program: bool,
}

impl DefinedKinds {
    /// Reads the kinds of the packages, and prints the warnings about them.
    fn of(packages: &Packages, console: &Console) -> Result<Self, Diagnostics> {
        let mut projects = packages.projects()?;
        for project in &mut projects {
            // These commands do not apply on the client's side, so the size does not matter.
            project.server_side_apply = true;
        }
        let mut documents = Documents::default();
        let mut names = Vec::new();
        let mut errors = Diagnostics::default();
        for project in &projects {
            match genclient_codegen::understand(project, &BTreeSet::from(PARTS)) {
                Ok((model, warnings)) => {
                    console.print_findings(&warnings);
                    let (deploy, name) = (project.deploy.as_ref(), &project.name);
                    documents.extend(Documents::definitions(&model, deploy, name));
                    let crds = model.crds.iter();
                    names.extend(crds.map(|crd| format!("{}.{}", crd.plural, crd.group)));
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() && documents.is_empty() {
            errors.extend(no_kinds(&projects).into());
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut deployed = projects.iter().filter(|project| project.deploy.is_some());
        let has_program = deployed.next().is_some_and(|project| project.has_program);
        Ok(Self {
            documents,
            names,
            has_program: has_program && deployed.next().is_none(),
        })
    }
}

fn no_kinds(projects: &[Project]) -> Diagnostic {
    let names: Vec<_> = projects.iter().map(|it| format!("`{}`", it.name)).collect();
    let defines = if names.len() == 1 {
        "defines"
    } else {
        "define"
    };
    let finding = Diagnostic::error(format!("{} {defines} no kinds", names.join(", ")));
    if projects.iter().any(|project| project.deploy.is_some()) {
        finding.help("deploy the program with `genclient deploy`")
    } else {
        finding.help("apply CRDs of other projects with `kubectl apply --server-side -f FILE`")
    }
}

/// Applies all objects of a deployment. A namespace that `deploy` did not create is left unchanged,
/// since the deployment's Pod security label may exclude other Pods there.
pub(super) fn deploy(
    arguments: &ApplyArguments,
    image: Option<&str>,
    console: &Console,
) -> Result<Outcome, Diagnostics> {
    let target = &arguments.target;
    let of = Deployment::of(&target.packages, console)?;
    let image = image.unwrap_or_else(|| {
        console.say(&format!(
            "using the image {IMAGE}: pass `--image IMAGE` for another one"
        ));
        IMAGE
    });
    let cluster = target.cluster(&format!("deploy --image {}", typed(image)))?;
    let documents = Documents::all(&of.model, &of.deploy, image);
    let documents = target.without_foreign(documents, &of, &cluster, console)?;
    arguments.apply(&documents, &cluster)?;
    let (namespace, name) = (&of.deploy.namespace, of.deploy.named("controller-manager"));
    let kubectl = format!("kubectl{}", cluster.flags());
    let next = format!("{kubectl} rollout status deployment/{name} --namespace {namespace}");
    console.print_next_command(&next, target.dry_run);
    Ok(Outcome::Fine)
}

/// Removes all objects of a deployment except the CRDs, and except a namespace that `deploy` did
/// not create.
pub(super) fn undeploy(
    arguments: &DeleteArguments,
    console: &Console,
) -> Result<Outcome, Diagnostics> {
    let target = &arguments.target;
    let of = Deployment::of(&target.packages, console)?;
    let cluster = target.cluster("undeploy")?;
    let documents =
        Documents::all(&of.model, &of.deploy, IMAGE).without("CustomResourceDefinition");
    let documents = target.without_foreign(documents, &of, &cluster, console)?;
    arguments.delete(documents, &cluster, console, |_| ())?;
    Ok(Outcome::Fine)
}
