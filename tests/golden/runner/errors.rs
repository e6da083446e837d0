//! API modules with mistakes, and what is said of them.

use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Artefact, Diagnostics, Generated};
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
    corrected(&Path::new("golden/corrected").join(case.file_name().unwrap()))
}

fn generate(case: &Path) -> Result<Generated, Diagnostics> {
    let settings = Settings::read(&case.with_extension("toml"));
    let apis = case.with_extension("");
    let project = settings.project(&name(case), apis, Path::new("no/where"));
    codegen::generate(&project, &Artefact::ALL.into())
}

/// Nothing is said about the case.
fn corrected(case: &Path) -> Result<(), Failed> {
    match generate(case) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.to_string().into()),
    }
}
