//! `genclient migrate`: rewrites the objects of kinds in their storage version.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use genclient_apimachinery::storage_migration::{
    Definition, End, FailedObject, FailureReason, Migration, ObjectFailure, Options, Outcome,
    Permission, Refusal, Step,
};
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_syntax::closest;

use super::console::{CommandOutcome, Console, print_data};
use super::deploy::ClusterSelection;
use super::kinds::{DefinedKind, DefinedKinds};
use crate::shell::quote;
use crate::tools::{Kubectl, KubectlProxy};

pub(super) const AFTER_HELP: &str = "Examples:
  genclient migrate                                every kind of the package
  genclient migrate Guestbook --dry-run            check that every object can be rewritten
  genclient migrate guestbooks.webapp.example.com  a kind by the name of its CRD, without a package";

/// Maximum number of concurrent writes.
const CONCURRENCY: usize = 16;

/// Time between two reports of the progress.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

/// Time that requests in progress have after a signal.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time between two looks for a signal.
const SIGNAL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of failed objects that are reported by name.
const REPORTED_FAILURES: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct MigrateArguments {
    /// A kind, its plural, or the name of its CRD [default: all kinds of the package]
    #[arg(value_name = "KIND")]
    kinds: Vec<String>,

    #[command(flatten)]
    cluster: ClusterSelection,

    /// Check that every object can be rewritten, without changing one
    #[arg(long)]
    dry_run: bool,
}

/// A kind to migrate.
struct Target {
    /// The name of the CRD.
    crd: String,
    /// The storage version of the types, if the kind belongs to the package.
    storage: Option<String>,
}

impl From<&DefinedKind> for Target {
    fn from(kind: &DefinedKind) -> Self {
        Self {
            crd: kind.crd.clone(),
            storage: kind.storage.clone(),
        }
    }
}

impl MigrateArguments {
    /// Migrates the kinds one after the other. Prints a line for each.
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        let targets = self.targets(console)?;
        let kubectl = self.cluster.kubectl(&self.command());
        kubectl.check()?;
        // One connection more, for the list.
        let mut proxy = KubectlProxy::start(&kubectl, CONCURRENCY + 1)?;
        let (mut is_complete, mut is_needed) = (true, false);
        for target in targets {
            let migrated = self.migrate(&target, &mut proxy, console);
            let report = Report {
                crd: &target.crd,
                kubectl: &kubectl,
                is_dry_run: self.dry_run,
                outcome: migrated.outcome,
            };
            if let Some(code) = migrated.interrupted {
                console.say(&report.interruption());
                proxy.exit(code);
            }
            let errors = report.errors();
            if errors.is_empty() {
                is_needed |= report.outcome.progress.finished() > 0;
                if !console.quiet {
                    print_data(&format!("{}\n", report.success()))?;
                }
                continue;
            }
            is_complete = false;
            for error in errors {
                console.print_findings(&error.into());
            }
            if let Some(line) = report.incomplete() {
                console.print_summary(&line);
            }
            if matches!(report.outcome.end, End::Stopped(_)) {
                break;
            }
        }
        if !is_complete {
            return Ok(CommandOutcome::Incomplete);
        }
        if self.dry_run && is_needed {
            console.print_end_of_dry_run();
        }
        Ok(CommandOutcome::Fine)
    }

    /// The command that the user typed, without the flags that select packages and a cluster.
    fn command(&self) -> String {
        let kinds = self.kinds.iter().map(|kind| format!(" {}", quote(kind)));
        format!("migrate{}", kinds.collect::<String>())
    }

    /// Finds the kinds by their names. The name of a CRD, which has dots, needs no package.
    fn targets(&self, console: &Console) -> Result<Vec<Target>, Diagnostics> {
        let is_full = |name: &String| name.contains('.');
        let needs_package = self.kinds.is_empty() || !self.kinds.iter().all(is_full);
        let defined = if needs_package {
            DefinedKinds::resolve(&self.cluster.packages, console)?.kinds
        } else {
            Vec::new()
        };
        let mut targets = Vec::new();
        for name in &self.kinds {
            // Kinds of several groups may have the name.
            let named: Vec<_> = defined.iter().filter(|kind| kind.is_named(name)).collect();
            if !named.is_empty() {
                targets.extend(named.into_iter().map(Target::from));
            } else if is_full(name) {
                targets.push(Target {
                    crd: name.clone(),
                    storage: None,
                });
            } else {
                return Err(unknown_kind(name, &defined));
            }
        }
        if self.kinds.is_empty() {
            targets.extend(defined.iter().map(Target::from));
        }
        targets.sort_by(|one, other| one.crd.cmp(&other.crd));
        targets.dedup_by(|one, other| one.crd == other.crd);
        Ok(targets)
    }

    /// Sends the requests of a migration until it ends or a signal arrives.
    fn migrate(&self, target: &Target, proxy: &mut KubectlProxy, console: &Console) -> Migrated {
        let options = Options {
            dry_run: self.dry_run,
            expected_storage: target.storage.clone(),
            concurrency: CONCURRENCY,
            review_permissions: true,
        };
        let mut migration = Migration::new(target.crd.clone(), options);
        let mut reported = (Instant::now(), 0);
        let mut is_wait_reported = false;
        let mut interrupted = None;
        loop {
            if let Some(code) = proxy.interrupted() {
                interrupted.get_or_insert((code, Instant::now()));
                migration.interrupt();
            }
            if interrupted.is_some_and(|(_, since)| since.elapsed() > INTERRUPT_TIMEOUT) {
                break;
            }
            let now = since_epoch();
            match migration.next(now) {
                Step::Send(request) => proxy.send(request),
                Step::Wait(until) => {
                    let wait = until.map(|until| until.saturating_sub(now));
                    let wait = wait
                        .unwrap_or(SIGNAL_POLL_INTERVAL)
                        .min(SIGNAL_POLL_INTERVAL);
                    if let Some((id, answer)) = proxy.answer(wait) {
                        migration.answer(id, answer, since_epoch());
                    }
                }
                Step::Done => break,
            }
            if reported.0.elapsed() < REPORT_INTERVAL {
                continue;
            }
            let (crd, progress) = (&target.crd, migration.progress());
            let (finished, total) = (progress.finished(), progress.total());
            if finished > reported.1 {
                console.say(&format!("{crd}: {finished} of about {total}"));
                reported = (Instant::now(), finished);
            } else if migration.waits_for_api_servers() && !is_wait_reported {
                console.say(&format!(
                    "{crd}: waiting until every API server has noticed the change of its versions"
                ));
                is_wait_reported = true;
            }
        }
        Migrated {
            outcome: migration.into_outcome(),
            interrupted: interrupted.map(|(code, _)| code),
        }
    }
}

