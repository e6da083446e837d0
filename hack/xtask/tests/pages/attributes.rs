//! Page `docs/attributes.md`: attributes, settings in Cargo.toml, serde's keys and Go markers, from
//! the tables of `genclient explain`.

use std::fmt::Write;

use genclient_cli::explain::markers::{self, Here};
use genclient_cli::explain::{self, DEPLOY, SERDE, SERDE_HEAD, SETTINGS, Setting};
use genclient_syntax::table::{Attribute, TABLE, Within};

const BEFORE: &str = "\
# Attributes

This page lists every attribute that the macros and `genclient` read. `genclient explain NAME`
prints the same text. An unknown key in such an attribute or in `#[serde(…)]` is an error, and the
help suggests a similar name. A misspelt `crd`, `group`, `version` or `kind` is an error, too.
";

pub(super) fn page() -> String {
    let mut text = BEFORE.to_owned();
    for within in explain::ORDER {
        let _ = write!(text, "\n## {}\n\n", explain::heading(within));
        text.push_str("| attribute | what it does | in Go |\n|---|---|---|\n");
        for entry in entries(within) {
            let marker = entry
                .go_marker
                .map(|marker| format!("`+{marker}`"))
                .unwrap_or_default();
            let _ = writeln!(text, "| `{}` | {} | {marker} |", entry.name, entry.summary);
        }
        for entry in entries(within) {
            section(&mut text, entry);
        }
    }
    settings(&mut text);
    go_markers(&mut text);
    text
}

fn go_markers(text: &mut String) {
    text.push_str("\n## Go markers without an attribute of the same name\n\n");
    text.push_str("| marker | here |\n|---|---|\n");
    for (markers, here) in markers::rows() {
        let markers = format!("`+{}`", markers.join("`, `+"));
        let _ = match here {
            Here::Key(key) => writeln!(text, "| {markers} | `{key}` |"),
            Here::Instead(instead) => writeln!(text, "| {markers} | {instead} |"),
        };
    }
}

fn settings_of(text: &mut String, settings: &[Setting]) {
    for setting in settings {
        let (name, summary, example) = (setting.name, setting.summary, setting.example);
        let _ = writeln!(text, "| `{name}` | {summary} | `{example}` |");
    }
}

fn settings(text: &mut String) {
    text.push_str("\n## In `[package.metadata.genclient]` of Cargo.toml\n\n");
    text.push_str("| setting | what it does | example |\n|---|---|---|\n");
    settings_of(text, SETTINGS);
    text.push_str("\n## In `[package.metadata.genclient.deploy]` of Cargo.toml\n\n");
    text.push_str("| setting | what it does | example |\n|---|---|---|\n");
    settings_of(text, DEPLOY);
    let _ = writeln!(
        text,
        "\n## In {}\n",
        SERDE_HEAD.replace("serde: ", "serde's attributes\n\n")
    );
    text.push_str("| key | effect on the schema |\n|---|---|\n");
    for (key, summary) in SERDE {
        let _ = writeln!(text, "| `{key}` | {summary} |");
    }
}

fn entries(within: Within) -> impl Iterator<Item = &'static Attribute> {
    TABLE.iter().filter(move |entry| entry.within == within)
}

fn section(text: &mut String, entry: &Attribute) {
    let _ = write!(text, "\n### {}\n\n{}", entry.name, entry.summary);
    if !entry.details.is_empty() {
        let _ = write!(text, " {}", entry.details);
    }
    let _ = write!(text, "\n\n```rust\n{}\n```\n\n", entry.example);
    match explain::takes(&entry.form).as_slice() {
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
    let _ = writeln!(text, "- Where: {}", explain::places(entry));
    let _ = writeln!(text, "- Repeats: {}", explain::repeats(entry));
}
