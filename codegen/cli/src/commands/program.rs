//! Commands for the program itself: `image build`, `image push` and `run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use genclient_codegen::project::{BuildContext, path_dependency};
use genclient_codegen::{Diagnostic, Diagnostics, Model, manifests};

use super::console::Console;
use super::outcome::Outcome;
use super::render::Deployment;
use super::selection::Packages;
use crate::cluster::{self, Cluster, ContainerTool, LocalServer, Program};
use crate::render::Documents;
use crate::shell::typed;

pub(super) const AFTER_IMAGE: &str = "Examples:
  genclient image build --image registry.example.com/guestbook:v1
  genclient image push --image registry.example.com/guestbook:v1
  genclient image build --container-tool nerdctl --image guestbook:v1";

#[derive(Debug, Subcommand)]
pub(super) enum Image {
    /// Build the image of the Dockerfile beside Cargo.toml
    ///
    /// The build context is the folder of the package, or of the workspace that it is a member of.
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

    /// The container tool [default: docker or podman]
    #[arg(long, value_name = "PROGRAM")]
    container_tool: Option<OsString>,
}

impl Image {
    pub(super) fn run(&self, console: &Console) -> Result<Outcome, Diagnostics> {
        let (Self::Build(arguments) | Self::Push(arguments)) = self;
        let image = &arguments.image;
        let tool = ContainerTool::new(arguments.container_tool.as_deref());
        let next = match self {
            Self::Build(_) => {
                let of = Deployment::of(&arguments.packages, console)?;
                let context = BuildContext::of(&of.project.dir)?;
                console.print_findings(&context.warnings());
                tool.build(image, &of.project.dir, &context.folder)?;
                "image push"
            }
            Self::Push(_) => {
                tool.push(image)?;
                "deploy"
            }
        };
        let flags = arguments.packages.flags();
        console.print_next_command(&format!("genclient {next} --image {image}{flags}"), false);
        Ok(Outcome::Fine)
    }
}

pub(super) const AFTER_RUN: &str = "Examples:
  genclient install && genclient run    against the cluster of the current context
  genclient run --in-process            without a cluster; prints the kubeconfig for kubectl
  genclient run -- --verbose            with a flag for the program";

/// A run of the program on this machine.
#[derive(Debug, clap::Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    packages: Packages,

    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE", conflicts_with = "in_process")]
    kubeconfig: Option<PathBuf>,

    /// Accepted only for an error with help: the flags of the program have no context.
    #[arg(
        long,
        value_name = "NAME",
        hide = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    context: Option<String>,

    /// Run against a local API server instead of a cluster, with the program's CRDs, roles and
    /// webhooks
    ///
    /// The API server is genclient-apiserver, with objects in memory. The program has the roles of
    /// its deployment, not those of an administrator.
    #[arg(long)]
    in_process: bool,

    /// Flags for the program
    #[arg(last = true)]
    flags: Vec<OsString>,
}

impl RunArguments {
    pub(super) fn run(&self, console: &Console) -> Result<Outcome, Diagnostics> {
        if let Some(context) = &self.context {
            return Err(self.refuse_context(context).into());
        }
        let mut of = Deployment::of(&self.packages, console)?;
        if self.in_process {
            of.model = manifests::called_by_service(&of.model, &of.deploy);
        }
        // A build takes minutes, so everything else that the program needs is checked before.
        if self.in_process {
            let source = path_dependency(&of.project.dir, cluster::SERVER);
            cluster::check_server(source.as_deref())?;
        } else if !self.sets("--kubeconfig") && !self.sets("--master") {
            cluster::check_kubeconfig(self.kubeconfig.as_deref())?;
        }
        let manifest = of.project.dir.join("Cargo.toml");
        let mut program = Program::new(&of.project.name, &manifest)?;
        // Otherwise the API server would call webhooks of a program that cargo still builds.
        program.build()?;
        if !self.in_process && !self.sets("--webhook-") {
            self.warn_of_webhooks(&of.model, console);
        }
        if !self.sets("--health-probe-bind-address") {
            // With `--in-process`, several programs may run at once. Port 0 gives each a free port.
            let address = if self.in_process {
                "127.0.0.1:0"
            } else {
                ":8081"
            };
            let flag = format!("--health-probe-bind-address={address}");
            program.flags.push(flag.into());
        }
        if of.deploy.namespaced && !self.sets("--namespace") {
            let flag = format!("--namespace={}", of.deploy.namespace);
            program.flags.push(flag.into());
        }
        let server = if self.in_process {
            Some(self.start_server(&of, &mut program, console)?)
        } else {
            self.use_cluster(&of, &mut program.flags);
            None
        };
        program.flags.extend(self.flags.iter().cloned());
        program.run(server)?;
        Ok(Outcome::Fine)
    }

