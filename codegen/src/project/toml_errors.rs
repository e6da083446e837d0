//! Diagnostics for a Cargo.toml that cannot be read, with help.

use std::sync::Arc;

use genclient_syntax::{Help, closest};

use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceText};

/// Longest list of names in a message. A longer list is removed, since it would hide the rest of
/// the message.
const MAX_NAMES_IN_MESSAGE: usize = 12;

/// Separator of message and help in errors of custom deserializers.
pub(super) const HELP_SEPARATOR: &str = "; help: ";

/// Returns the diagnostic for a parse error, at its location in the file.
pub(super) fn toml_error(source: &Arc<SourceText>, error: &toml::de::Error) -> Diagnostics {
    let finding = serde_finding(error.message());
    let source = Arc::clone(source);
    match error.span() {
        Some(span) => finding.at(Location { source, span }).into(),
        None => finding.into(),
    }
}

/// Returns the diagnostic for a message of serde.
pub(super) fn serde_finding(message: &str) -> Diagnostic {
    Diagnostic::error(shorten_message(message)).help(help_for_message(message))
}

/// Returns the message without its help and without a long list of names.
fn shorten_message(message: &str) -> String {
    if let Some((what, _)) = message.split_once(HELP_SEPARATOR) {
        return what.to_owned();
    }
    let without_names = match message.split_once(", expected one of ") {
        Some((start, names)) if names.split(", ").count() > MAX_NAMES_IN_MESSAGE => start,
        _ => message,
    };
    let short = without_names.replacen("unknown variant", "unknown value", 1);
    match short.strip_suffix(", expected u32") {
        Some(start) => format!("{start}, expected {}", toml_type_name("u32")),
        None => short,
    }
}

fn help_for_message(message: &str) -> Help {
    if let Some((_, help)) = message.split_once(HELP_SEPARATOR) {
        return help.into();
    }
    if message.starts_with("unknown ") {
        return suggest_name(message);
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("add `{} = \"…\"`", name.trim_matches('`')).into();
    }
    match message.split_once(", expected ") {
        Some((start, expected)) if start.starts_with("invalid ") => {
            format!("write {}", toml_type_name(expected)).into()
        }
        _ => "fix the syntax error: `cargo check` shows the same place".into(),
    }
}

/// Returns a suggestion for an unknown key or value. serde's message names the unknown key or value
/// first, then all known ones.
fn suggest_name(message: &str) -> Help {
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    if let Some(name) = closest(wrong, known.iter().copied()) {
        return Help::did_you_mean(wrong, name);
    }
    if known.contains(&"additionalProperties") {
        "write a schema as in a CRD: `type`, `format`, `pattern`, `properties`, `items`, …".into()
    } else {
        format!("write one of `{}`", known.join("`, `")).into()
    }
}

/// Returns the TOML term for serde's name of a type.
fn toml_type_name(expected: &str) -> &str {
    match expected {
        "a map" => "a table: `{ … }`",
        "a sequence" => "a list: `[ … ]`",
        "u32" | "usize" => "a non-negative integer",
        _ if expected.starts_with("struct ") => "a table: `{ … }`",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{help_for_message, shorten_message};

    #[test]
    fn toml_errors_come_with_help() {
        for (message, expected) in [
            (
                "unknown field `clinet`, expected one of `apis`, `client`",
                "did you mean `client`?",
            ),
            (
                "unknown field `x`, expected one of `crd`, `reason`",
                "write one of `crd`, `reason`",
            ),
            (
                "unknown field `flavour`, expected one of `type`, `additionalProperties`",
                "write a schema as in a CRD: `type`, `format`, `pattern`, `properties`, `items`, …",
            ),
            ("missing field `reason`", "add `reason = \"…\"`"),
            (
                "invalid type: integer `3`, expected a string",
                "write a string",
            ),
            (
                "invalid type: string \"x\", expected a map",
                "write a table: `{ … }`",
            ),
            (
                "unclosed table, expected `]`",
                "fix the syntax error: `cargo check` shows the same place",
            ),
        ] {
            assert_eq!(&*help_for_message(message), expected, "{message}");
        }
    }

    #[test]
    fn long_value_lists_are_omitted() {
        let names = |count: usize| vec!["`a`"; count].join(", ");
        let list = |count| format!("unknown variant `b`, expected one of {}", names(count));
        assert_eq!(shorten_message(&list(13)), "unknown value `b`");
        let whole = format!("unknown value `b`, expected one of {}", names(12));
        assert_eq!(shorten_message(&list(12)), whole);
    }
}
