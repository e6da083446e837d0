//! API modules with mistakes, and what is said of them.

use std::fs;
use std::path::{Path, PathBuf};

use codegen::Artefact;
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

/// Nothing is generated, and the messages are those of the `.txt` file.
pub fn check(case: &Path) -> Result<(), Failed> {
    let settings = Settings::read(&case.with_extension("toml"));
    let apis = case.with_extension("");
    let project = settings.project(&name(case), apis, Path::new("no/where"));
    let Err(errors) = codegen::generate(&project, &Artefact::ALL.into()) else {
        return Err("nothing is reported".into());
    };
    let said = errors.to_string();
    let file = case.with_extension("txt");
    if super::updates() {
        fs::write(&file, &said)?;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let difference = super::tree::diff(&file, &expected, &said);
    if difference.is_empty() {
        Ok(())
    } else {
        Err(difference.into())
    }
}
