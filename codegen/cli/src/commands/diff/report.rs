//! Rendering of changes: coloured text and JSON lines.

use std::fmt::Write;

use genclient_diff::{Change, Side};
use serde_json::Value;

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[33m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// One block for each definition. The caller strips the ANSI escape codes if there is no terminal.
pub(crate) fn human(changes: &[Change]) -> String {
    let mut text = String::new();
    let mut definition = "";
    for change in changes {
        if definition != change.crd {
            if !definition.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "{BOLD}{}{RESET}", plain(&change.crd));
            definition = &change.crd;
        }
        entry(&mut text, change);
    }
    text
}

fn entry(text: &mut String, change: &Change) {
    let (color, mark) = match (change.breaking, &change.allowed) {
        (true, None) => (RED, "breaking"),
        (true, Some(_)) => (YELLOW, "allowed"),
        (false, _) => (DIM, "note"),
    };
    let _ = write!(text, "  {color}{mark:8}{RESET} {}", change.kind);
    if let Some(place) = place(change) {
        let _ = write!(text, " {BOLD}{}{RESET}", plain(&place));
    }
    if let Some(sides) = sides(change) {
        let _ = write!(text, ": {sides}");
    }
    let _ = write!(text, "\n           {}", change.why);
    if let Some(reason) = &change.allowed {
        let _ = write!(text, "\n           allowed: {}", plain(reason));
    }
    text.push('\n');
}

/// The version and the field of a change: `v1 .spec.gpu`, `v2 (from v1) .spec.gpu`.
fn place(change: &Change) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(change.version.clone());
    parts.extend(change.against.as_ref().map(|old| format!("(from {old})")));
    parts.extend(change.path.clone());
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The old and the new value: `3 -> 5`. An added or removed element is shown as one value.
fn sides(change: &Change) -> Option<String> {
    let id = change.kind.id;
    let one_sided = id.ends_with("-added") || id.ends_with("-removed");
    match (&change.old, &change.new) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) if one_sided => Some(side(one)),
        (old, new) => {
            let shown = |one: &Option<Side>| one.as_ref().map_or("none".to_owned(), side);
            Some(format!("{} -> {}", shown(old), shown(new)))
        }
    }
}

fn side(side: &Side) -> String {
    match side {
        Side::Word(word) => plain(word),
        Side::Value(Value::String(text)) => format!("{text:?}"),
        Side::Value(value) => value.to_string(),
    }
}

/// Replaces control characters, which could steer a terminal: `text` comes from untrusted YAML.
fn plain(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '?' } else { c };
    text.chars().map(visible).collect()
}

/// One JSON object per line.
pub(crate) fn json_lines(changes: &[Change]) -> String {
    changes
        .iter()
        .map(|change| format!("{}\n", serde_json::to_string(change).unwrap_or_default()))
        .collect()
}

/// The number of changes: `3 breaking changes, 1 allowed, 2 others`.
pub(crate) fn summary(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no changes".to_owned();
    }
    let count = |wanted: fn(&Change) -> bool| changes.iter().filter(|c| wanted(c)).count();
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
