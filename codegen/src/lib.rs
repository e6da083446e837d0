//! Kubernetes code generation for Rust: API types in, typed clients, listers, informers and CRDs out.
//!
//! ```text
//! Cargo.toml ─ project ─┐
//! pkg/apis/**.rs ─ load ─┴─▶ syntax trees ─ resolve ─▶ Model ─ emit ─▶ FileSet ─ output ─▶ write | verify
//! ```
//!
//! Types are read from source text: the API module, what its types lead to in the rest of the crate and in other crates, and specs with
//! kube's `#[derive(CustomResource)]`. Nothing of them is compiled or run, and cargo is asked where other crates are only if a type leads
//! into one. What source does not tell is an error that says what to write.
//!
//! - [`discover`] finds the packages to generate for, [`generate`] makes all files in memory, [`FileSet::write`] and [`FileSet::verify`]
//!   put them on the disk or compare them with it.
//! - [`attempt`] generates for the kinds without errors, and says which kinds have some.
//! - [`understand`] ends with the [`Model`]: groups, kinds, verbs and schemas as plain data, for tools of one's own.
//! - [`diff`] tells what breaks users between two sets of CRDs.
//! - [`Diagnostics`] are what is wrong with the types, each with its place and what to type instead.
//!
//! The command line is a thin shell over this; the same from a build script, an xtask or a test:
//!
//! ```no_run
//! # fn main() -> Result<(), genclient_codegen::Diagnostics> {
//! for project in genclient_codegen::discover(None, &[])? {
//!     genclient_codegen::generate(&project, &genclient_codegen::Artefact::ALL.into())?.files.write()?;
//! }
//! # Ok(())
//! # }
//! ```

mod attempt;
pub mod cli;
mod cluster;
mod crd_source;
mod diagnostic;
pub mod diff;
mod emit;
mod file_set;
mod folder;
mod group_module;
mod header;
mod import;
mod insert;
mod known;
mod load;
mod lookup;
mod manifests;
mod model;
mod nesting;
mod output;
mod pages;
mod parallel;
mod pass;
mod paths;
mod project;
mod render;
mod resolve;
mod rustfmt;
mod scaffold;
mod sources;
mod template;
mod yaml;

/// The stages one by one, for the benchmarks.
#[doc(hidden)]
pub mod stages {
    pub use crate::emit::emit;
    pub use crate::load::load;
    pub use crate::resolve::{Subset, resolve};
    pub use crate::sources::Sources;
}

use std::collections::BTreeSet;

use pass::Pass;
use resolve::Subset;

pub use attempt::{Attempt, LeftOut, attempt};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Location, Severity, Sink, SourceText};
pub use file_set::FileSet;
pub use model::*;
pub use output::{Drift, Summary};
pub use pages::pages;
pub use project::{
    Certificates, ClientModule, CrateNames, CrateVersion, Deploy, LocalCrate, Nullable, Project,
    StatedDefinition, StatedKind, Versions, discover,
};

/// What a run in memory ends with.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The files, of which none is written yet: see [`FileSet::write`] and [`FileSet::verify`].
    pub files: FileSet,
    /// What was found that does not stand in the way.
    pub warnings: Diagnostics,
}

/// Runs the whole pipeline in memory.
///
/// # Errors
///
/// Everything that is wrong with the package's API types.
pub fn generate(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<Generated, Diagnostics> {
    let (model, warnings) = understand(project, artefacts)?;
    let files = emit::emit(&model, project, &with_parts(artefacts, project));
    Ok(Generated { files, warnings })
}

/// Runs the first half of the pipeline: what the package serves.
///
/// # Errors
///
/// Everything that is wrong with the package's API types.
pub fn understand(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<(Model, Diagnostics), Diagnostics> {
    let artefacts = &with_parts(artefacts, project);
    nesting::with_stack(|| {
        let mut pass = Pass::new(project, artefacts)?;
        let (resolved, mut findings) = pass.run(Subset::All);
        let model = findings.finish(resolved.model)?;
        Ok((model, findings.warnings()))
    })
}

/// The groups that a package serves, mistakes in its types aside.
///
/// # Errors
///
/// Modules of the API types that cannot be read.
pub(crate) fn groups(project: &Project) -> Result<Vec<Group>, Diagnostics> {
    nesting::with_stack(|| {
        let mut sink = Sink::new();
        let sources = load::load(project, &mut sink);
        let sources = sink.finish(sources)?;
        let none = BTreeSet::new();
        let resolved = resolve::resolve(&sources, project, &none, Subset::All, &mut Sink::new());
        Ok(resolved.model.groups)
    })
}

/// The chosen artefacts with those that they consist of.
fn with_parts(artefacts: &BTreeSet<Artefact>, project: &Project) -> BTreeSet<Artefact> {
    let mut artefacts = artefacts.clone();
    if artefacts.contains(&Artefact::Deploy) && project.deploy.is_some() {
        artefacts.extend([Artefact::Crd, Artefact::Rbac, Artefact::Webhook]);
    }
    artefacts
}
