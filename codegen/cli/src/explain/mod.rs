//! `genclient explain`: documentation of attributes, Go markers, settings and `diff` changes.

pub mod markers;
mod settings;
mod topics;

use std::fmt::Write;
use std::iter::successors;

use clap::{Arg, Command};
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_diff::ChangeKind;
use genclient_syntax::Target;
use genclient_syntax::table::{Applies, Argument, Attribute, Form, TABLE, Within, find};

use markers::Counterpart;
pub use settings::{DEPLOY_SETTINGS, PACKAGE_SETTINGS, Setting};
pub use topics::{SERDE_INTRODUCTION, SERDE_KEYS};

/// Order of the groups of attributes in lists.
pub const GROUP_ORDER: [Within; 5] = [
    Within::Item,
    Within::Genclient,
    Within::Webhook,
    Within::Rbac,
    Within::Crd,
];

/// Returns the documentation of `attribute`; for `None`, the list of all attributes. If an unknown
/// `attribute` is an option of a subcommand of `program`, the error names that subcommand.
pub(crate) fn explain(attribute: Option<&str>, program: &Command) -> Result<String, Diagnostics> {
    let Some(name) = attribute else {
        return Ok(list_attributes());
    };
    if let Some(topic) = topics::find_topic(name) {
        return Ok(topic);
    }
    let (attribute, name) =
        split_attribute_and_key(name).map_or((None, name), |(outer, key)| (Some(outer), key));
    let bare = name.split(['=', '(', ' ']).next().unwrap_or(name);
    let setting = name
        .strip_prefix("package.metadata.genclient.")
        .unwrap_or(name);
    // Our own attributes come before those of other crates, unless the user named the attribute:
    // `#[serde(default)]`.
    attribute
        .and_then(|outer| topics::explain_foreign_key(Some(outer), bare))
        .or_else(|| explain_attribute_or_argument(name))
        .or_else(|| topics::explain_setting(setting))
        .or_else(|| explain_change(name))
        .or_else(|| topics::explain_foreign_key(None, bare))
        .ok_or_else(|| unknown_attribute(name, program).into())
}

/// Splits an attribute with a key: `#[crd(scale)]` into `crd` and `scale`.
fn split_attribute_and_key(name: &str) -> Option<(&str, &str)> {
    let (attribute, rest) = name.strip_prefix("#[")?.split_once('(')?;
    Some((attribute, rest.strip_suffix(")]")?))
}

/// Returns the documentation of a change of `genclient diff`.
fn explain_change(name: &str) -> Option<String> {
    let kind = ChangeKind::ALL.iter().find(|kind| kind.id == name)?;
    let mut text = format!("{name}: A change that `genclient diff` reports.\n\n");
    for (breaking, why) in kind.reasons() {
        let _ = writeln!(text, "Breaking: {breaking}. {why}");
    }
    Some(text)
}

fn unknown_attribute(name: &str, program: &Command) -> Diagnostic {
    let finding = Diagnostic::error(format!("unknown attribute `{name}`"));
    let has_option = |command: &&Command| {
        let mut options = command.get_arguments().filter_map(Arg::get_long);
        options.any(|option| option == name)
    };
    if let Some(command) = program.get_subcommands().find(has_option) {
        let command = command.get_name();
        return finding.help(format!(
            "`--{name}` is an option of `genclient {command}`: `genclient {command} --help`"
        ));
    }
    let close = match genclient_syntax::table::suggest(name) {
        Some(close) => vec![close],
        None => names_containing(name),
    };
    let help = if close.is_empty() {
        "`genclient explain` lists all attributes".to_owned()
    } else {
        let close = close.join("`, `");
        format!("did you mean `{close}`? `genclient explain` lists all attributes")
    };
    finding.help(help)
}

/// Returns the documentation of an attribute or Go marker; `name` may include its arguments. For
/// any other name, returns the documentation of the attributes with an argument of that name.
fn explain_attribute_or_argument(name: &str) -> Option<String> {
    let end = name.find(['=', '(', '[', ' ']).unwrap_or(name.len());
    let bare = &name[..end];
    for marker in successors(Some(bare), enclosing_marker) {
        match (
            explain_attributes(marker),
            markers::find_counterpart(marker),
        ) {
            (Some(entries), _) => return Some(entries),
            (None, Some(Counterpart::Key(key))) => return explain_attributes(key),
            (None, Some(Counterpart::Instead(text))) => return Some(format!("{marker}: {text}\n")),
            (None, None) => {}
        }
    }
    let has = |entry: &&Attribute| has_argument(&entry.form, bare);
    let texts: Vec<_> = TABLE.iter().filter(has).map(explain_attribute).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Removes the last part of a marker, which may be an argument: `+kubebuilder:printcolumn:name`.
fn enclosing_marker<'n>(marker: &&'n str) -> Option<&'n str> {
    marker.rsplit_once(':').map(|(above, _)| above)
}