    fn refuse_context(&self, context: &str) -> Diagnostic {
        let cluster = Cluster {
            kubeconfig: self.kubeconfig.clone(),
            ..Cluster::default()
        };
        let kubeconfig = cluster.flags();
        let (context, packages) = (typed(context), self.packages.flags());
        Diagnostic::error("the program runs in the current context only").help(format!(
            "switch to it: `kubectl{kubeconfig} config use-context {context} && genclient \
             run{packages}{kubeconfig}`"
        ))
    }

    /// Adds the flags for a run against a cluster. Webhooks are off by default, since no Service of
    /// the cluster can reach this machine.
    fn use_cluster(&self, of: &Deployment, flags: &mut Vec<OsString>) {
        if let Some(kubeconfig) = &self.kubeconfig {
            flags.extend(["--kubeconfig".into(), kubeconfig.into()]);
        }
        if self.needs_webhook_flags(of) {
            flags.push("--webhook-bind-address=0".into());
        }
    }

    /// Warns of webhooks that fail while the program runs here against a cluster without flags for
    /// webhooks.
    fn warn_of_webhooks(&self, model: &Model, console: &Console) {
        let kinds = manifests::converted_by_services(model);
        if !kinds.is_empty() {
            let kinds: Vec<_> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
            let finding = Diagnostic::warning(format!(
                "the API server calls a Service to convert {}, and the Service does not reach the \
                 program on this machine: unless the program is also deployed, only objects in the \
                 stored version can be read and written",
                kinds.join(", ")
            ));
            let help = "use `genclient run --in-process` or `genclient deploy`, or a URL in place \
                        of the Service: docs/webhooks.md#outside-of-the-cluster";
            console.print_findings(&finding.help(help).into());
        }
        let cluster = Cluster {
            kubeconfig: self.kubeconfig.clone(),
            ..Cluster::default()
        };
        let flags: String = self
            .flags
            .iter()
            .map(|flag| format!("{} ", typed(&flag.to_string_lossy())))
            .collect();
        for address in manifests::local_addresses(model) {
            let finding = Diagnostic::warning(format!(
                "the API server calls webhooks at https://{address}, and the program serves none \
                 without flags for them: requests that need these webhooks fail"
            ));
            let help = format!(
                "serve them: `genclient run{}{} -- {flags}--webhook-bind-address {address} \
                 --webhook-url https://{address}`",
                self.packages.flags(),
                cluster.flags()
            );
            console.print_findings(&finding.help(help).into());
        }
    }

    /// Starts an API server for the program, and adds the program's flags for a run against it.
    fn start_server(
        &self,
        of: &Deployment,
        program: &mut Program,
        console: &Console,
    ) -> Result<LocalServer, Diagnostics> {
        let address = cluster::free_address()?;
        let stated = self.value("--webhook-url");
        let url = match &stated {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("https://{address}"),
        };
        let objects = Documents::beside(&of.model, &of.deploy, &url).text();
        let server = program.start_server(&objects)?;
        let account = of.deploy.named("controller-manager");
        let kubeconfig = server.kubeconfig_of(&of.deploy.namespace, &account)?;
        let flags = &mut program.flags;
        flags.extend(["--kubeconfig".into(), kubeconfig.into()]);
        // The program's Role permits leader election only with the Lease of its deployment.
        if self.sets("--leader-elect") && !self.sets("--leader-elect-resource-name") {
            let lease = manifests::lease(&of.deploy);
            flags.push(format!("--leader-elect-resource-name={lease}").into());
        }
        if self.needs_webhook_flags(of) {
            flags.push(format!("--webhook-bind-address={address}").into());
            flags.push(format!("--webhook-url={url}").into());
        }
        // The program's Role permits only the Secret of its deployment.
        if self.needs_webhook_flags(of) || (stated.is_some() && !self.sets("--webhook-secret")) {
            let secret = manifests::webhook_secret(&of.deploy);
            flags.push(format!("--webhook-secret={secret}").into());
        }
        let kubeconfig = typed(&server.kubeconfig().display().to_string());
        console.say(&format!(
            "next, in another terminal: export KUBECONFIG={kubeconfig}"
        ));
        Ok(server)
    }

    /// Returns whether the program has webhooks, and the user has set no flag for them.
    fn needs_webhook_flags(&self, of: &Deployment) -> bool {
        manifests::serves_webhooks(&of.model, &of.deploy) && !self.sets("--webhook-")
    }

    /// Returns the value of a flag of the program that the user has set.
    fn value(&self, flag: &str) -> Option<String> {
        let flags: Vec<_> = self.flags.iter().map(|it| it.to_string_lossy()).collect();
        let place = flags.iter().position(|it| {
            it.strip_prefix(flag)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })?;
        match flags[place].split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => Some(flags.get(place + 1)?.to_string()),
        }
    }

    /// Returns whether the user has set a flag of the program with this prefix.
    fn sets(&self, flag: &str) -> bool {
        let mut flags = self.flags.iter();
        flags.any(|it| it.to_string_lossy().starts_with(flag))
    }
}
