//! Kubernetes code generator for Rust: typed clients, listers, informers and CRDs from API types.
//!
//! ```text
//! Cargo.toml ─── project ─┐
//! pkg/apis/**.rs ─ load ──┴─▶ resolve ─ Model ─▶ emit ─ FileSet ─▶ output
//! ```
//!
//! The generator reads types from source text, and neither compiles nor runs them. It reads the API
//! module, and follows its types into the rest of the crate and into other crates. It also reads
//! specs with kube's `#[derive(CustomResource)]`. cargo runs only to locate crates that define
//! used types and are not path dependencies. If the source does not determine a schema, an error
//! says what to write.
//!
//! - [`discover`] finds the packages to generate for.
//! - [`generate`] generates all files in memory. [`FileSet::write`] writes them, and
//!   [`FileSet::verify`] compares them with the disk.
//! - [`generate_partial`] generates for the kinds without errors, and returns the errors of the
//!   other kinds.
//! - [`observe`] also returns the [`Inputs`] of a run, which say when it has to be repeated.
//! - [`understand`] returns the [`Model`]: groups, kinds, verbs and schemas as plain data, for
//!   other tools.
//! - [`Diagnostics`] are findings, most with a location and help.
//! - [`manifests`] has the objects of a deployment as data.
//!
//! `genclient update` and `verify` call this API. A build script, an xtask or a test can do the
//! same:
//!
//! ```no_run
//! # fn main() -> Result<(), genclient_codegen::Diagnostics> {
//! for project in genclient_codegen::discover(None, &[])? {
//!     genclient_codegen::generate(&project, &genclient_codegen::Artefact::ALL.into())?
//!         .files
//!         .write()?;
//! }
//! # Ok(())
//! # }
//! ```

mod diagnostic;
pub mod doc_comment;
mod emit;
mod file_set;
pub mod file_system;
pub mod group_module;
mod header;
mod inputs;
mod keep_going;
mod known;
mod load;
mod lookup;
pub mod manifests;
mod model;
mod nesting;
pub mod output;
#[doc(hidden)]
pub mod parallel;
mod pass;
pub mod paths;
pub mod project;
mod resolve;
mod sources;
#[doc(hidden)]
pub mod template;
pub mod yaml;

/// Single stages of the generator, for the benchmarks.
#[doc(hidden)]
pub mod stages {
    pub use crate::emit::emit;
    pub use crate::load::load;
    pub use crate::resolve::resolve;
    pub use crate::sources::Sources;
}

use std::collections::BTreeSet;

use pass::Pass;

pub use diagnostic::{
    Code, Diagnostic, Diagnostics, Edit, EditFinder, Label, Location, MessageTarget, Severity,
    Sink, SourceText,
};
pub use emit::{Uses, emit};
pub use file_set::FileSet;
pub use header::{HEADER, is_generated};
pub use inputs::{Inputs, observe};
pub use keep_going::{LeftOut, PartialGeneration, generate_partial};
pub use known::BuiltinKind;
pub use model::*;
#[doc(inline)]
pub use output::{Drift, Summary};
#[doc(inline)]
pub use project::{
    Certificates, ClientModule, CrateNames, CrateVersion, Deploy, LocalCrate, Nullable, Project,
    StatedDefinition, StatedKind, Versions, discover,
};

/// Result of a generation in memory.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The generated files, not written yet: see [`FileSet::write`] and [`FileSet::verify`].
    pub files: FileSet,
    /// Findings that do not prevent generation.
    pub warnings: Diagnostics,
}

/// Runs all stages up to the files in memory.
///
/// # Errors
///
/// Every error in the package's API types, webhooks, controllers and client module.
pub fn generate(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<Generated, Diagnostics> {
    let (model, warnings) = understand(project, artefacts)?;
    let files = emit::emit(
        &model,
        project,
        &with_included_artefacts(artefacts, project),
    );
    Ok(Generated { files, warnings })
}

/// Runs the stages up to the [`Model`].
///
/// # Errors
///
/// Every error in the package's API types, webhooks, controllers and client module.
pub fn understand(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<(Model, Diagnostics), Diagnostics> {
    let artefacts = &with_included_artefacts(artefacts, project);
    nesting::with_stack(|| {
        let mut pass = Pass::new(project, artefacts)?;
        let (resolved, mut findings) = pass.run();
        let model = findings.finish(resolved.model)?;
        Ok((model, findings.warnings()))
    })
}

/// Returns the groups that a package serves. Errors in its types are ignored.
///
/// # Errors
///
/// A file of the API types is missing, or cannot be read or parsed. Or no `mod` line leads to such
/// a file, although clients of its kinds exist.
pub fn groups(project: &Project) -> Result<Vec<Group>, Diagnostics> {
    nesting::with_stack(|| {
        let mut sink = Sink::new();
        let sources = load::load(project, &mut sink);
        let sources = sink.finish(sources)?;
        let none = BTreeSet::new();
        let resolved = resolve::resolve(&sources, project, &none, &mut Sink::new());
        Ok(resolved.model.groups)
    })
}

/// Adds the artefacts that a chosen artefact includes.
fn with_included_artefacts(
    artefacts: &BTreeSet<Artefact>,
    project: &Project,
) -> BTreeSet<Artefact> {
    let mut artefacts = artefacts.clone();
    if artefacts.contains(&Artefact::Deploy) && project.deploy.is_some() {
        artefacts.extend([Artefact::Crd, Artefact::Rbac, Artefact::Webhook]);
    }
    artefacts
}
