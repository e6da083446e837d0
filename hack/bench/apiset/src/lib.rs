//! Synthetic set of API types in the source form of each generator, so that all are measured on the
//! same input.
//!
//! A group has ten kinds, and a spec about 25 fields, with nested structs, enums, constraints,
//! defaults, list types and conditions. The first kind of each group has a Pod template. Kind
//! number n is the same for every size of the set: a smaller set is a prefix of a larger one.

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

/// Files by their path in the folder of a package.
pub type Files = BTreeMap<PathBuf, String>;

/// The version of every group.
pub const VERSION: &str = "v1";

/// Source form of a set.
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
    /// Returns the files of a set.
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
/// If a folder cannot be created, or a file cannot be written.
pub fn write(files: &Files, folder: &Path) -> io::Result<()> {
    for (path, text) in files {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, text)?;
    }
    Ok(())
}
