//! Commands for the program itself: `image build`, `image push` and `run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use genclient_codegen::project::{BuildContext, path_dependency};
use genclient_codegen::{Diagnostic, Diagnostics, Model, manifests};

use super::console::{CommandOutcome, Console};
use super::render::Deployment;
use super::selection::Packages;
use crate::render::Documents;
use crate::shell::quote;
use crate::tools::{self, ContainerTool, Kubectl, LocalServer, Program};

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
    #[arg(long, value_name = "IMAGE", default_value = manifests::DEFAULT_IMAGE)]
    image: String,

    /// The container tool [default: docker or podman]
    #[arg(long, value_name = "PROGRAM")]
    container_tool: Option<OsString>,
}

impl Image {
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        let (Self::Build(arguments) | Self::Push(arguments)) = self;
        let image = &arguments.image;
        let tool = ContainerTool::new(arguments.container_tool.as_deref());
        let next = match self {
            Self::Build(_) => {
                let deployment = Deployment::resolve(&arguments.packages, console)?;
                let context = BuildContext::discover(&deployment.project.dir)?;
                console.print_findings(&context.warnings());
                tool.build(image, &deployment.project.dir, &context.folder)?;
                "image push"
            }
            Self::Push(_) => {
                tool.push(image)?;
                "deploy"
            }
        };
        let flags = arguments.packages.flags();
        console.print_next_command(&format!("genclient {next} --image {image}{flags}"), false);
        Ok(CommandOutcome::Fine)
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
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        if let Some(context) = &self.context {
            return Err(self.refuse_context(context).into());
        }
        let mut deployment = Deployment::resolve(&self.packages, console)?;
        if self.in_process {
            deployment.model =
                manifests::call_webhooks_by_service(&deployment.model, &deployment.deploy);
        }
        // A build takes minutes, so everything else that the program needs is checked before.
        if self.in_process {
            let source = path_dependency(&deployment.project.dir, tools::SERVER_PROGRAM);
            tools::check_server(source.as_deref())?;
        } else if !self.sets_flag("--kubeconfig") && !self.sets_flag("--master") {
            tools::check_kubeconfig(self.kubeconfig.as_deref())?;
        }
        let manifest = deployment.project.dir.join("Cargo.toml");
        let mut program = Program::new(&deployment.project.name, &manifest)?;
        // Otherwise the API server would call webhooks of a program that cargo still builds.
        program.build()?;
        if !self.in_process && !self.sets_flag("--webhook-") {
            self.warn_of_webhooks(&deployment.model, console);
        }
        if !self.sets_flag("--health-probe-bind-address") {
            // With `--in-process`, several programs may run at once. Port 0 gives each a free port.
            let address = if self.in_process {
                "127.0.0.1:0"
            } else {
                ":8081"
            };
            let flag = format!("--health-probe-bind-address={address}");
            program.flags.push(flag.into());
        }
        if deployment.deploy.namespaced && !self.sets_flag("--namespace") {
            let flag = format!("--namespace={}", deployment.deploy.namespace);
            program.flags.push(flag.into());
        }
        let server = if self.in_process {
            Some(self.start_server(&deployment, &mut program, console)?)
        } else {
            self.use_cluster(&deployment, &mut program.flags);
            None
        };
        program.flags.extend(self.flags.iter().cloned());
        program.run(server)?;
        Ok(CommandOutcome::Fine)
    }

    fn refuse_context(&self, context: &str) -> Diagnostic {
        let kubeconfig = self.kubeconfig_flag();
        let (context, packages) = (quote(context), self.packages.flags());
        Diagnostic::error("the program runs in the current context only").help(format!(
            "switch to it: `kubectl{kubeconfig} config use-context {context} && genclient \
             run{packages}{kubeconfig}`"
        ))
    }

    /// Returns the flag that selects the same kubeconfig, for a command that a message suggests.
    fn kubeconfig_flag(&self) -> String {
        Kubectl {
            kubeconfig: self.kubeconfig.clone(),
            ..Kubectl::default()
        }
        .flags()
    }

    /// Adds the flags for a run against a cluster. Webhooks are off by default, since no Service of
    /// the cluster can reach this machine.
    fn use_cluster(&self, deployment: &Deployment, flags: &mut Vec<OsString>) {
        if let Some(kubeconfig) = &self.kubeconfig {
            flags.extend(["--kubeconfig".into(), kubeconfig.into()]);
        }
        if self.needs_webhook_flags(deployment) {
            flags.push("--webhook-bind-address=0".into());
        }
    }

    /// Warns of webhooks that fail while the program runs here against a cluster without flags for
    /// webhooks.
    fn warn_of_webhooks(&self, model: &Model, console: &Console) {
        let kinds = manifests::kinds_converted_by_services(model);
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
        let flags: String = self
            .flags
            .iter()
            .map(|flag| format!("{} ", quote(&flag.to_string_lossy())))
            .collect();
        for address in manifests::local_webhook_addresses(model) {
            let finding = Diagnostic::warning(format!(
                "the API server calls webhooks at https://{address}, and the program serves none \
                 without flags for them: requests that need these webhooks fail"
            ));
            let help = format!(
                "serve them: `genclient run{}{} -- {flags}--webhook-bind-address {address} \
                 --webhook-url https://{address}`",
                self.packages.flags(),
                self.kubeconfig_flag()
            );
            console.print_findings(&finding.help(help).into());
        }
    }

    /// Starts an API server for the program, and adds the program's flags for a run against it.
    fn start_server(
        &self,
        deployment: &Deployment,
        program: &mut Program,
        console: &Console,
    ) -> Result<LocalServer, Diagnostics> {
        let address = tools::free_address()?;
        let webhook_url = self.flag_value("--webhook-url");
        let url = match &webhook_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("https://{address}"),
        };
        let objects =
            Documents::for_in_process_run(&deployment.model, &deployment.deploy, &url).to_yaml();
        let server = program.start_server(&objects)?;
        let account = deployment.deploy.named("controller-manager");
        let kubeconfig = server.write_kubeconfig_for(&deployment.deploy.namespace, &account)?;
        let flags = &mut program.flags;
        flags.extend(["--kubeconfig".into(), kubeconfig.into()]);
        // The program's Role permits leader election only with the Lease of its deployment.
        let needs_lease = self.sets_flag("--leader-elect") || self.sets_flag("--shard-by");
        if needs_lease && !self.sets_flag("--leader-elect-resource-name") {
            let lease = manifests::lease_name(&deployment.deploy);
            flags.push(format!("--leader-elect-resource-name={lease}").into());
        }
        if self.needs_webhook_flags(deployment) {
            flags.push(format!("--webhook-bind-address={address}").into());
            flags.push(format!("--webhook-url={url}").into());
        }
        // The program's Role permits only the Secret of its deployment.
        if self.needs_webhook_flags(deployment)
            || (webhook_url.is_some() && !self.sets_flag("--webhook-secret"))
        {
            let secret = manifests::webhook_secret(&deployment.deploy);
            flags.push(format!("--webhook-secret={secret}").into());
        }
        let kubeconfig = quote(&server.kubeconfig().display().to_string());
        console.say(&format!(
            "next, in another terminal: export KUBECONFIG={kubeconfig}"
        ));
        Ok(server)
    }

    /// Returns whether the program has webhooks, and the user has set no flag for them.
    fn needs_webhook_flags(&self, deployment: &Deployment) -> bool {
        manifests::serves_webhooks(&deployment.model, &deployment.deploy)
            && !self.sets_flag("--webhook-")
    }

    /// Returns the value of a flag of the program that the user has set.
    fn flag_value(&self, flag: &str) -> Option<String> {
        let flags: Vec<_> = self.flags.iter().map(|it| it.to_string_lossy()).collect();
        let index = flags.iter().position(|it| {
            it.strip_prefix(flag)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })?;
        match flags[index].split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => Some(flags.get(index + 1)?.to_string()),
        }
    }

    /// Returns whether the user has set a flag of the program with this prefix.
    fn sets_flag(&self, flag: &str) -> bool {
        let mut flags = self.flags.iter();
        flags.any(|it| it.to_string_lossy().starts_with(flag))
    }
}
