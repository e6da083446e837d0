//! Transcripts of projects: commands in an initially empty folder, with their complete output.
//!
//! A case is a file of `projects/`. Lines that begin with `$ ` are bash commands, the others their
//! output. `UPDATE_EXPECT=1` rewrites the output. rustfmt checks scaffolded Rust files.
//!
//! The pages of `docs/book` run in the same way, as described in [`page`]. Other programs are
//! stand-ins; `book.txt` records their calls. With `BOOK_CARGO=1` cargo is the real one, and each
//! page ends with its project's tests.

#[path = "page.rs"]
mod page;
#[path = "session.rs"]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use session::Session;

const BOOK: &str = "../../docs/book";
const CALLS: &str = "../cli/book.txt";

/// Programs called by the book and replaced by stand-ins.
const OTHERS: [&str; 6] = [
    "curl",
    "docker",
    "genclient-apiserver",
    "helm",
    "kind",
    "kubectl",
];

#[test]
fn scaffolded_projects_match_the_recordings() {
    let mut differences = Differences::default();
    for case in files("../cli/projects") {
        let expected = fs::read_to_string(&case).unwrap();
        differences.note(&case, &expected, &transcribed(&expected));
    }
    differences.assert_none();
}

#[test]
fn commands_of_the_book_have_the_printed_output() {
    let mut differences = Differences::default();
    let mut followed = BTreeMap::new();
    for case in files(BOOK) {
        follow(case.file_name().unwrap().to_str().unwrap(), &mut followed);
    }
    let mut calls = String::new();
    for (name, page) in &followed {
        differences.note(&Path::new(BOOK).join(name), &page.text, &page.found);
        if !page.calls.is_empty() {
            calls.push_str(&format!("# {name}\n{}", page.calls));
        }
    }
    // Calls of the real cargo are not recorded.
    if !is_compiled() {
        let expected = fs::read_to_string(CALLS).unwrap_or_default();
        differences.note(Path::new(CALLS), &expected, &calls);
    }
    differences.assert_none();
}

#[test]
fn links_of_the_book_exist() {
    for case in files(BOOK) {
        let name = case.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&case).unwrap();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
        {
            let is_there = target.contains("://") || Path::new(BOOK).join(target).exists();
            assert!(is_there, "{name}: {target}");
        }
    }
}

/// The files of a folder, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The transcript with the current output of its commands.
fn transcribed(transcript: &str) -> String {
    let mut session = Session::new();
    session.printed("mkdir guestbook && cd guestbook");
    let mut text = String::new();
    for command in transcript
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
    {
        text.push_str(&format!("$ {command}\n{}", session.printed(command)));
    }
    session.assert_formatted();
    text
}

/// A page after it was followed.
struct Followed {
    text: String,
    /// The page with the current output of its commands.
    found: String,
    /// The calls of other programs.
    calls: String,
    /// The shell after the last command.
    session: Session,
}

/// Follows a page after the pages that it continues.
fn follow(name: &str, followed: &mut BTreeMap<String, Followed>) {
    if followed.contains_key(name) {
        return;
    }
    let text = fs::read_to_string(Path::new(BOOK).join(name)).unwrap();
    let mut session = match page::continues(&text) {
        None => fresh(),
        Some(earlier) => {
            follow(earlier, followed);
            followed[earlier].session.copy()
        }
    };
    let mut found = page::follow(&text, &mut session);
    let calls = session.calls();
    session.assert_formatted();
    if is_compiled() && session.folder() != session.root() {
        found += &session.printed("cargo test && cargo clippy --all-targets -- -D warnings");
    }
    let page = Followed {
        text,
        found,
        calls,
        session,
    };
    followed.insert(name.to_owned(), page);
}

fn is_compiled() -> bool {
    std::env::var_os("BOOK_CARGO").is_some()
}

/// A shell in which every program except `genclient` is a stand-in; cargo is real if it compiles.
fn fresh() -> Session {
    let session = Session::new();
    OTHERS.iter().for_each(|program| session.add_stub(program));
    if is_compiled() {
        with_cargo(&session)
    } else {
        session.add_stub("cargo")
    }
    session
}

/// Lets cargo compile with the crates of this repository, without output about them.
fn with_cargo(session: &Session) {
    let repository = Path::new("../..").canonicalize().unwrap();
    let crates = [
        ("genclient", "runtime"),
        ("genclient-controller", "runtime/controller"),
        ("genclient-apiserver", "runtime/apiserver"),
    ];
    let mut settings = "[patch.crates-io]\n".to_owned();
    for (name, folder) in crates {
        let path = repository.join(folder);
        settings.push_str(&format!("{name} = {{ path = \"{}\" }}\n", path.display()));
    }
    // The target folder and profile of the workspace avoid compiling its crates again.
    let target = repository.join("target");
    settings.push_str("[profile.dev]\ndebug = \"line-tables-only\"\n");
    settings.push_str(&format!("[build]\ntarget-dir = \"{}\"\n", target.display()));
    fs::create_dir(session.root().join(".cargo")).unwrap();
    fs::write(session.root().join(".cargo/config.toml"), settings).unwrap();
    let versions = repository.join("Cargo.lock");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in install | run | update) exit 0 ;; esac\n\
         [ -e Cargo.lock ] || cp {} .\n\
         said=$({} \"$@\" 2>&1) || {{ echo \"$said\"; exit 1; }}\n",
        versions.display(),
        std::env::var("CARGO").unwrap()
    );
    session.script("cargo", &script);
}

/// Differences from expected files. `UPDATE_EXPECT=1` rewrites the files instead.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn note(&mut self, file: &Path, expected: &str, found: &str) {
        if found == expected {
            return;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(file, found).unwrap();
            return;
        }
        let diff = similar::TextDiff::from_lines(expected, found);
        let name = file.display().to_string();
        self.0
            .push(diff.unified_diff().header(&name, "found").to_string());
    }

    fn assert_none(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}
