//! API modules with mistakes, and what is said of them.

use std::fs;
use std::path::{Path, PathBuf};

use genclient_codegen::{Artefact, Diagnostics, Generated, Project};
use libtest_mimic::Failed;

use super::case::Settings;

/// The cases in `dir`: a `.rs` file, or a folder with a `mod.rs`.
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

/// Nothing is generated, and the messages are those of the `.txt` file; what their help says to
/// type is typed in the case of that name in `golden/corrected`, of which everything is generated.
pub fn check(case: &Path) -> Result<(), Failed> {
    let Err(errors) = generate(case) else {
        return Err("nothing is reported".into());
    };
    let said = errors.to_string();
    let file = case.with_extension("txt");
    if super::updates() {
        fs::write(&file, &said)?;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let difference = super::tree::diff(&file, &expected, &said);
    if !difference.is_empty() {
        return Err(difference.into());
    }
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

/// What `said` says to type is found in the case, and is right.
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

/// The sources and settings of a case without white space.
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

/// True if `text` has one of the pieces of code that the help says to write; in some the reader
/// fills in what the program cannot know.
fn is_typed(help: &str, text: &str) -> bool {
    let demands = ["write `", "add `", "did you mean `"];
    let code = help.split('`').skip(1).step_by(2);
    let whole = code.filter(|code| !code.contains("..") && !code.contains('…'));
    let mut whole = whole.peekable();
    !demands.iter().any(|demand| help.starts_with(demand))
        || whole.peek().is_none()
        || whole.any(|code| text.contains(&without_space(code)))
}
