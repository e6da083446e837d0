//! Sources of custom resource definitions to compare: a git revision, a folder, a file, stdin, or
//! the current types.

mod absent;
mod git;
mod read;
mod revision;

use std::fmt;
use std::path::{Path, PathBuf};

use genclient_codegen::file_system::display_path;
use genclient_codegen::{Diagnostic, Diagnostics};

pub(crate) use absent::{no_definitions, no_old_definitions};
pub(crate) use read::{read_definitions, read_texts};

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CrdSource {
    /// A file, or a folder that is searched for YAML files recursively.
    Path(PathBuf),
    /// A git revision, and optionally a path in it.
    Revision {
        /// `main`, `HEAD~3`, `v1.2.0`, or `main...HEAD` for the merge base of both.
        name: String,
        /// A path in the revision: relative to the repository's root, or to the current folder if
        /// it starts with `./` or `../`.
        path: Option<String>,
    },
    Stdin,
    Current,
}

impl CrdSource {
    /// Parses both sides of a comparison. `OLD...` is the merge base of OLD and the new side, or of
    /// OLD and `HEAD` if the new side is not a revision. A single argument `OLD...NEW` is read as
    /// the two arguments `OLD...` and `NEW`. Any other single argument is compared with the current
    /// types.
    ///
    /// # Errors
    ///
    /// Both sides are stdin.
    pub(crate) fn pair(old: &str, new: Option<&str>) -> Result<(Self, Self), Diagnostics> {
        let mut old = Self::parse(old);
        let new = new.map_or_else(|| old.tip().unwrap_or(Self::Current), Self::parse);
        if let (Self::Stdin, Self::Stdin) = (&old, &new) {
            return Err(Diagnostic::error("only one side may be stdin")
                .help("write the other one to a file")
                .into());
        }
        if let Self::Revision { name, .. } = &mut old
            && name.ends_with("...")
        {
            name.push_str(match &new {
                Self::Revision { name, .. } => name,
                _ => "HEAD",
            });
        }
        Ok((old, new))
    }

    /// The side NEW of a revision `OLD...NEW`; `None` for any other source.
    fn tip(&self) -> Option<Self> {
        let Self::Revision { name, path } = self else {
            return None;
        };
        let (_, tip) = name.split_once("...").filter(|(_, tip)| !tip.is_empty())?;
        Some(Self::Revision {
            name: tip.to_owned(),
            path: path.clone(),
        })
    }

    /// Parses one argument: stdin for `-`, a path if the file or folder exists, else a revision.
    pub(crate) fn parse(text: &str) -> Self {
        if text == "-" {
            return Self::Stdin;
        }
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

    /// True if the definitions are those of the chosen packages: the source is the current types,
    /// or a revision without a path.
    pub(crate) fn needs_packages(&self) -> bool {
        matches!(self, Self::Current | Self::Revision { path: None, .. })
    }
}

impl fmt::Display for CrdSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(&display_path(path)),
            Self::Revision {
                name,
                path: Some(path),
            } => write!(f, "`{path}` of the revision `{name}`"),
            Self::Revision { name, path: None } => write!(f, "the revision `{name}`"),
            Self::Stdin => f.write_str("stdin"),
            Self::Current => f.write_str("the current types"),
        }
    }
}

/// True for the file extensions of YAML and of JSON, which is a subset of YAML.
fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}
