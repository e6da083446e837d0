//! Coverage of user-facing texts: every text that the program or the macros can print occurs in a
//! recorded expectation.
//!
//! The texts are the string literals of `codegen`, `apimachinery/cel`, `apimachinery/schema` and
//! `macros/syntax` with more than one word. The test skips `emit`, `manifests` and `render`, since
//! golden tests and examples have their complete output. It also skips texts of the API server in
//! genclient-cel and genclient-schema, which other tests compare with the API server. `{…}` matches
//! anything. An expectation is a rendering next to a case, a transcript, a page, or a literal of a
//! test.

mod exceptions;
mod literals;

use std::fs;
use std::path::{Path, PathBuf};

use literals::Literals;

/// The maximum length of the text for a `{…}`, in bytes.
const MAX_LENGTH: usize = 400;

const SAYS: &[&str] = &[
    "../codegen/src",
    "../apimachinery/cel/src",
    "../codegen/cli/src",
    "../codegen/diff/src",
    "../apimachinery/schema/src",
    "../macros/syntax/src",
];
/// Folders with tests and their expectations.
const EXPECTS: &[&str] = &[
    "attributes",
    "cli",
    "e2e",
    "fuzz",
    "golden",
    "ui",
    "../docs",
    "../macros/syntax/tests",
];

#[test]
fn every_message_is_covered_by_an_expectation() {
    let mut said = Vec::new();
    let mut expected = String::new();
    let held_elsewhere = [
        Path::new("../codegen/src/emit"),
        Path::new("../codegen/src/manifests"),
        Path::new("../codegen/cli/src/render"),
        Path::new("../apimachinery/cel/src/evaluate"),
        Path::new("../apimachinery/cel/src/messages.rs"),
        Path::new("../apimachinery/schema/src/definition/crd"),
        Path::new("../apimachinery/schema/src/json_path"),
        Path::new("../apimachinery/schema/src/meta"),
        Path::new("../apimachinery/schema/src/object"),
        Path::new("../apimachinery/schema/src/rules/check.rs"),
        Path::new("../apimachinery/schema/src/rules/compile.rs"),
        Path::new("../apimachinery/schema/src/values/field_errors.rs"),
    ];
    let is_held = |file: &PathBuf| held_elsewhere.iter().any(|folder| file.starts_with(folder));
    let files_said = SAYS.iter().flat_map(|folder| all_files(Path::new(folder)));
    for file in files_said.filter(|file| !is_held(file)) {
        let is_test = file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
        let text = fs::read_to_string(&file).unwrap();
        let Literals { program, tests } = literals::of(&text, is_test);
        tests.iter().for_each(|text| push(&mut expected, text));
        // A literal may contain a message and its help.
        let texts = program.iter().flat_map(|text| text.split("\nhelp: "));
        said.extend(texts.map(|text| (file.clone(), text.to_owned())));
    }
    for file in EXPECTS
        .iter()
        .flat_map(|folder| all_files(Path::new(folder)))
    {
        if let Ok(text) = fs::read_to_string(&file) {
            expect(&mut expected, &file, &text);
        }
    }
    let sentences = said.iter().filter(|(_, text)| is_sentence(text));
    let (mut count, mut unseen) = (0, Vec::new());
    for (file, text) in sentences {
        count += 1;
        if !shows(&expected, &pieces(text)) && !exceptions::has(text) {
            unseen.push(format!("{}: {text:?}", file.display()));
        }
    }
    assert!(count > 800, "{count} texts");
    assert!(
        unseen.is_empty(),
        "in no expectation:\n{}",
        unseen.join("\n")
    );
}

/// The expectations in a file: the literals of a test, or the whole text of any other file.
fn expect(expected: &mut String, file: &Path, text: &str) {
    if file.extension().is_some_and(|extension| extension == "rs") && !is_generated(file) {
        let literals = literals::of(text, true);
        literals.tests.iter().for_each(|text| push(expected, text));
    } else {
        push(expected, text);
    }
}

fn is_generated(file: &Path) -> bool {
    file.iter().any(|part| part == "expected")
}

fn push(expected: &mut String, text: &str) {
    // Annotated source has line numbers and bars in the margin.
    let margin = |c: char| c.is_whitespace() || c.is_ascii_digit() || "|=".contains(c);
    for word in text.lines().flat_map(|line| {
        let bare = line.trim_start_matches(margin);
        bare.split_whitespace()
    }) {
        expected.push_str(word);
        expected.push(' ');
    }
    expected.push('\n');
}

/// True if at least two words are outside of placeholders.
fn is_sentence(text: &str) -> bool {
    let known = pieces(text).join(" ");
    let words = known
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() > 1);
    text.trim().contains(' ') && words.count() > 1
}

/// The text around each `{…}`, with single spaces.
fn pieces(text: &str) -> Vec<String> {
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut pieces = Vec::new();
    for (at, part) in text.split('{').enumerate() {
        let known = match part.split_once('}') {
            Some((_, known)) if at > 0 => known,
            _ => part,
        };
        let words: Vec<_> = known.split_whitespace().collect();
        let known = words.join(" ").replace('\u{1}', "{").replace('\u{2}', "}");
        if !known.is_empty() {
            pieces.push(known);
        }
    }
    pieces
}

/// True if the pieces occur somewhere in this order.
fn shows(expected: &str, pieces: &[String]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return true;
    };
    let mut starts = expected.match_indices(first.as_str());
    starts.any(|(start, _)| {
        let mut at = start + first.len();
        rest.iter().all(|piece| {
            let found = near(expected, at).find(piece.as_str());
            at += found.map_or(0, |found| found + piece.len());
            found.is_some()
        })
    })
}

/// The following text, up to the maximum length.
fn near(text: &str, at: usize) -> &str {
    let end = (at + MAX_LENGTH..text.len()).find(|end| text.is_char_boundary(*end));
    &text[at..end.unwrap_or(text.len())]
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    assert!(folder.is_dir(), "{} is there", folder.display());
    tests::files(folder)
}
