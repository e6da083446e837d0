//! What was typed → definitions. The only part of `diff` that looks at the world.

use std::fs;
use std::path::{Path, PathBuf};

use super::definition::Definition;
use super::git::{self, Revision};
use super::yaml::{Text, definitions, is_yaml};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::Artefact;
use crate::project::{Project, shown};

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, or a folder with all below it.
    Path(PathBuf),
    /// A git revision, and maybe a path in it.
    Revision {
        /// `main`, `HEAD~3`, `v1.2.0`.
        name: String,
        /// A path in it: from the repository's root, or from the current folder if it starts with `./`.
        path: Option<String>,
    },
    /// The types as they are now.
    Current,
}

impl Source {
    /// What `text` means: a path if there is such a file or folder, else a revision.
    pub fn of(text: &str) -> Self {
        let path = Path::new(text);
        if path.exists() {
            return Self::Path(path.to_owned());
        }
        match text.split_once(':') {
            Some((name, path)) if !name.is_empty() => Self::Revision {
                name: name.to_owned(),
                path: Some(path.to_owned()),
            },
            _ => Self::Revision {
                name: text.to_owned(),
                path: None,
            },
        }
    }

    /// True if it is about the packages themselves, and so needs them.
    pub fn needs_packages(&self) -> bool {
        matches!(self, Self::Current | Self::Revision { path: None, .. })
    }
}

/// Reads the definitions of one side.
///
/// # Errors
///
/// Nothing there, no CRD in it, a file that is no YAML; or everything that is wrong with the current types.
pub(crate) fn read(source: &Source, projects: &[Project]) -> Result<Vec<Definition>, Diagnostics> {
    let texts = match source {
        Source::Path(path) => files(path)?,
        Source::Revision {
            name,
            path: Some(path),
        } => at_path(name, path)?,
        Source::Revision { name, path: None } => of_packages(name, projects)?,
        Source::Current => current(projects)?,
    };
    let definitions = definitions(&texts)?;
    if definitions.is_empty() {
        return Err(nothing(source, projects).into());
    }
    Ok(definitions)
}

fn files(path: &Path) -> Result<Vec<Text>, Diagnostics> {
    let mut paths = Vec::new();
    if path.is_dir() {
        collect(path, &mut paths)?;
    } else {
        paths.push(path.to_owned());
    }
    paths.iter().map(|path| file(path)).collect()
}

fn file(path: &Path) -> Result<Text, Diagnostics> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    Ok(Text {
        place: shown(path),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// The YAML files below a folder, sorted; hidden ones are left out.
fn collect(dir: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Diagnostics> {
    let entries = fs::read_dir(dir).map_err(|error| unreadable(dir, &error))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(dir, &error))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    for path in found {
        if path.is_dir() {
            collect(&path, paths)?;
        } else if is_yaml(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot read {}: {error}", shown(path)))
        .help("name a file or folder that you may read")
}

/// `REV:path`, as git has it: from the root of the repository around the current folder.
fn at_path(name: &str, path: &str) -> Result<Vec<Text>, Diagnostics> {
    let here = Path::new(".");
    let Some(revision) = Revision::find(name, here)? else {
        return Err(unknown(&format!("{name}:{path}"), name, here)?);
    };
    let path = match path.strip_prefix("./") {
        Some(below) => format!("{}{below}", git::from_root(here)?),
        None => path.to_owned(),
    };
    revision.files(path.trim_end_matches('/'))
}

/// What the packages have checked in.
fn of_packages(name: &str, projects: &[Project]) -> Result<Vec<Text>, Diagnostics> {
    let mut texts = Vec::new();
    for project in projects {
        let Some(revision) = Revision::find(name, &project.dir)? else {
            return Err(unknown(name, name, &project.dir)?);
        };
        texts.extend(revision.files(&git::from_root(&project.config.join("crd"))?)?);
    }
    Ok(texts)
}

fn unknown(typed: &str, name: &str, dir: &Path) -> Result<Diagnostics, Diagnostics> {
    if !git::is_repository(dir)? {
        let help =
            "name an existing folder or file of CRD YAML, or run this inside a git repository";
        let message = format!("there is no file or folder `{typed}`, and no git repository here");
        return Ok(Diagnostic::error(message).help(help).into());
    }
    Ok(Diagnostic::error(format!(
        "`{typed}` is no file or folder, and `{name}` no revision of this repository"
    ))
    .help("`git branch -a` and `git tag` list what can be named; a clone without history needs `git fetch` first")
    .into())
}

/// What `genclient update` would write now.
fn current(projects: &[Project]) -> Result<Vec<Text>, Diagnostics> {
    let mut texts = Vec::new();
    let mut errors = Diagnostics::default();
    for project in projects {
        match crate::generate(project, &[Artefact::Crd].into()) {
            Ok(generated) => texts.extend(generated.files.iter().map(|(path, text)| Text {
                place: shown(path),
                text: text.to_owned(),
            })),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(texts)
    } else {
        Err(errors)
    }
}

fn nothing(source: &Source, projects: &[Project]) -> Diagnostic {
    let folders: Vec<_> = projects
        .iter()
        .map(|project| shown(&project.config.join("crd")))
        .collect();
    let folders = folders.join(", ");
    let versions = "a CRD has `kind: CustomResourceDefinition` and at least one of `spec.versions`";
    match source {
        Source::Path(path) => {
            Diagnostic::error(format!("no CRD in {}", shown(path))).help(versions)
        }
        Source::Revision {
            name,
            path: Some(path),
        } => Diagnostic::error(format!("no CRD at `{path}` in the revision `{name}`")).help(
            format!("`git ls-tree -r --name-only {name}` lists its files"),
        ),
        Source::Revision { name, path: None } => {
            Diagnostic::error(format!("no CRD below {folders} in the revision `{name}`")).help(
                format!("where they were elsewhere, name the folder: {name}:path/from/the/root"),
            )
        }
        Source::Current => Diagnostic::error("the types have no CRD")
            .help("name what to compare with: `genclient diff OLD NEW`"),
    }
}
