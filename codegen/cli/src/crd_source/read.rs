//! Loader for the definitions of one side of a comparison.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

use genclient_codegen::file_system::{self, display_path};
use genclient_codegen::project::{Files, SelectedPackages};
use genclient_codegen::{Artefact, Diagnostic, Diagnostics};
use genclient_diff::{Definition, Text, parse_all};

use super::revision::Revision;
use super::{CrdSource, absent, is_yaml};

/// Reads the definitions of one side. A revision without a path may have no definitions: it may be
/// older than the first CRD of the selected packages. `retype` returns the user's command with
/// another revision for this side.
///
/// # Errors
///
/// The path or revision does not exist, a text cannot be read or is not YAML, a CRD occurs twice or
/// has an unsupported version, or the current types have errors. No CRD is found, unless the source
/// is a revision without a path.
pub(crate) fn read_definitions(
    source: &CrdSource,
    chosen: Option<&SelectedPackages>,
    retype: &dyn Fn(&str) -> String,
) -> Result<Vec<Definition>, Diagnostics> {
    let texts = match (source, chosen) {
        (CrdSource::Path(path), _) => read_texts(path)?,
        (CrdSource::Stdin, _) => vec![read_stdin()?],
        (
            CrdSource::Revision {
                name,
                path: Some(path),
            },
            _,
        ) => read_path_at_revision(name, path, retype)?,
        (CrdSource::Revision { name, path: None }, Some(chosen)) => {
            read_packages(name, chosen, retype)?
        }
        (CrdSource::Current, Some(chosen)) => generate_current(chosen)?,
        // These sources take their definitions from packages, and there is no package.
        (_, None) => Vec::new(),
    };
    let definitions = parse_all(texts)?;
    let may_be_empty = matches!(source, CrdSource::Revision { path: None, .. });
    if definitions.is_empty() && !may_be_empty {
        return Err(absent::missing_definitions(source).into());
    }
    Ok(definitions)
}

/// The file at a path, or every YAML file below a folder.
///
/// # Errors
///
/// A file or folder cannot be read.
pub(crate) fn read_texts(path: &Path) -> Result<Vec<Text>, Diagnostics> {
    if !path.is_dir() {
        return Ok(vec![read_text(path)?]);
    }
    let mut errors = Diagnostics::default();
    let mut paths = file_system::list_visible_files(path, &mut |path, error| {
        errors.extend(cannot_read(path, &error).into());
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    paths.retain(|path| is_yaml(path));
    paths.iter().map(|path| read_text(path)).collect()
}

fn read_stdin() -> Result<Text, Diagnostics> {
    let bytes = file_system::read_limited(io::stdin()).map_err(|error| {
        Diagnostic::error(format!("cannot read stdin: {error}"))
            .help("pipe YAML into it: kubectl get crd -o yaml | genclient diff -")
    })?;
    Ok(Text {
        package: None,
        label: "stdin".to_owned(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

fn read_text(path: &Path) -> Result<Text, Diagnostics> {
    let bytes = file_system::read_file(path).map_err(|error| cannot_read(path, &error))?;
    Ok(Text {
        package: None,
        label: display_path(path),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot read {}: {error}", display_path(path)))
        .help("name a readable file or folder")
}

/// Reads the YAML files at or below `REV:path`.
fn read_path_at_revision(
    name: &str,
    path: &str,
    retype: &dyn Fn(&str) -> String,
) -> Result<Vec<Text>, Diagnostics> {
    let here = Path::new(".");
    let Some(revision) = Revision::find(name, here)? else {
        let retype = |name: &str| retype(&format!("{name}:{path}"));
        let typed = format!("{name}:{path}");
        return Err(absent::missing_revision(&typed, name, here, &retype)?);
    };
    let here = fs::canonicalize(here).map_err(|error| cannot_read(here, &error))?;
    revision.read_yaml_files(&revision.resolve_path(path, &here))
}

/// Reads the YAML files in the CRD folders of the packages at a revision. The Cargo.toml files of
/// that revision set the folders.
fn read_packages(
    name: &str,
    chosen: &SelectedPackages,
    retype: &dyn Fn(&str) -> String,
) -> Result<Vec<Text>, Diagnostics> {
    let Some(revision) = Revision::find(name, chosen.root())? else {
        return Err(absent::missing_revision(name, name, chosen.root(), retype)?);
    };
    let revision = Rc::new(revision);
    let files: Rc<dyn Files> = Rc::<Revision>::clone(&revision);
    let mut texts = Vec::new();
    for folder in chosen.crd_folders(&files)? {
        let found = revision.read_yaml_files(&folder.path)?;
        texts.extend(found.into_iter().map(|text| Text {
            package: Some(folder.package.clone()),
            ..text
        }));
    }
    Ok(texts)
}

/// Generates the CRDs as `genclient update` does. Adds the definitions of stated kinds, which the
/// package's own program writes, if their files are in the CRD folder.
fn generate_current(chosen: &SelectedPackages) -> Result<Vec<Text>, Diagnostics> {
    let mut texts = Vec::new();
    let mut errors = Diagnostics::default();
    for project in chosen.projects()? {
        match genclient_codegen::generate(&project, &[Artefact::Crd].into()) {
            Ok(generated) => texts.extend(generated.files.iter().map(|(path, text)| Text {
                package: Some(project.name.clone()),
                label: display_path(path),
                text: text.to_owned(),
            })),
            Err(found) => errors.extend(found),
        }
        let definitions = project
            .kinds
            .iter()
            .filter_map(|kind| kind.definition.as_ref());
        let written: BTreeSet<_> = definitions.map(|definition| &definition.path).collect();
        let folder = project.config.join("crd");
        for path in written.into_iter().filter(|path| path.starts_with(&folder)) {
            let package = Some(project.name.clone());
            texts.push(Text {
                package,
                ..read_text(path)?
            });
        }
    }
    if errors.is_empty() {
        Ok(texts)
    } else {
        Err(errors)
    }
}
