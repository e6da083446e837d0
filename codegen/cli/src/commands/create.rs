//! `genclient create api` and `genclient create webhook`: adding a kind or a webhook to a project.
//! On a terminal, the commands prompt for missing arguments.

use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};

use clap::Subcommand;
use genclient_codegen::{Diagnostic, Diagnostics};

use super::console::Console;
use super::init;
use super::selection::Packages;
use crate::scaffold::{
    CreateApi, CreateWebhook, ExistingProject, ExternalApi, RequestedKind, Scaffold,
};
use crate::shell::quote;

/// An addition to a project.
#[derive(Debug, Subcommand)]
pub(super) enum Create {
    /// Add a kind, its controller, or both, with a sample and a test
    ///
    /// Writes the type to `pkg/apis/<group>/<version>/<kind>.rs` and the controller to
    /// `pkg/controller/<kind>.rs`. Both are yours to edit. A second version of a kind starts as a
    /// copy of the first. A repeated command adds the files that are missing.
    #[command(after_long_help = "Examples:\n  \
        genclient create api --group webapp --version v1 --kind Guestbook\n  \
        genclient create api --group webapp --version v1 --kind Cluster --namespaced=false\n  \
        genclient create api --group webapp --version v1 --kind Guestbook --ssa              with apply configurations\n  \
        genclient create api --group apps --version v1 --kind Deployment --resource=false    for a kind of Kubernetes\n  \
        genclient create api --group cert-manager --external-api-domain io --version v1 --kind Certificate \\\n      \
        --external-api-path certificates::v1                                               for a kind in another crate")]
    Api(ApiArguments),
    /// Add defaulting, validation or conversion of a kind, with a test
    #[command(after_long_help = "Examples:\n  \
        genclient create webhook --group webapp --version v1 --kind Guestbook --defaulting --programmatic-validation\n  \
        genclient create webhook --group webapp --version v2 --kind Guestbook --conversion --spoke v1\n  \
        genclient create webhook --group core --version v1 --kind Pod --defaulting       for a kind of Kubernetes\n  \
        genclient create webhook --group cert-manager --external-api-domain io --version v1 --kind Certificate \\\n      \
        --external-api-path certificates::v1 --programmatic-validation                 for a kind in another crate")]
    Webhook(WebhookArguments),
}

/// The kind that a command adds code for.
#[derive(Debug, clap::Args)]
struct KindArguments {
    /// The group of the kind, without the domain of the project
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// The version of the kind
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// The kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// The path of the type's module in the crate of another project: `certificates::v1`
    #[arg(long, value_name = "PATH")]
    external_api_path: Option<String>,

    /// The domain of the group, for a kind of another project
    #[arg(long, value_name = "DOMAIN", requires = "external_api_path")]
    external_api_domain: Option<String>,

    /// The Go module of another project, which is ignored: a crate is found by its name
    #[arg(long, value_name = "MODULE", hide = true)]
    external_api_module: Option<String>,

    #[command(flatten)]
    packages: Packages,

    /// Print the files that would be written, without writing them
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[command(mut_args(init::as_switch))]
pub(super) struct ApiArguments {
    #[command(flatten)]
    identity: KindArguments,

    /// The plural of the kind in lower case [default: the regular plural]
    #[arg(long, value_name = "PLURAL")]
    plural: Option<String>,

    /// Write the type [default: prompt on a terminal, else yes, but no for a kind that exists, or
    /// in a group of Kubernetes such as `core`]
    #[arg(long, value_name = "BOOL")]
    resource: Option<bool>,

    /// Write a controller [default: prompt on a terminal, else yes, but no for a new version of a
    /// kind]
    #[arg(long, value_name = "BOOL")]
    controller: Option<bool>,

    /// The name of the controller, needed for a second controller of a kind
    #[arg(long, value_name = "NAME")]
    controller_name: Option<String>,

    /// Whether the kind is namespaced [default: yes, or as in its other version]
    #[arg(long, value_name = "BOOL")]
    namespaced: Option<bool>,

    /// Generate apply configurations, with which the controller of a new kind applies the status;
    /// with `--ssa=false`, it replaces the status [default: as in Cargo.toml, else no]
    #[arg(long, value_name = "BOOL")]
    ssa: Option<bool>,
}

#[derive(Debug, clap::Args)]
#[command(mut_args(init::as_switch))]
pub(super) struct WebhookArguments {
    #[command(flatten)]
    identity: KindArguments,

    /// Add a mutating webhook that sets defaults
    #[arg(long, value_name = "BOOL")]
    defaulting: Option<bool>,

    /// Add a validating webhook
    #[arg(long, value_name = "BOOL")]
    programmatic_validation: Option<bool>,

    /// Add conversion between the versions of the kind; `--version` is the storage version
    #[arg(long, value_name = "BOOL")]
    conversion: Option<bool>,

    /// A version to convert to and from the storage version; may be repeated [default: all others]
    #[arg(
        long,
        value_name = "VERSION",
        value_delimiter = ',',
        requires = "conversion"
    )]
    spoke: Vec<String>,
}

impl Create {
    pub(super) fn run(&self, console: &Console) -> Result<(), Diagnostics> {
        match self {
            Self::Api(arguments) => arguments.run(console),
            Self::Webhook(arguments) => arguments.run(console),
        }
    }
}