/// Returns the documentation of the attributes with this name or Go marker. If all of them are keys
/// of `#[webhook(…)]` or `#[rbac(…)]`, adds the attributes with an argument of this name, because
/// the user may mean that argument.
fn explain_attributes(name: &str) -> Option<String> {
    let mut found: Vec<_> = find(name).collect();
    let is_of_impl = |entry: &&Attribute| matches!(entry.within, Within::Webhook | Within::Rbac);
    if !found.is_empty() && found.iter().all(is_of_impl) {
        found.extend(TABLE.iter().filter(|entry| has_argument(&entry.form, name)));
    }
    let texts: Vec<_> = found.into_iter().map(explain_attribute).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Returns the attribute names that contain `name`, such as `at_least_one_of` for `least`. Returns
/// none for a name of up to three letters.
fn names_containing(name: &str) -> Vec<&'static str> {
    let holds = |other: &&str| name.len() > 3 && other.contains(name);
    TABLE.iter().map(|entry| entry.name).filter(holds).collect()
}

fn has_argument(form: &Form, name: &str) -> bool {
    let Form::Arguments(arguments) = form else {
        return false;
    };
    let mut arguments = arguments.iter();
    arguments.any(|argument| argument.name == name || has_argument(&argument.form, name))
}

fn list_attributes() -> String {
    let width = TABLE
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for within in GROUP_ORDER {
        let _ = writeln!(text, "{}:", group_heading(within));
        for entry in TABLE.iter().filter(|entry| entry.within == within) {
            let _ = writeln!(text, "  {:width$}  {}", entry.name, entry.summary);
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "`genclient explain NAME` explains an attribute, or one of these: `{}`.",
        topics::TOPIC_NAMES.join("`, `")
    );
    text
}

/// Returns the heading above the keys of one attribute, or above the standalone attributes.
pub fn group_heading(within: Within) -> &'static str {
    match within {
        Within::Item => "Standalone, above a struct, an impl or a function",
        Within::Genclient => "In #[genclient(…)]",
        Within::Webhook => "In #[webhook(…)]",
        Within::Rbac => "In #[rbac(…)]",
        Within::Crd => "In #[crd(…)]",
    }
}

fn target_name(target: Target) -> &'static str {
    match target {
        Target::Resource => "a kind",
        Target::Type => "a struct or enum",
        Target::Field => "a field",
        Target::Variant | Target::UnitVariant => "a variant",
        Target::Items => "items(…)",
        Target::Values => "values(…)",
        Target::Keys => "keys(…)",
        Target::Impl => "an impl of Defaulter or Validator",
        Target::Item => "any item",
    }
}

fn explain_attribute(entry: &Attribute) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.summary);
    if !entry.details.is_empty() {
        let _ = writeln!(text, "\n{}", entry.details);
    }
    let _ = writeln!(text, "\n  {}\n", entry.example);
    for (at, line) in describe_form(&entry.form).iter().enumerate() {
        let label = if at == 0 { "Takes:" } else { "" };
        let _ = writeln!(text, "{label:8} {line}");
    }
    let _ = writeln!(text, "Where:   {}", describe_sites(entry));
    let _ = writeln!(text, "Repeats: {}", describe_repetition(entry));
    if let Some(marker) = entry.go_marker {
        let _ = writeln!(text, "In Go:   +{marker}");
    }
    if matches!(entry.form, Form::Keys) {
        write_keys(&mut text, entry);
    }
    text
}

/// Appends the keys of an attribute.
fn write_keys(text: &mut String, attribute: &Attribute) {
    let within = |within: &Within| within.to_string() == format!("#[{}(..)]", attribute.name);
    let keys = TABLE.iter().filter(|entry| within(&entry.within));
    let width = keys.clone().map(|key| key.name.len()).max().unwrap_or(0);
    text.push_str("\nKeys:\n");
    for key in keys {
        let _ = writeln!(text, "  {:width$}  {}", key.name, key.summary);
    }
}

/// Returns the targets and types that an attribute applies to.
pub fn describe_sites(entry: &Attribute) -> String {
    let targets: Vec<_> = entry
        .targets
        .iter()
        .map(|target| target_name(*target))
        .collect();
    let targets = targets.join(", ");
    match entry.applies {
        Applies::All => targets,
        applies => format!("{targets}; {applies}"),
    }
}

/// Returns whether an attribute may be repeated, as text.
pub fn describe_repetition(entry: &Attribute) -> &'static str {
    if entry.repeats { "yes" } else { "no" }
}

/// Returns the value or arguments of an attribute, one per line.
pub fn describe_form(form: &Form) -> Vec<String> {
    let line = match form {
        Form::Flag => "no value".to_owned(),
        Form::Value(value) => value.describe(),
        Form::FlagOr(value) => format!("no value, or {}", value.describe()),
        Form::Pair => "a key and a value, both strings".to_owned(),
        Form::Schema => "keys of #[crd(…)]".to_owned(),
        Form::Keys => "no value, or keys".to_owned(),
        Form::Refused { help, .. } => format!("not allowed: {help}"),
        Form::Arguments(arguments) => {
            return arguments.iter().flat_map(describe_argument).collect();
        }
    };
    vec![line]
}

/// Returns the lines of an argument: name, form and whether it is required, with nested arguments
/// below.
fn describe_argument(argument: &Argument) -> Vec<String> {
    let need = if argument.required {
        "required"
    } else {
        "optional"
    };
    let name = argument.name;
    let nested = describe_form(&argument.form);
    match argument.form {
        Form::Arguments(_) => {
            let mut lines = vec![format!("`{name}(..)`, {need}:")];
            lines.extend(nested.iter().map(|line| format!("  {line}")));
            lines
        }
        _ => vec![format!("`{name}`: {}, {need}", nested.join(" "))],
    }
}