/// A migration that has ended.
struct Migrated {
    outcome: Outcome,
    /// The exit code for this process, after a signal.
    interrupted: Option<i32>,
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn unknown_kind(name: &str, defined: &[DefinedKind]) -> Diagnostics {
    let kinds = || defined.iter().map(|kind| kind.kind.as_str());
    let help = match closest(name, kinds()) {
        Some(kind) => format!("did you mean `{kind}`?"),
        None => format!(
            "the package defines {}; write a kind of another one as the name of its CRD",
            kinds().collect::<Vec<_>>().join(", ")
        ),
    };
    Diagnostic::error(format!("unknown kind `{name}`"))
        .help(help)
        .into()
}

/// The messages about a migration.
struct Report<'a> {
    crd: &'a str,
    kubectl: &'a Kubectl,
    is_dry_run: bool,
    outcome: Outcome,
}

impl Report<'_> {
    fn storage(&self) -> &str {
        let definition = self.outcome.definition.as_ref();
        definition.map_or("", |definition| &definition.storage)
    }

    fn interruption(&self) -> String {
        let progress = self.outcome.progress;
        let again = self.again();
        match (progress.finished(), progress.total()) {
            (0, _) => format!("interrupted before the first object: {again}"),
            (finished, total) => {
                format!("interrupted after {finished} of about {total} objects: {again}")
            }
        }
    }

    /// What to do after an early end.
    fn again(&self) -> &'static str {
        if self.is_dry_run {
            "run the same command again"
        } else {
            "run the same command again: it continues where this one has ended"
        }
    }

    /// The predicate about objects that have failed. `verb` is `is` or `are`.
    fn failed(&self, verb: &str) -> String {
        if self.is_dry_run {
            "cannot be rewritten".to_owned()
        } else {
            format!("{verb} not rewritten")
        }
    }

    /// The end of a line about a dry run.
    fn unchecked(&self) -> String {
        match self.outcome.progress.unchecked {
            0 => String::new(),
            count => format!(
                "; {count} are not checked, since an admission webhook does not support dry runs"
            ),
        }
    }

    /// The line about a migration without errors.
    fn success(&self) -> String {
        let (crd, storage, progress) = (self.crd, self.storage(), self.outcome.progress);
        let (stored, written, gone) = (progress.stored, progress.written, progress.gone);
        match self.outcome.end {
            End::Checked if written > 0 || progress.unchecked > 0 => format!(
                "{crd}: {written} objects can be rewritten as {storage}{}",
                self.unchecked()
            ),
            End::Migrated if gone > 0 => format!(
                "{crd}: {stored} objects stored as {storage} ({written} rewritten, {gone} deleted \
                 meanwhile); status.storedVersions: {storage}"
            ),
            End::Migrated => format!(
                "{crd}: {stored} objects stored as {storage} ({written} rewritten); \
                 status.storedVersions: {storage}"
            ),
            _ => format!("{crd}: every object is stored as {storage}"),
        }
    }

    /// The last line about a migration with failed objects.
    fn incomplete(&self) -> Option<String> {
        if self.outcome.end != End::Failed {
            return None;
        }
        let definition = self.outcome.definition.as_ref()?;
        let progress = self.outcome.progress;
        let total = progress.total();
        if self.is_dry_run {
            return Some(format!(
                "{} of {total} objects cannot be rewritten as {}{}",
                progress.failed,
                definition.storage,
                self.unchecked()
            ));
        }
        Some(format!(
            "{} of {total} objects are stored as {}; status.storedVersions stays {}",
            progress.stored,
            definition.storage,
            definition.stored.join(", ")
        ))
    }

    fn errors(&self) -> Vec<Diagnostic> {
        let crd = self.crd;
        match &self.outcome.end {
            End::Migrated | End::NothingToDo | End::Checked | End::Interrupted => Vec::new(),
            End::Failed => self.object_errors(),
            End::Refused(refusal) => vec![self.refusal(refusal)],
            End::Forbidden(permissions) => permissions.iter().map(|it| self.missing(it)).collect(),
            End::Changed => {
                let finding = format!("{crd} was changed during the migration");
                vec![Diagnostic::error(finding).help("run the same command again")]
            }
            End::Stopped(message) => {
                let finished = self.outcome.progress.finished();
                let finding = format!(
                    "the migration of {crd} has stopped after {finished} objects: {message}"
                );
                vec![Diagnostic::error(finding).help(self.again())]
            }
        }
    }

    fn object_errors(&self) -> Vec<Diagnostic> {
        let reported = self.outcome.failures.iter().take(REPORTED_FAILURES);
        let mut errors: Vec<_> = reported.map(|failure| self.object_error(failure)).collect();
        let others = self.outcome.progress.failed - errors.len() as u64;
        if others > 0 {
            let (crd, failed) = (self.crd, self.failed("are"));
            let finding = format!("{others} other objects of {crd} {failed}");
            let help = "fix the objects above, then run the same command again";
            errors.push(Diagnostic::error(finding).help(help));
        }
        errors
    }

    fn refusal(&self, refusal: &Refusal) -> Diagnostic {
        let crd = self.crd;
        let flags = self.kubectl.flags();
        let (finding, help) = match refusal {
            Refusal::NotInstalled => (
                format!("{crd} is not installed in the cluster"),
                format!("install the CRDs of a package: `genclient install{flags}`"),
            ),
            Refusal::BeingDeleted => (
                format!("{crd} is being deleted, and every object of it"),
                format!("to keep the kind, wait until it is gone, then `genclient install{flags}`"),
            ),
            Refusal::NotEstablished(message) => (
                format!("the API server does not serve {crd}: {message}"),
                format!("see its conditions: `kubectl{flags} describe crd {crd}`"),
            ),
            Refusal::NothingServed => (
                format!("no version of {crd} is served"),
                format!(
                    "remove `unserved` from the attributes of a version, then `genclient \
                     install{flags}`"
                ),
            ),
            Refusal::OtherStorage { cluster, types } => (
                format!(
                    "the cluster stores {crd} as {cluster}, but the types of the package as {types}"
                ),
                format!("install the CRDs first: `genclient install{flags}`"),
            ),
        };
        Diagnostic::error(finding).help(help)
    }

    fn missing(&self, permission: &Permission) -> Diagnostic {
        let Permission {
            verb,
            group,
            resource,
            name,
        } = permission;
        let (resource_name, subresource) = match resource.split_once('/') {
            Some((resource, subresource)) => (resource, format!("/{subresource}")),
            None => (resource.as_str(), String::new()),
        };
        let place = match name {
            Some(name) => format!("{resource_name}.{group}{subresource} {name}"),
            None => format!("{resource_name}.{group}{subresource} in all namespaces"),
        };
        Diagnostic::error(format!("the user may not {verb} {place}")).help(format!(
            "allow it by a rule of a ClusterRole: `- {{apiGroups: [{group}], resources: [{resource}], \
             verbs: [{verb}]}}`; `kubectl{} auth whoami` shows the user",
            self.kubectl.flags()
        ))
    }

    fn object_error(&self, failure: &ObjectFailure) -> Diagnostic {
        let (crd, message) = (self.crd, &failure.message);
        let (namespace, name) = match &failure.object {
            FailedObject::Named(namespace, name) => (namespace.as_deref(), name),
            FailedObject::After(last) => return self.unreadable(last.as_deref(), message),
        };
        let object = match namespace {
            Some(namespace) => format!("{namespace}/{name} of {crd}"),
            None => format!("{name} of {crd}"),
        };
        let address = self.address(namespace, name, failure);
        let flags = self.kubectl.flags();
        let (finding, help) = match failure.reason {
            FailureReason::Conversion => (
                format!(
                    "{object} cannot be converted to {}: {message}",
                    self.storage()
                ),
                // The API server refuses every write of such an object, and its deletion, since it
                // converts the state in its watch cache (`GuaranteedUpdate`, cacher.go).
                format!(
                    "fix the conversion webhook, then run the same command again: `kubectl{flags} get \
                     {address} -o yaml` shows the object"
                ),
            ),
            FailureReason::Admission => (
                format!("{object} is refused: {message}"),
                format!(
                    "change the object or what refuses it, then run the same command again: \
                     `kubectl{flags} get {address} -o yaml` shows the object"
                ),
            ),
            FailureReason::Invalid => (
                format!("{object} is refused: {message}"),
                format!("fix it: `kubectl{flags} edit {address}`, then run the same command again"),
            ),
            FailureReason::Server if message.contains("failed calling webhook") => (
                format!("{object} {}: {message}", self.failed("is")),
                format!(
                    "fix the webhook, then run the same command again: `kubectl{flags} get \
                     mutatingwebhookconfigurations,validatingwebhookconfigurations` lists the \
                     configurations that name it"
                ),
            ),
            FailureReason::Contended | FailureReason::Server => (
                format!("{object} {}: {message}", self.failed("is")),
                "run the same command again".to_owned(),
            ),
        };
        Diagnostic::error(finding).help(help)
    }

    /// An object that no version can represent has no name.
    fn unreadable(&self, last: Option<&str>, message: &str) -> Diagnostic {
        let object = match last {
            Some(last) => format!("the object of {} after {last}", self.crd),
            None => format!("the first object of {}", self.crd),
        };
        let finding = format!("{object} cannot be read in any version: {message}");
        let result = if self.is_dry_run {
            "checked"
        } else {
            "rewritten"
        };
        Diagnostic::error(finding).help(format!(
            "fix the conversion webhook, whose log may name the object, then run the same command \
             again: the objects after it are not {result}"
        ))
    }

    /// The arguments that name the object to kubectl. An object that cannot be converted is
    /// readable in another version: the one that it is stored as.
    fn address(&self, namespace: Option<&str>, name: &str, failure: &ObjectFailure) -> String {
        let definition = self.outcome.definition.as_ref();
        let other = definition.and_then(|definition| other_version(definition, failure));
        let version = other.unwrap_or(&failure.version);
        let (plural, group) = self.crd.split_once('.').unwrap_or((self.crd, ""));
        let flag = namespace.map(|it| format!(" -n {it}")).unwrap_or_default();
        format!("{plural}.{version}.{group} {name}{flag}")
    }
}

fn other_version<'a>(definition: &'a Definition, failure: &ObjectFailure) -> Option<&'a str> {
    let is_conversion = failure.reason == FailureReason::Conversion;
    let mut others = definition
        .served
        .iter()
        .filter(|it| **it != failure.version);
    others.next().filter(|_| is_conversion).map(String::as_str)
}
