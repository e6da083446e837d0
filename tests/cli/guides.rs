//! Counterparts named in `docs/kubebuilder.md`: each must exist.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use clap::{CommandFactory, Parser};
use genclient_controller::ManagerFlags;
use genclient_controller::webhook::WebhookFlags;

/// The flags of a scaffolded program.
#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    manager: ManagerFlags,

    #[command(flatten)]
    webhook: WebhookFlags,
}

#[test]
fn counterparts_in_the_kubebuilder_guide_exist() {
    let page = fs::read_to_string("../../docs/kubebuilder.md").unwrap();
    let mut section = "";
    let mut missing = BTreeSet::new();
    for line in page.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        // Code is in the odd parts, between backticks.
        let parts: Vec<_> = line.split('`').collect();
        for (at, code) in parts.iter().enumerate().skip(1).step_by(2) {
            let bars = parts[..at].iter().step_by(2);
            let cell: usize = bars.map(|text| text.matches('|').count()).sum();
            let names_a_setting = parts.get(at + 1).is_some_and(|text| *text == " in ");
            let is_there = match code {
                _ if names_a_setting => is_explained(code),
                _ if code.starts_with("genclient ") => is_command(code),
                _ if code.starts_with("#[") => keys(code).all(is_explained),
                _ if code.starts_with('+') => code.contains(":scaffold:") || is_explained(code),
                _ if section == "Program flags" && cell == 2 => is_flag(code),
                _ => true,
            };
            if !is_there {
                missing.insert(format!("{code}, in: {line}"));
            }
        }
    }
    let missing: Vec<_> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Segments of marker names that several markers have.
const PREFIXES: [&str; 4] = ["items", "k8s", "kubebuilder", "validation"];

/// The row is on the page, or in the tables of attributes that the page links to.
#[test]
fn every_marker_of_controller_gen_has_a_row() {
    let page = fs::read_to_string("../../docs/kubebuilder.md").unwrap();
    let attributes = fs::read_to_string("../../docs/attributes.md").unwrap();
    let codes = page.split('`').skip(1).step_by(2);
    let rows = attributes.lines().filter(|line| line.starts_with('|'));
    let markers = rows.flat_map(|row| row.split('`').filter(|code| code.starts_with('+')));
    let names: BTreeSet<_> = codes
        .chain(markers)
        .filter_map(|code| code.rsplit([':', '+']).next())
        .collect();
    let markers = fs::read_to_string("../cli/go_markers.txt").unwrap();
    let (markers, _) = markers.split_once("\n# client-gen").unwrap();
    for marker in markers.lines().filter_map(|line| line.strip_prefix('+')) {
        let name = marker.split('=').next().unwrap();
        let is_prefix = |segment: &str| PREFIXES.contains(&segment);
        let mut segments = name.split(':').filter(|segment| !is_prefix(segment));
        assert!(segments.any(|segment| names.contains(segment)), "{marker}");
    }
}

fn said(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
    let output = command.args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(text)
}

fn is_explained(name: &str) -> bool {
    said(&["explain", name.trim_end_matches([':', '…'])]).is_some()
}

/// True if the command exists and has these flags.
fn is_command(code: &str) -> bool {
    let words: Vec<_> = code.split(' ').skip(1).collect();
    let is_flag = |word: &str| word.starts_with("--");
    let path: Vec<_> = words
        .iter()
        .take_while(|word| !is_flag(word) && !word.starts_with('+'))
        .copied()
        .collect();
    let help = match path[..] {
        [] | ["help"] => said(&["--help"]),
        _ => said(&[&path[..], &["--help"]].concat()),
    };
    help.is_some_and(|help| {
        let mut flags = words.iter().filter(|word| is_flag(word));
        flags.all(|flag| help.contains(flag.split('=').next().unwrap_or(flag)))
    })
}

/// The keys of `#[crd(a, b = 1, c(..))]`.
fn keys(code: &str) -> impl Iterator<Item = &str> {
    let inside = code.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 0;
    let parts = inside.split(move |letter| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.filter_map(|part| {
        let key = part.trim().split([' ', '(', ')']).next()?;
        let is_key = key
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_lowercase());
        (is_key && !key.is_empty() && !code.starts_with("#[derive") && !code.starts_with("#[serde"))
            .then_some(key)
    })
}

fn is_flag(code: &str) -> bool {
    let command = Program::command();
    let mut names = command.get_arguments().flat_map(|it| {
        let short = it.get_short().map(|short| format!("-{short}"));
        it.get_long()
            .map(|long| format!("--{long}"))
            .into_iter()
            .chain(short)
    });
    let flag = code.split('=').next().unwrap_or(code);
    !flag.starts_with('-') || flag == "-vv" || names.any(|name| name == flag)
}
