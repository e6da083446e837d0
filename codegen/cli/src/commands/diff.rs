//! `genclient diff`: report of changes between two sets of CRDs, and whether they break users.

use std::fmt::Write;

use genclient_codegen::project::SelectedPackages;
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_diff::{Allowance, Change, Definition, Side};
use serde_json::Value;

use super::console::{CommandOutcome, Console, MessageFormat, print_data};
use super::selection::{Packages, read_allowances};
use crate::crd_source::{self, CrdSource};

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
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        let (old, new) = CrdSource::pair(&self.old, self.new.as_deref())?;
        let chosen = self.chosen(old.needs_packages() || new.needs_packages())?;
        let with_old = |old: &str| self.command(old, self.new.as_deref());
        let with_new = |new: &str| self.command(&self.old, Some(new));
        let before = crd_source::read_definitions(&old, chosen.as_ref(), &with_old)?;
        let after = crd_source::read_definitions(&new, chosen.as_ref(), &with_new)?;
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
        let allowances = chosen.as_ref().map_or(Ok(Vec::new()), read_allowances)?;
        let unused = genclient_diff::mark_allowed(&mut changes, &allowances);
        let known = |allowance: &&&Allowance| {
            new == CrdSource::Current || defines(&before, allowance) || defines(&after, allowance)
        };
        for allowance in unused.iter().filter(known) {
            console.print_findings(&unused_allowance(allowance, &changes).into());
        }
        if console.message_format != MessageFormat::Human {
            genclient_diff::locate(&mut changes, &before, &after);
        }
        print_changes(changes, console)
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
    fn chosen(&self, needed: bool) -> Result<Option<SelectedPackages>, Diagnostics> {
        match self.packages.choose() {
            Ok(chosen) => Ok(Some(chosen)),
            Err(wrong) if needed || self.packages.are_named() || has_location(&wrong) => Err(wrong),
            Err(_) => Ok(None),
        }
    }
}

fn print_changes(
    mut changes: Vec<Change>,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    if console.quiet {
        changes.retain(Change::fails);
    }
    print_data(&match console.message_format {
        MessageFormat::Human => format_human(&changes),
        MessageFormat::Json | MessageFormat::JsonLines => format_json_lines(&changes),
    })?;
    console.say(&summarize(&changes));
    let breaks = changes.iter().any(Change::fails);
    Ok(if breaks {
        CommandOutcome::Breaking
    } else {
        CommandOutcome::Fine
    })
}

/// Returns whether an error has a location. Such an error is in a manifest that exists.
fn has_location(wrong: &Diagnostics) -> bool {
    wrong.iter().any(|finding| finding.location.is_some())
}

fn defines(definitions: &[Definition], allowance: &Allowance) -> bool {
    definitions.iter().any(|one| one.name == allowance.crd)
}

fn unused_allowance(allowance: &Allowance, changes: &[Change]) -> Diagnostic {
    let mut failing = changes.iter().filter(|change| change.fails());
    let help = match failing.find(|change| allowance.is_at(change)) {
        Some(change) => format!("did you mean `{}`?", change.kind.id),
        None => "remove it, or copy the path and the change from the output of `genclient diff`"
            .to_owned(),
    };
    let location = allowance
        .path
        .as_deref()
        .map(|path| format!(" at {path}"))
        .unwrap_or_default();
    Diagnostic::warning(format!(
        "`diff-allow` allows `{}`{location} of {}, but there is no such breaking change",
        allowance.change, allowance.crd
    ))
    .help(help)
}

const RED_STYLE: &str = "\x1b[1;31m";
const YELLOW_STYLE: &str = "\x1b[33m";
const BOLD_STYLE: &str = "\x1b[1m";
const DIM_STYLE: &str = "\x1b[2m";
const RESET_STYLE: &str = "\x1b[0m";

/// One block for each definition. The caller strips the ANSI escape codes if there is no terminal.
fn format_human(changes: &[Change]) -> String {
    let mut text = String::new();
    let mut definition = "";
    for change in changes {
        if definition != change.crd {
            if !definition.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(
                text,
                "{BOLD_STYLE}{}{RESET_STYLE}",
                replace_control_chars(&change.crd)
            );
            definition = &change.crd;
        }
        write_change(&mut text, change);
    }
    text
}

fn write_change(text: &mut String, change: &Change) {
    let (color, mark) = match (change.breaking, &change.allowed) {
        (true, None) => (RED_STYLE, "breaking"),
        (true, Some(_)) => (YELLOW_STYLE, "allowed"),
        (false, _) => (DIM_STYLE, "note"),
    };
    let _ = write!(text, "  {color}{mark:8}{RESET_STYLE} {}", change.kind);
    if let Some(location) = format_location(change) {
        let _ = write!(
            text,
            " {BOLD_STYLE}{}{RESET_STYLE}",
            replace_control_chars(&location)
        );
    }
    if let Some(sides) = format_values(change) {
        let _ = write!(text, ": {sides}");
    }
    let _ = write!(text, "\n           {}", change.why);
    if let Some(reason) = &change.allowed {
        let _ = write!(
            text,
            "\n           allowed: {}",
            replace_control_chars(reason)
        );
    }
    text.push('\n');
}

/// The version and the field of a change: `v1 .spec.gpu`, `v2 (from v1) .spec.gpu`.
fn format_location(change: &Change) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(change.version.clone());
    parts.extend(change.against.as_ref().map(|old| format!("(from {old})")));
    parts.extend(change.path.clone());
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The old and the new value: `3 -> 5`. An added or removed element is shown as one value.
fn format_values(change: &Change) -> Option<String> {
    let id = change.kind.id;
    let one_sided = id.ends_with("-added") || id.ends_with("-removed");
    match (&change.old, &change.new) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) if one_sided => Some(format_value(one)),
        (old, new) => {
            let shown = |one: &Option<Side>| one.as_ref().map_or("none".to_owned(), format_value);
            Some(format!("{} -> {}", shown(old), shown(new)))
        }
    }
}

fn format_value(side: &Side) -> String {
    match side {
        Side::Word(word) => replace_control_chars(word),
        Side::Value(Value::String(text)) => format!("{text:?}"),
        Side::Value(value) => value.to_string(),
    }
}

/// Replaces control characters, which could steer a terminal: `text` comes from untrusted YAML.
fn replace_control_chars(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '?' } else { c };
    text.chars().map(visible).collect()
}

/// One JSON object per line.
fn format_json_lines(changes: &[Change]) -> String {
    changes
        .iter()
        .map(|change| format!("{}\n", serde_json::to_string(change).unwrap_or_default()))
        .collect()
}

/// The number of changes: `3 breaking changes, 1 allowed, 2 others`.
fn summarize(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no changes".to_owned();
    }
    let count = |is_counted: fn(&Change) -> bool| changes.iter().filter(|c| is_counted(c)).count();
    let breaking = count(Change::fails);
    let allowed = count(|change| change.allowed.is_some());
    let others = count(|change| !change.breaking);
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut text = format!("{breaking} breaking change{}", plural(breaking));
    if allowed > 0 {
        let _ = write!(text, ", {allowed} allowed");
    }
    if others > 0 {
        let _ = write!(text, ", {others} other{}", plural(others));
    }
    text
}