impl ApiArguments {
    fn run(&self, console: &Console) -> Result<(), Diagnostics> {
        let typed = self
            .identity
            .typed(self.plural.as_deref(), "api", console)?;
        let controller = self.controller_name.as_deref();
        let mut existing = self.identity.existing(&typed, controller)?;
        existing.project.apply_configurations |= self.ssa == Some(true);
        let (has_type, has_controller) = existing.may_need_type_and_controller(&typed);
        let resource = match typed.external {
            Some(_) => self.resource.unwrap_or(false),
            None => Question("Write the type of the kind?").answer(self.resource, has_type)?,
        };
        let api = CreateApi {
            resource,
            controller: Question("Write a controller?").answer(self.controller, has_controller)?,
            controller_name: self.controller_name.clone(),
            namespaced: self.namespaced,
            ssa: self.ssa,
            typed,
        };
        self.identity.put(&api.plan(&existing)?, &existing, console)
    }
}

impl WebhookArguments {
    fn run(&self, console: &Console) -> Result<(), Diagnostics> {
        if self.conversion == Some(false) && !self.spoke.is_empty() {
            let conflict = Diagnostic::error("`--spoke` conflicts with `--conversion=false`");
            return Err(conflict.help("remove one of them").into());
        }
        let webhook = CreateWebhook {
            typed: self.identity.typed(None, "webhook", console)?,
            defaulting: self.defaulting == Some(true),
            validation: self.programmatic_validation == Some(true),
            conversion: self.conversion == Some(true),
            spokes: self.spoke.clone(),
        };
        let existing = self.identity.existing(&webhook.typed, None)?;
        self.identity
            .put(&webhook.plan(&existing)?, &existing, console)
    }
}

impl KindArguments {
    /// Returns the kind. On a terminal, prompts for a missing group, version or kind.
    fn typed(
        &self,
        plural: Option<&str>,
        command: &str,
        console: &Console,
    ) -> Result<RequestedKind, Diagnostics> {
        if self.external_api_module.is_some() {
            console.say("--external-api-module is ignored: a crate is found by its name");
        }
        let path = self.external_api_path.clone();
        let external = path.map(|path| ExternalApi {
            path,
            domain: self.external_api_domain.clone(),
        });
        let asked = [
            ("group", &self.group),
            ("version", &self.version),
            ("kind", &self.kind),
        ];
        let [group, version, kind] = prompt_for_missing(asked, command)?;
        Ok(RequestedKind {
            group,
            version,
            kind,
            plural: plural.map(str::to_owned),
            external,
        })
    }

    /// Returns the project that the command adds files to.
    fn existing(
        &self,
        typed: &RequestedKind,
        controller: Option<&str>,
    ) -> Result<ExistingProject, Diagnostics> {
        ExistingProject::load(self.packages.only_package_to_extend()?, typed, controller)
    }

    /// Writes the files and runs the generator, with [`init::write_scaffold`].
    fn put(
        &self,
        tree: &Scaffold,
        existing: &ExistingProject,
        console: &Console,
    ) -> Result<(), Diagnostics> {
        existing.check_with(tree)?;
        let next = format!("cargo test{}", self.packages.flags());
        init::write_scaffold(tree, &self.packages, self.dry_run, &next, console)
    }
}

/// Yes/no question.
struct Question(&'static str);

impl Question {
    /// Returns the answer: the flag if it was set, else the user's input on a terminal, else the
    /// default.
    fn answer(&self, typed: Option<bool>, default: bool) -> Result<bool, Diagnostics> {
        if let Some(typed) = typed {
            return Ok(typed);
        }
        if !is_terminal() {
            return Ok(default);
        }
        let choice = if default { "[Y/n]" } else { "[y/N]" };
        loop {
            match read_answer(&format!("{} {choice} ", self.0))?
                .to_lowercase()
                .as_str()
            {
                "" => return Ok(default),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => {}
            }
        }
    }
}

/// Returns the values of flags. On a terminal, prompts for missing values.
///
/// # Errors
///
/// Flags are missing, and there is no terminal or the answer cannot be read.
fn prompt_for_missing<const N: usize>(
    flags: [(&str, &Option<String>); N],
    command: &str,
) -> Result<[String; N], Diagnostics> {
    let absent: Vec<_> = flags.iter().filter(|(_, value)| value.is_none()).collect();
    if !absent.is_empty() && !is_terminal() {
        let names: Vec<_> = absent
            .iter()
            .map(|(name, _)| format!("`--{name}`"))
            .collect();
        let complete: Vec<_> = flags
            .iter()
            .map(|(name, value)| match value {
                Some(value) => format!("--{name} {}", quote(value)),
                None => format!("--{name} {}", example_value(name)),
            })
            .collect();
        return Err(
            Diagnostic::error(format!("missing arguments: {}", names.join(", ")))
                .help(format!(
                    "run `genclient create {command} {}`",
                    complete.join(" ")
                ))
                .into(),
        );
    }
    let mut values = [const { String::new() }; N];
    for ((name, value), to) in flags.into_iter().zip(&mut values) {
        *to = match value {
            Some(value) => value.clone(),
            None => read_answer(&format!("{name}: "))?,
        };
    }
    Ok(values)
}

/// Returns an example for a flag of `create`.
fn example_value(flag: &str) -> &'static str {
    match flag {
        "group" => "webapp",
        "version" => "v1",
        _ => "Guestbook",
    }
}

fn is_terminal() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Reads a line from the terminal.
fn read_answer(prompt: &str) -> Result<String, Diagnostics> {
    let unread = |error: std::io::Error| {
        Diagnostics::from(
            Diagnostic::error(format!("cannot read the answer: {error}"))
                .help("pass it as a flag; `--help` lists the flags"),
        )
    };
    let _ = write!(stderr(), "{prompt}");
    let mut answer = String::new();
    if stdin().lock().read_line(&mut answer).map_err(unread)? == 0 {
        let ended = Diagnostic::error("no answer: the input ended");
        return Err(ended
            .help("pass it as a flag; `--help` lists the flags")
            .into());
    }
    Ok(answer.trim().to_owned())
}
