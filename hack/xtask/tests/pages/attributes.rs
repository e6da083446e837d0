//! Page `docs/attributes.md`: attributes, settings in Cargo.toml, serde's keys and Go markers, from
//! the tables of `genclient explain`.

use std::fmt::Write;

use genclient_cli::explain::markers::{self, Counterpart};
use genclient_cli::explain::{
    self, DEPLOY_SETTINGS, PACKAGE_SETTINGS, SERDE_INTRODUCTION, SERDE_KEYS, Setting,
};
use genclient_syntax::table::{Attribute, TABLE, Within};

const INTRODUCTION: &str = "\
# Attributes

This page lists every attribute that the macros and `genclient` read. `genclient explain NAME`
prints the same text. An unknown key in such an attribute or in `#[serde(…)]` is an error, and the
help suggests a similar name. A misspelt name of an attribute is an error, too.
";

pub(super) fn render_page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for within in explain::GROUP_ORDER {
        let _ = write!(text, "\n## {}\n\n", explain::group_heading(within));
        text.push_str("| attribute | what it does | in Go |\n|---|---|---|\n");
        for entry in attributes_within(within) {
            let marker = entry
                .go_marker
                .map(|marker| format!("`+{marker}`"))
                .unwrap_or_default();
            let _ = writeln!(text, "| `{}` | {} | {marker} |", entry.name, entry.summary);
        }
        for entry in attributes_within(within) {
            attribute_section(&mut text, entry);
        }
    }
    setting_sections(&mut text);
    serde_section(&mut text);
    go_marker_section(&mut text);
    text
}

fn go_marker_section(text: &mut String) {
    text.push_str("\n## Go markers without an attribute of the same name\n\n");
    text.push_str("| marker | here |\n|---|---|\n");
    for (markers, counterpart) in markers::marker_rows() {
        let markers = format!("`+{}`", markers.join("`, `+"));
        let _ = match counterpart {
            Counterpart::Key(key) => writeln!(text, "| {markers} | `{key}` |"),
            Counterpart::Instead(instead) => writeln!(text, "| {markers} | {instead} |"),
        };
    }
}

fn setting_rows(text: &mut String, settings: &[Setting]) {
    for setting in settings {
        let (name, summary, example) = (setting.name, setting.summary, setting.example);
        let _ = writeln!(text, "| `{name}` | {summary} | `{example}` |");
    }
}

fn setting_sections(text: &mut String) {
    text.push_str("\n## In `[package.metadata.genclient]` of Cargo.toml\n\n");
    text.push_str("| setting | what it does | example |\n|---|---|---|\n");
    setting_rows(text, PACKAGE_SETTINGS);
    text.push_str("\n## In `[package.metadata.genclient.deploy]` of Cargo.toml\n\n");
    text.push_str("| setting | what it does | example |\n|---|---|---|\n");
    setting_rows(text, DEPLOY_SETTINGS);
}

fn serde_section(text: &mut String) {
    let _ = writeln!(
        text,
        "\n## In serde's attributes\n\n{SERDE_INTRODUCTION}\n\n| key | effect on the schema |\n|---|---|",
    );
    for (key, summary) in SERDE_KEYS {
        let _ = writeln!(text, "| `{key}` | {summary} |");
    }
}

fn attributes_within(within: Within) -> impl Iterator<Item = &'static Attribute> {
    TABLE.iter().filter(move |entry| entry.within == within)
}

fn attribute_section(text: &mut String, entry: &Attribute) {
    let _ = write!(text, "\n### {}\n\n{}", entry.name, entry.summary);
    if !entry.details.is_empty() {
        let _ = write!(text, " {}", entry.details);
    }
    let _ = write!(text, "\n\n```rust\n{}\n```\n\n", entry.example);
    match explain::describe_form(&entry.form).as_slice() {
        [only] => {
            let _ = writeln!(text, "- Takes: {only}");
        }
        parts => {
            text.push_str("- Takes:\n");
            for part in parts {
                let bare = part.trim_start();
                let indent = part.len() - bare.len();
                let _ = writeln!(text, "{:indent$}  - {bare}", "");
            }
        }
    }
    let _ = writeln!(text, "- Where: {}", explain::describe_sites(entry));
    let _ = writeln!(text, "- Repeats: {}", explain::describe_repetition(entry));
}
