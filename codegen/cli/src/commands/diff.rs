//! `genclient diff`: report of changes between two sets of CRDs, and whether they break users.

mod report;

use genclient_codegen::project::Chosen;
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_diff::{Allowance, Change, Definition};

use super::console::{Console, MessageFormat, print};
use super::outcome::Outcome;
use super::selection::{Packages, allowances};
use crate::crd_source::{self, Source};

/// The arguments of `genclient diff`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    packages: Packages,

    /// The CRDs that users have: a git revision, a folder or a file of CRD YAML, or `-` for stdin
    old: String,

    /// The CRDs that users would get [default: the CRDs of the current types]
    new: Option<String>,

    /// Count changes that may break clients as breaking: new enum values, wider types and limits
    #[arg(long)]
    strict: bool,
}

pub(super) const AFTER_HELP: &str = "\
Examples:
  genclient diff main                   the current types against the CRDs of the branch `main`
  genclient diff main...                the current types against the merge base of `main` and HEAD
  genclient diff v1.2.0 v1.3.0          two releases
  genclient diff HEAD~3 -p api          one package of the workspace
  genclient diff v1.2.0:deploy/crds     CRDs in another folder, whose path starts at the repository's root
  genclient diff old.yaml new/          a file against a folder
  kubectl get crd -o yaml | genclient diff - config/crd   the CRDs of a cluster
  genclient diff main --strict          new enum values count as breaking
  genclient diff main -q                only breaking changes that are not allowed
  genclient diff main --message-format json   one JSON object per line, for tools

An argument that names an existing file or folder is read as such, any other argument as a revision. `refs/heads/main` is
the branch `main`, even if there is a folder `main`. The Cargo.toml files of a revision set the folders of its packages and
CRDs (default: `config/crd`), so packages that were moved or removed later are found. Documents that are not CRDs are
skipped.

Allow an intended breaking change in Cargo.toml. `diff` still prints the change, but does not fail:
  [package.metadata.genclient]
  diff-allow = [{ crd = \"gputasks.falldio.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"nobody set it\" }]

docs/diff.md lists the changes by name.

Exit status: 0 no breaking changes, 1 breaking changes, 2 error.";

impl Arguments {
    pub(super) fn run(&self, console: &Console) -> Result<Outcome, Diagnostics> {
        let (old, new) = Source::pair(&self.old, self.new.as_deref())?;
        let chosen = self.chosen(old.needs_packages() || new.needs_packages())?;
        let with_old = |old: &str| self.command(old, self.new.as_deref());
        let with_new = |new: &str| self.command(&self.old, Some(new));
        let before = crd_source::read(&old, chosen.as_ref(), &with_old)?;
        let after = crd_source::read(&new, chosen.as_ref(), &with_new)?;
        if before.is_empty() {
            if after.is_empty() {
                return Err(crd_source::no_definitions(&old, &new));
            }
            console.print_findings(&crd_source::no_old_definitions(&old));
        }
        let mut changes = genclient_diff::compare(&before, &after);
        if self.strict {
            genclient_diff::mark_strict(&mut changes);
        }
        let allowances = chosen.as_ref().map_or(Ok(Vec::new()), allowances)?;
        let idle = genclient_diff::mark_allowed(&mut changes, &allowances);
        let known = |allowance: &&&Allowance| {
            new == Source::Current || has(&before, allowance) || has(&after, allowance)
        };
        for allowance in idle.iter().filter(known) {
            console.print_findings(&unused_allowance(allowance, &changes).into());
        }
        if console.message_format == MessageFormat::Json {
            genclient_diff::locate(&mut changes, &before, &after);
        }
        show(changes, console)
    }

    /// Returns this command with other sets of CRDs to compare.
    fn command(&self, old: &str, new: Option<&str>) -> String {
        let new = new.map(|new| format!(" {new}")).unwrap_or_default();
        let strict = if self.strict { " --strict" } else { "" };
        format!("genclient diff {old}{new}{strict}{}", self.packages.flags())
    }

    /// Returns the selected packages, or `None` if there are none. Their absence is an error if the
    /// comparison needs packages (`needed`) or the user named some. Errors in manifests are always
    /// returned.
    fn chosen(&self, needed: bool) -> Result<Option<Chosen>, Diagnostics> {
        match self.packages.choose() {
            Ok(chosen) => Ok(Some(chosen)),
            Err(wrong) if needed || self.packages.are_named() || has_place(&wrong) => Err(wrong),
            Err(_) => Ok(None),
        }
    }
}

fn show(mut changes: Vec<Change>, console: &Console) -> Result<Outcome, Diagnostics> {
    if console.quiet {
        changes.retain(Change::fails);
    }
    print(&match console.message_format {
        MessageFormat::Human => report::human(&changes),
        MessageFormat::Json => report::json_lines(&changes),
    })?;
    console.say(&report::summary(&changes));
    let breaks = changes.iter().any(Change::fails);
    Ok(if breaks {
        Outcome::Breaking
    } else {
        Outcome::Fine
    })
}

/// Returns whether an error has a location. Such an error is in a manifest that exists.
fn has_place(wrong: &Diagnostics) -> bool {
    wrong.iter().any(|finding| finding.location.is_some())
}

fn has(definitions: &[Definition], allowance: &Allowance) -> bool {
    definitions.iter().any(|one| one.name == allowance.crd)
}

fn unused_allowance(allowance: &Allowance, changes: &[Change]) -> Diagnostic {
    let mut failing = changes.iter().filter(|change| change.fails());
    let help = match failing.find(|change| allowance.is_at(change)) {
        Some(change) => format!("did you mean `{}`?", change.kind.id),
        None => "remove it, or copy the path and the change from the output of `genclient diff`"
            .to_owned(),
    };
    let place = allowance
        .path
        .as_deref()
        .map(|path| format!(" at {path}"))
        .unwrap_or_default();
    Diagnostic::warning(format!(
        "`diff-allow` allows `{}`{place} of {}, but there is no such breaking change",
        allowance.change, allowance.crd
    ))
    .help(help)
}
