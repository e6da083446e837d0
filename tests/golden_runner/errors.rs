//! Golden errors: API modules with mistakes, and the expected diagnostics.

use std::fs;
use std::path::{Path, PathBuf};

use genclient_codegen::{Artefact, Code, Diagnostic, Diagnostics, Edit, Generated, Project};
use libtest_mimic::Failed;

use crate::case::Settings;

/// Returns the cases in `dir`: a `.rs` file, or a folder with a `mod.rs`.
pub fn all(dir: &Path) -> Vec<PathBuf> {
    let mut cases: Vec<_> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "rs"))
        .collect();
    cases.sort();
    cases
}

pub fn name(case: &Path) -> String {
    case.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Checks that generation fails with the diagnostics of the `.txt` file. The case of that name in
/// `golden/corrected` follows their help, and generates without errors.
pub fn check(case: &Path) -> Result<(), Failed> {
    let Err(errors) = generate(case) else {
        return Err("nothing is reported".into());
    };
    if let Some(finding) = errors.iter().find(|finding| finding.code == Code::Other) {
        return Err(format!("no code: {}", finding.message).into());
    }
    let said = errors.to_string();
    let file = case.with_extension("txt");
    if crate::updates() {
        fs::write(&file, &said)?;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let difference = crate::tree::diff(&file, &expected, &said);
    if !difference.is_empty() {
        return Err(difference.into());
    }
    errors
        .iter()
        .try_for_each(|error| check_edit(case, error, &errors))?;
    corrected(
        &Path::new("golden/corrected").join(case.file_name().unwrap()),
        &said,
    )
}

fn generate(case: &Path) -> Result<Generated, Diagnostics> {
    let settings = Settings::read(&case.with_extension("toml"));
    let apis = case.with_extension("");
    let controllers = apis.join("controller.rs").is_file();
    let project = Project {
        controllers: controllers.then(|| apis.join("controller")),
        ..settings.project(&name(case), apis, Path::new("no/where"))
    };
    genclient_codegen::generate(&project, &Artefact::ALL.into())
}

/// Checks that after the edit of a finding, if it has one, the finding is gone. Another one may be
/// found in its place. `all` are the findings before the edit.
fn check_edit(case: &Path, finding: &Diagnostic, all: &Diagnostics) -> Result<(), Failed> {
    let Some(Edit { location, text }) = finding.edit() else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join(case.file_name().unwrap());
    copy_all(case, &copy)?;
    let settings = case.with_extension("toml");
    if settings.exists() {
        fs::copy(&settings, copy.with_extension("toml"))?;
    }
    let source = Path::new(&location.source.path);
    let below = source.strip_prefix(case.parent().unwrap())?;
    let mut edited = location.source.text.clone();
    edited.replace_range(location.span.clone(), &text);
    fs::write(folder.path().join(below), &edited)?;
    let left = generate(&copy).err().unwrap_or_default();
    let same = |all: &Diagnostics| {
        let messages = all.iter().map(|other| &other.message);
        messages.filter(|other| **other == finding.message).count()
    };
    if same(&left) < same(all) {
        return Ok(());
    }
    Err(format!("`{text}` does not correct `{}`", finding.message).into())
}

fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir(to)?;
    for found in fs::read_dir(from)? {
        let entry = found?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Checks that the corrected case has the code that the help suggests, and has no errors.
fn corrected(case: &Path, said: &str) -> Result<(), Failed> {
    let text = text(case)?;
    let not_typed: Vec<_> = helps(said).filter(|help| !is_typed(help, &text)).collect();
    if !not_typed.is_empty() {
        return Err(format!("{} does not have: {not_typed:#?}", case.display()).into());
    }
    match generate(case) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.to_string().into()),
    }
}

/// Returns the sources and settings of a case without whitespace.
fn text(case: &Path) -> Result<String, Failed> {
    let mut text = String::new();
    let mut open = vec![case.to_owned(), case.with_extension("toml")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                open.push(entry?.path());
            }
        } else if path.exists() {
            text += &without_space(&fs::read_to_string(path)?);
        }
    }
    if text.is_empty() {
        return Err(format!("{} is missing", case.display()).into());
    }
    Ok(text)
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

fn helps(said: &str) -> impl Iterator<Item = &str> {
    said.lines()
        .filter_map(|line| line.trim().strip_prefix("= help: "))
}

/// Verbs before code of any kind. Code with a placeholder is an outline, unless it is an attribute.
const WRITES: [&str; 3] = ["write `", "add `", "did you mean `"];

/// Verbs before attributes and other words.
const SETS: [&str; 4] = [
    "give the list `",
    "replace ",
    "set ",
    "the schema does not declare its type: set ",
];

/// Returns whether `text` has one of the code pieces that the help tells to type. In an attribute,
/// a placeholder stands for any text.
fn is_typed(help: &str, text: &str) -> bool {
    let starts_with = |verbs: &[&str]| verbs.iter().any(|verb| help.starts_with(verb));
    let (writes, sets) = (starts_with(&WRITES), starts_with(&SETS));
    let is_demanded = |code: &&str| {
        let is_attribute = code.starts_with("#[");
        let is_outline = code.contains("..") || code.contains('…');
        (writes || sets) && is_attribute || writes && !is_outline
    };
    let mut typed = help
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(is_demanded)
        .peekable();
    typed.peek().is_none() || typed.any(|code| has(text, &without_space(code)))
}

/// Returns whether `text` has `code`, in which `..` and `…` stand for any text.
fn has(text: &str, code: &str) -> bool {
    let code = code.replace('…', "..");
    let (start, parts) = code.split_once("..").unwrap_or((&code, ""));
    text.match_indices(start).any(|(at, _)| {
        let after = &text[at + start.len()..];
        // No attribute is inside another one.
        let mut rest = after.split("#[").next().unwrap_or_default();
        parts.split("..").all(|part| {
            let found = rest.split_once(part);
            rest = found.map_or(rest, |(_, after)| after);
            found.is_some()
        })
    })
}
