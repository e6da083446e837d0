//! Diagnostics of invalid attributes, with cases in `attributes/*.txt`.
//!
//! Each case has three parts: an invalid item on one line; below it, indented, each blamed token
//! with its message; and after `=>` the item corrected as the help says, which has no errors.
//!
//! `cargo xtask bless` rewrites the indented lines. The tests are not in genclient-syntax: they
//! read the text of spans, a feature of proc-macro2 that the macros must not have.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use genclient_codegen::{Diagnostic, Edit, Location, SourceText};
use genclient_syntax::table::{TABLE, Within};
use genclient_syntax::{
    KubeAttrs, Problem, Problems, RbacRule, ResourceAttrs, TypeAttrs, WebhookAttrs,
};

fn path(name: &str) -> PathBuf {
    Path::new("attributes").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// Reads every item of the file and compares its diagnostics.
#[track_caller]
fn check(name: &str, read_item: impl Fn(&str, &mut Problems)) {
    let expected = read(name);
    let mut found = String::new();
    let problems_of = |item| {
        let mut problems = Problems::new();
        read_item(item, &mut problems);
        let mut lines = String::new();
        for problem in &problems {
            let token = problem.span.source_text().unwrap_or_default();
            let text = problem.text().replace('\n', "; ");
            writeln!(lines, "    {token} → {text}").unwrap();
        }
        lines
    };
    // After the edit of a problem, the problem is gone. Another one may be found in its place, but
    // no key is there twice.
    let check_edits = |item: &str| {
        let parse = |item: &str| {
            let mut problems = Problems::new();
            read_item(item, &mut problems);
            problems
        };
        let problems = parse(item);
        for problem in &problems {
            let same = |all: &Problems| {
                let messages = all.iter().map(|other| &other.message);
                messages.filter(|other| **other == problem.message).count()
            };
            let duplicates = |all: &Problems| {
                let messages = all.iter().map(|other| &other.message);
                messages
                    .filter(|other| other.starts_with("duplicate "))
                    .count()
            };
            if let Some(edited) = edit(item, problem) {
                let left = parse(&edited);
                assert!(same(&left) < same(&problems), "{edited}");
                assert!(duplicates(&left) <= duplicates(&problems), "{edited}");
            }
        }
    };
    let mut lines = expected.lines().filter(|line| !line.starts_with(' '));
    while let Some(item) = lines.next() {
        let said = problems_of(item);
        assert!(!said.is_empty(), "nothing is said about {item}");
        check_edits(item);
        let corrected = lines.next().and_then(|line| line.strip_prefix("=> "));
        assert!(corrected.is_some(), "{item} is not corrected");
        let corrected = corrected.unwrap();
        assert_eq!(problems_of(corrected), "", "{corrected}");
        write!(found, "{item}\n{said}=> {corrected}\n").unwrap();
    }
    if is_update() {
        std::fs::write(path(name), found).unwrap();
    } else {
        assert_eq!(found, expected);
    }
}

/// Returns the item with the edit of a problem. Help with a similar name, or to remove the key, has
/// an edit.
fn edit(item: &str, problem: &Problem) -> Option<String> {
    let help = problem.help.clone()?;
    let source = Arc::new(SourceText {
        text: item.to_owned(),
        ..SourceText::default()
    });
    let finding = Diagnostic::error(&problem.message)
        .at(Location::new(&source, problem.span))
        .help(help.clone());
    let Some(Edit { location, text }) = finding.edit() else {
        // The span of a rule's field is that of its value. A key is not written twice.
        let has_span = !problem.message.ends_with(" in a rule");
        let suggestion = help.strip_prefix("did you mean `");
        let meant = suggestion.and_then(|it| it.strip_suffix("`?"));
        let is_there = |meant: &str| item.contains(&format!("{meant} = "));
        let is_edit = meant.is_some_and(|meant| !is_there(meant))
            || &*help == "remove it"
            || help.starts_with("remove it:");
        assert!(!(has_span && is_edit), "{item}: {help}");
        return None;
    };
    let mut edited = item.to_owned();
    edited.replace_range(location.span, &text);
    Some(edited)
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

#[test]
fn invalid_types_are_reported() {
    check("types.txt", |item, problems| {
        TypeAttrs::of_derive(&syn::parse_str(item).unwrap(), problems);
    });
}

#[test]
fn invalid_resources_are_reported() {
    check("resources.txt", |item, problems| {
        ResourceAttrs::parse(&syn::parse_str(item).unwrap(), problems);
    });
}

#[test]
fn invalid_webhooks_are_reported() {
    check("webhooks.txt", |item, problems| {
        WebhookAttrs::parse(&syn::parse_str(item).unwrap(), problems);
    });
}

/// Invalid kube specs, and attributes of schemars and similar crates on them.
#[test]
fn invalid_kube_types_are_reported() {
    check("kube.txt", |item, problems| {
        let item: syn::DeriveInput = syn::parse_str(item).unwrap();
        let fields = match &item.data {
            syn::Data::Struct(data) => Some(&data.fields),
            _ => None,
        };
        KubeAttrs::parse(&item.attrs, &item.ident, fields, problems);
        TypeAttrs::of_derive(&item, problems);
    });
}

#[test]
fn invalid_rbac_rules_are_reported() {
    check("rbac.txt", |item, problems| {
        RbacRule::of_item(&syn::parse_str(item).unwrap(), problems);
    });
}

#[test]
fn every_key_has_an_invalid_case() {
    // The other tests are writing the files.
    if is_update() {
        return;
    }
    let files = ["types.txt", "resources.txt", "webhooks.txt", "rbac.txt"];
    let messages = files.map(read).concat();
    let blamed = |name: &str| {
        messages
            .lines()
            .any(|line| line.starts_with(' ') && line.contains(&format!("`{name}`")))
    };
    for entry in TABLE.iter().filter(|entry| entry.within != Within::Item) {
        let is_shown = blamed(entry.name) || messages.contains(&format!("    {} → ", entry.name));
        assert!(
            is_shown,
            "no invalid case for `{}` in {}",
            entry.name, entry.within
        );
    }
}
