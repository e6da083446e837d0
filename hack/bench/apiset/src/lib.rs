//! One synthetic set of API types, written as each generator reads it, so that all of them are measured on the same input.
//!
//! Ten kinds a group, about 25 fields a spec, with nested structs, enums, constraints, defaults, list types and conditions; the
//! first kind of each group holds a pod template. Kind number n is the same whatever the size of the set: a smaller set is the
//! beginning of a larger one.

mod fields;
mod go;
mod kube;
mod model;
mod nested;
mod random;
mod rust;
mod set;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use model::{Enum, Field, Group, Kind, Limits, Literal, Shape, Struct, Type, TypeKind};
pub use set::groups;

/// Files below the folder of a package.
pub type Files = BTreeMap<PathBuf, String>;

/// The version that every group has.
pub const VERSION: &str = "v1";

/// How a set is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// For `genclient`: `pkg/apis/<group>/v1.rs`, without a `Cargo.toml`.
    Genclient,
    /// For code-generator and controller-gen: a Go module.
    Go,
    /// For kube-derive: a crate that prints its CRDs.
    KubeDerive,
}

impl Spelling {
    /// The files of a set.
    pub fn files(self, groups: &[Group]) -> Files {
        match self {
            Self::Genclient => rust::files(groups),
            Self::Go => go::files(groups),
            Self::KubeDerive => kube::files(groups),
        }
    }
}

/// Writes files below a folder.
///
/// # Errors
///
/// A folder cannot be made, or a file not written.
pub fn write(files: &Files, folder: &Path) -> io::Result<()> {
    for (path, text) in files {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, text)?;
    }
    Ok(())
}
