//! One side of a comparison, as it was typed.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::project::shown;

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

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(&shown(path)),
            Self::Revision {
                name,
                path: Some(path),
            } => write!(f, "`{path}` of the revision `{name}`"),
            Self::Revision { name, path: None } => write!(f, "the revision `{name}`"),
            Self::Current => f.write_str("the current types"),
        }
    }
}
